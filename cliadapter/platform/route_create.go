package platform

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/cliadapter/command"
)

func (c commands) routeCreateCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "create", Usage: "Create a route, from flags or a JSON file",
		Description: "Creates a route from FILE, which has the complete route as JSON, or from flags. Secrets of the upstream are not " +
			"flags: they come from the environment or a prompt. What each value of --auth needs:\n\n" +
			"  http-basic                 --username; PLATFORM_ROUTE_UPSTREAM_PASSWORD\n" +
			"  api-token                  PLATFORM_ROUTE_UPSTREAM_TOKEN\n" +
			"  api-headers                --auth-name of the header; PLATFORM_ROUTE_UPSTREAM_VALUE\n" +
			"  api-query-params           --auth-name of the parameter; PLATFORM_ROUTE_UPSTREAM_VALUE\n" +
			"  oauth2-client-credentials  --token-uri, --client-id, --scopes; from v42;\n" +
			"                             PLATFORM_ROUTE_UPSTREAM_CLIENT_SECRET",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "code", Usage: "`CODE` Code of the route."},
			&cli.StringFlag{Name: "name", Usage: "`NAME` Name of the route. By default its code."},
			&cli.StringFlag{Name: "url", Usage: "`URL` Address of the upstream. Ending in /**, it covers all paths below."},
			&cli.StringSliceFlag{Name: "authority", Usage: "`NAME` Authority that users need to run the route."},
			&cli.StringSliceFlag{Name: "header", Usage: "`NAME=VALUE` Header to send to the upstream. Must not be secret."},
			&cli.BoolFlag{Name: "disabled", Usage: "Disable the route, so that it cannot be run."},
			&command.Flag{StringFlag: cli.StringFlag{Name: "auth", Usage: "Way in which the platform authenticates to the upstream."}, Choices: routeAuthTypes()},
			&cli.StringFlag{Name: "username", Usage: "`NAME` User name for http-basic."},
			&cli.StringFlag{Name: "auth-name", Usage: "`NAME` Name of the header or parameter that carries the secret."},
			&cli.StringFlag{Name: "token-uri", Usage: "`URL` Token endpoint of the upstream."},
			&cli.StringFlag{Name: "client-id", Usage: "`ID` Id of the client at the token endpoint."},
			&cli.StringFlag{Name: "scopes", Usage: "`SCOPES` Scopes to request from the token endpoint."},
		},
	}, command.Details{
		Access: command.Writes,
		Args:   []command.Argument{{Name: "FILE", Usage: "JSON file, or - for standard input."}},
		Examples: []string{
			"roget route create --code lab --url 'https://lab.example.org/api/**' --auth http-basic --username ada",
			"roget route create route.json",
		},
		Run: c.run(createRoute),
	})
}

func routeAuthTypes() []string {
	return []string{platform.RouteAuthBasic, platform.RouteAuthToken, platform.RouteAuthHeaders, platform.RouteAuthQueryParams, platform.RouteAuthOAuth2}
}

func createRoute(ctx context.Context, inv *invocation) error {
	route, err := inv.newRoute()
	if err != nil {
		return err
	}
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	uid, err := client.Routes().Create(ctx, route)
	if err != nil {
		return err
	}
	return inv.routeDone("created", uid, route.Code)
}

// newRoute returns the route that the file or the flags describe.
func (inv *invocation) newRoute() (route platform.Route, err error) {
	if args := inv.Args(); len(args) > 0 {
		for _, name := range inv.Set() {
			if !slices.Contains([]string{"profile", "json", "debug"}, name) {
				return route, command.Usagef("FILE has the complete route; leave out --%s", name)
			}
		}
		err = inv.inputJSON(args[0], &route)
		return route, err
	}
	route = platform.Route{
		Code: inv.Text("code"), Name: inv.Text("name"), URL: inv.Text("url"),
		Authorities: inv.List("authority"), Disabled: inv.Is("disabled"),
	}
	if route.Code == "" || route.URL == "" {
		return route, command.Usagef("a route needs --code and --url, or a FILE")
	}
	if route.Name == "" {
		route.Name = route.Code
	}
	pairs, err := inv.pairs("header")
	if err != nil {
		return route, err
	}
	for _, pair := range pairs {
		if route.Headers == nil {
			route.Headers = map[string]string{}
		}
		route.Headers[pair[0]] = pair[1]
	}
	route.Auth, err = inv.routeAuth()
	return route, err
}

// routeAuth returns the authentication that the flags describe, with its secret.
func (inv *invocation) routeAuth() (*platform.RouteAuth, error) {
	a := &platform.RouteAuth{Type: inv.Text("auth")}
	need := map[string]struct {
		flags            []string
		variable, prompt string
		set              func(auth.Secret)
	}{
		platform.RouteAuthBasic: {
			[]string{"username"},
			"PASSWORD", "Password at the upstream",
			func(s auth.Secret) { a.Username, a.Password = inv.Text("username"), s },
		},
		platform.RouteAuthToken: {
			nil, "TOKEN", "Token for the upstream",
			func(s auth.Secret) { a.Token = s },
		},
		platform.RouteAuthHeaders: {
			[]string{"auth-name"},
			"VALUE", "Value of the header",
			func(s auth.Secret) { a.Headers = map[string]auth.Secret{inv.Text("auth-name"): s} },
		},
		platform.RouteAuthQueryParams: {
			[]string{"auth-name"},
			"VALUE", "Value of the parameter",
			func(s auth.Secret) { a.QueryParams = map[string]auth.Secret{inv.Text("auth-name"): s} },
		},
		platform.RouteAuthOAuth2: {
			[]string{"token-uri", "client-id"},
			"CLIENT_SECRET", "Client secret at the token endpoint",
			func(s auth.Secret) {
				a.TokenURI, a.ClientID, a.ClientSecret, a.Scopes = inv.Text("token-uri"), inv.Text("client-id"), s, inv.Text("scopes")
			},
		},
	}[a.Type]
	for _, flag := range []string{"username", "auth-name", "token-uri", "client-id", "scopes"} {
		wanted := slices.Contains(need.flags, flag)
		switch optional := flag == "scopes" && a.Type == platform.RouteAuthOAuth2; {
		case wanted && inv.Text(flag) == "":
			return nil, command.Usagef("--auth %s needs --%s", a.Type, flag)
		case !wanted && !optional && inv.Given(flag):
			return nil, command.Usagef("--%s cannot be used with %s", flag, strings.TrimSpace("--auth "+a.Type))
		}
	}
	if a.Type == "" {
		return nil, nil
	}
	secret, err := inv.Secret("PLATFORM_ROUTE_UPSTREAM_"+need.variable, need.prompt)
	if err != nil {
		return nil, err
	}
	need.set(secret)
	return a, nil
}
