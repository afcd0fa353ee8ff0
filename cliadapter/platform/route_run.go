package platform

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
)

func (c commands) routeRunCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "run", Usage: "Send a request through a route and print the response",
		Description: "Prints the body of the response unchanged. If its status is not 2xx, roget prints the status on standard error, " +
			"but still exits with 0, because the platform responded. Status 502 means that the server behind the route did not respond.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "path", Usage: "`PATH` Path below the URL of the route, not escaped. Required if the URL ends in /**."},
			&command.Flag{StringFlag: cli.StringFlag{Name: "method", Aliases: []string{"X"}, Value: http.MethodGet, Usage: "HTTP method of the request."}, Choices: []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}},
			&cli.StringFlag{Name: "body", TakesFile: true, Usage: "`FILE` JSON file to send, or - for standard input."},
			&cli.StringSliceFlag{Name: "param", Usage: "`NAME=VALUE` Query parameter of the request."},
			&cli.StringSliceFlag{Name: "header", Usage: "`NAME=VALUE` Header of the request."},
		},
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{{Name: "ROUTE", Required: true, Usage: "Uid or code of the route."}},
		Examples: []string{"roget route run lab --path patients/42", "roget route run lab --path patients -X POST --body patient.json"},
		Run:      c.run(runRoute),
	})
}

func runRoute(ctx context.Context, inv *invocation) error {
	call := platform.RouteCall{Method: inv.Text("method"), Path: inv.Text("path"), Query: url.Values{}, Header: http.Header{}}
	for flag, add := range map[string]func(name, value string){"param": call.Query.Add, "header": call.Header.Add} {
		pairs, err := inv.pairs(flag)
		if err != nil {
			return err
		}
		for _, pair := range pairs {
			add(pair[0], pair[1])
		}
	}
	if path := inv.Text("body"); path != "" {
		if call.Method == http.MethodGet || call.Method == http.MethodHead {
			return command.Usagef("a %s request has no body; use another method, such as -X POST", call.Method)
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
		return command.Usagef("route %s leads to %s; name a path below it with --path", inv.Args()[0], route.URL)
	}
	answer, err := routes.Send(ctx, *route, call)
	if err != nil {
		return err
	}
	if answer.Status < 200 || answer.Status > 299 {
		inv.Notice("the response has status %d %s", answer.Status, http.StatusText(answer.Status))
	}
	if inv.OutTerminal {
		return inv.writeText(string(answer.Body))
	}
	return command.Write(inv.Out, answer.Body)
}

// pairs reads the values of a repeatable flag that are NAME=VALUE.
func (inv *invocation) pairs(flag string) ([][2]string, error) {
	var pairs [][2]string
	for _, text := range inv.List(flag) {
		name, value, found := strings.Cut(text, "=")
		if name = strings.TrimSpace(name); !found || name == "" {
			return nil, command.Usagef("flag --%s is NAME=VALUE", flag)
		}
		pairs = append(pairs, [2]string{name, value})
	}
	return pairs, nil
}
