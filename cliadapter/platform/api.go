package platform

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
)

// apiMethods are the methods of requests that roget api sends.
var apiMethods = [...]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}

// apiCommand sends any request to the web API of the platform.
func (c commands) apiCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "api", Usage: "Send a request to the web API and print the response",
		Description: "Sends a request with the credentials of the profile and prints the body of the response unchanged. PATH may be written " +
			"without /api: me is /api/me. A query may be part of PATH, or be given by --query.\n\n" +
			"The exit code is 1 if the status is not 2xx. The body is printed all the same, and the status is printed on standard error.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "query", Aliases: []string{"q"}, Usage: "`NAME=VALUE` Parameter of the query."},
			&cli.StringFlag{Name: "input", TakesFile: true, Usage: "`FILE` Body of the request, - for standard input."},
			&cli.StringFlag{Name: "content-type", Usage: "`TYPE` Content type of the body. Default: application/json, with PATCH application/json-patch+json."},
			&cli.StringSliceFlag{Name: "header", Aliases: []string{"H"}, Usage: "`NAME=VALUE` Header of the request."},
			&cli.BoolFlag{Name: "include", Aliases: []string{"i"}, Usage: "Print the status and the headers of the response before the body."},
		},
	}, command.Details{
		Access: command.Writes, // GET may write too: it may run a route
		Args: []command.Argument{
			{Name: "METHOD", Required: true, Choices: apiMethods[:]},
			{Name: "PATH", Required: true, Usage: "Path of the web API, such as /api/me or me."},
		},
		Examples: []string{
			"roget api GET me --query fields=id,username",
			"roget api GET '/api/dataElements?fields=id,name&filter=name:ilike:malaria'",
			"roget api POST metadata --query importMode=VALIDATE --input metadata.json",
		},
		Run: c.run(sendRequest),
	})
}

func sendRequest(ctx context.Context, inv *invocation) error {
	request, err := inv.apiRequest()
	if err != nil {
		return err
	}
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	response, err := client.Raw(ctx, request)
	if err != nil {
		return err
	}
	if inv.Is("include") {
		if err := inv.writeHead(response); err != nil {
			return err
		}
	}
	print := inv.writeText
	if !inv.OutTerminal {
		print = func(text string) error { return command.Write(inv.Out, []byte(text)) }
	}
	if err := print(string(response.Body)); err != nil {
		return err
	}
	if response.Status < 200 || response.Status > 299 {
		return fmt.Errorf("%s %s: the status is %d %s", request.Method, request.Path, response.Status, http.StatusText(response.Status))
	}
	return nil
}

// apiRequest is the request that arguments and flags describe.
func (inv *invocation) apiRequest() (platform.Request, error) {
	request := platform.Request{Method: strings.ToUpper(inv.Args()[0]), Query: url.Values{}, Header: http.Header{}}
	if !slices.Contains(apiMethods[:], request.Method) {
		return request, command.Usagef("METHOD is one of %s, not %q", strings.Join(apiMethods[:], ", "), inv.Args()[0])
	}
	u, err := url.Parse(inv.Args()[1])
	switch {
	case err != nil, u.Scheme != "", u.Host != "", u.Fragment != "":
		return request, command.Usagef("PATH is a path such as /api/me, not %q; the address of the server is that of the profile", inv.Args()[1])
	}
	request.Path = u.EscapedPath()
	if !strings.HasPrefix(request.Path, "/") {
		request.Path = "/api/" + strings.TrimPrefix(request.Path, "api/")
	}
	if request.Query, err = url.ParseQuery(u.RawQuery); err != nil {
		return request, command.Usagef("the query of PATH cannot be read: %w", err)
	}
	for flag, add := range map[string]func(name, value string){"query": request.Query.Add, "header": request.Header.Add} {
		pairs, err := inv.pairs(flag)
		if err != nil {
			return request, err
		}
		for _, pair := range pairs {
			add(pair[0], pair[1])
		}
	}
	file := inv.Text("input")
	if file == "" {
		return request, nil
	}
	if request.Method == http.MethodGet || request.Method == http.MethodHead {
		return request, command.Usagef("a %s request has no body; write POST, for example", request.Method)
	}
	request.ContentType = inv.Text("content-type")
	switch {
	case request.ContentType != "":
	case request.Method == http.MethodPatch:
		request.ContentType = "application/json-patch+json"
	default:
		request.ContentType = "application/json"
	}
	request.Body, err = inv.input(file)
	return request, err
}

// writeHead prints status and headers, sorted by name.
func (inv *invocation) writeHead(response *platform.Response) error {
	head := fmt.Sprintf("HTTP %d %s\n", response.Status, http.StatusText(response.Status))
	var names []string
	for name := range response.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name == "Set-Cookie" { // may be a session
			continue
		}
		for _, value := range response.Header[name] {
			head += command.Printable(name+": "+value) + "\n"
		}
	}
	return command.Write(inv.Out, []byte(head+"\n"))
}
