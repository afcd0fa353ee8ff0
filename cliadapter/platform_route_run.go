package cliadapter

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
)

func (c *CLI) routeRunCommand() *command {
	return &command{
		name: "run", access: accessWrite, summary: "Send a request through a route and print the raw answer",
		doc: "Prints the body of the answer as it came, whatever its status. A status that is not 2xx is told on standard error, " +
			"and the exit code is 0 all the same: the platform did answer. 502 means that the server behind the route did not.",
		args: []argument{{name: "ROUTE", required: true, usage: "Its uid or its code."}},
		options: options{
			{names: []string{"path"}, value: true, hint: "PATH", usage: "Path below the route's URL, not escaped. Required where the URL ends in /**."},
			{names: []string{"method", "X"}, value: true, choices: []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}, preset: http.MethodGet, usage: "Method of the request."},
			{names: []string{"body"}, value: true, files: true, hint: "FILE", usage: "JSON to send, - for standard input."},
			{names: []string{"param"}, value: true, many: true, hint: "NAME=VALUE", usage: "Parameter of the query."},
			{names: []string{"header"}, value: true, many: true, hint: "NAME=VALUE", usage: "Header of the request."},
		},
		examples: []string{"roget route run lab --path patients/42", "roget route run lab --path patients -X POST --body patient.json"},
		run:      runRoute,
	}
}

func runRoute(ctx context.Context, inv *invocation) error {
	call := platform.RouteCall{Method: inv.text("method"), Path: inv.text("path"), Query: url.Values{}, Header: http.Header{}}
	for flag, add := range map[string]func(name, value string){"param": call.Query.Add, "header": call.Header.Add} {
		pairs, err := inv.pairs(flag)
		if err != nil {
			return err
		}
		for _, pair := range pairs {
			add(pair[0], pair[1])
		}
	}
	if path := inv.text("body"); path != "" {
		if call.Method == http.MethodGet || call.Method == http.MethodHead {
			return usagef("a %s has no body; say -X POST, for example", call.Method)
		}
		content, err := inv.input(path)
		if err != nil {
			return err
		}
		call.Body = content
	}
	routes, route, err := inv.route(ctx)
	if err != nil {
		return err
	}
	if route.Wildcard() && call.Path == "" {
		return usagef("route %s leads to %s; say by --path which path below it", inv.args()[0], route.URL)
	}
	answer, err := routes.Send(ctx, *route, call)
	if err != nil {
		return err
	}
	if answer.Status < 200 || answer.Status > 299 {
		inv.notice("the answer has status %d %s", answer.Status, http.StatusText(answer.Status))
	}
	if inv.streams.OutTerminal {
		return inv.writeText(string(answer.Body))
	}
	return write(inv.streams.Out, answer.Body)
}

// pairs reads the values of a repeatable flag that are NAME=VALUE.
func (inv *invocation) pairs(flag string) ([][2]string, error) {
	var pairs [][2]string
	for _, text := range inv.list(flag) {
		name, value, found := strings.Cut(text, "=")
		if name = strings.TrimSpace(name); !found || name == "" {
			return nil, usagef("flag --%s is NAME=VALUE", flag)
		}
		pairs = append(pairs, [2]string{name, value})
	}
	return pairs, nil
}
