package cliadapter

import (
	"context"
	"slices"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
)

func (c *CLI) routeCreateCommand() *command {
	return &command{
		name: "create", access: accessWrite, summary: "Create a route, from flags or a document",
		doc: "Either FILE, a whole route as JSON, or the flags. Secrets of the upstream are no flags: they are read from the " +
			"environment, else asked for.\n\n" +
			"  http-basic                 --username; PLATFORM_ROUTE_UPSTREAM_PASSWORD\n" +
			"  api-token                  PLATFORM_ROUTE_UPSTREAM_TOKEN\n" +
			"  api-headers                --auth-name of the header; PLATFORM_ROUTE_UPSTREAM_VALUE\n" +
			"  api-query-params           --auth-name of the parameter; PLATFORM_ROUTE_UPSTREAM_VALUE\n" +
			"  oauth2-client-credentials  --token-uri, --client-id, --scopes; PLATFORM_ROUTE_UPSTREAM_CLIENT_SECRET; from v42",
		args: []argument{{name: "FILE", files: true, usage: "JSON, - for standard input."}},
		options: options{
			{names: []string{"code"}, value: true, hint: "CODE", usage: "Code of the route."},
			{names: []string{"name"}, value: true, hint: "NAME", usage: "Name of the route; its code where there is none."},
			{names: []string{"url"}, value: true, hint: "URL", usage: "Address of the upstream; with /** at its end any path below it."},
			{names: []string{"authority"}, value: true, many: true, hint: "NAME", usage: "Authority of users who may run it."},
			{names: []string{"header"}, value: true, many: true, hint: "NAME=VALUE", usage: "Header sent to the upstream, no secret."},
			{names: []string{"disabled"}, usage: "It cannot be run yet."},
			{names: []string{"auth"}, value: true, choices: routeAuthTypes(), usage: "How the platform authenticates to the upstream."},
			{names: []string{"username"}, value: true, hint: "NAME", usage: "User name for http-basic."},
			{names: []string{"auth-name"}, value: true, hint: "NAME", usage: "Name of the header or parameter with the secret."},
			{names: []string{"token-uri"}, value: true, hint: "URL", usage: "Token endpoint of the upstream."},
			{names: []string{"client-id"}, value: true, hint: "ID", usage: "Client at that endpoint."},
			{names: []string{"scopes"}, value: true, hint: "SCOPES", usage: "Scopes to ask that endpoint for."},
		},
		examples: []string{
			"roget route create --code lab --url 'https://lab.example.org/api/**' --auth http-basic --username ada",
			"roget route create route.json",
		},
		run: createRoute,
	}
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

// newRoute is what the file or the flags say.
func (inv *invocation) newRoute() (route platform.Route, err error) {
	if args := inv.args(); len(args) > 0 {
		for _, opt := range inv.cmd.options {
			if name := opt.names[0]; inv.given(name) && !slices.Contains([]string{"profile", "json", "debug"}, name) {
				return route, usagef("FILE is the whole route; leave out --%s", name)
			}
		}
		err = inv.inputJSON(args[0], &route)
		return route, err
	}
	route = platform.Route{
		Code: inv.text("code"), Name: inv.text("name"), URL: inv.text("url"),
		Authorities: inv.list("authority"), Disabled: inv.is("disabled"),
	}
	if route.Code == "" || route.URL == "" {
		return route, usagef("a route needs --code and --url, or a FILE")
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

// routeAuth is what the flags say of authentication, with the secret that it needs.
func (inv *invocation) routeAuth() (*platform.RouteAuth, error) {
	a := &platform.RouteAuth{Type: inv.text("auth")}
	need := map[string]struct {
		flags            []string
		variable, prompt string
		set              func(auth.Secret)
	}{
		platform.RouteAuthBasic: {
			[]string{"username"},
			"PASSWORD", "Password at the upstream",
			func(s auth.Secret) { a.Username, a.Password = inv.text("username"), s },
		},
		platform.RouteAuthToken: {
			nil, "TOKEN", "Token for the upstream",
			func(s auth.Secret) { a.Token = s },
		},
		platform.RouteAuthHeaders: {
			[]string{"auth-name"},
			"VALUE", "Value of the header",
			func(s auth.Secret) { a.Headers = map[string]auth.Secret{inv.text("auth-name"): s} },
		},
		platform.RouteAuthQueryParams: {
			[]string{"auth-name"},
			"VALUE", "Value of the parameter",
			func(s auth.Secret) { a.QueryParams = map[string]auth.Secret{inv.text("auth-name"): s} },
		},
		platform.RouteAuthOAuth2: {
			[]string{"token-uri", "client-id"},
			"CLIENT_SECRET", "Client secret at the token endpoint",
			func(s auth.Secret) {
				a.TokenURI, a.ClientID, a.ClientSecret, a.Scopes = inv.text("token-uri"), inv.text("client-id"), s, inv.text("scopes")
			},
		},
	}[a.Type]
	for _, flag := range []string{"username", "auth-name", "token-uri", "client-id", "scopes"} {
		wanted := slices.Contains(need.flags, flag)
		switch optional := flag == "scopes" && a.Type == platform.RouteAuthOAuth2; {
		case wanted && inv.text(flag) == "":
			return nil, usagef("--auth %s needs --%s", a.Type, flag)
		case !wanted && !optional && inv.given(flag):
			return nil, usagef("--%s does not go with %s", flag, strings.TrimSpace("--auth "+a.Type))
		}
	}
	if a.Type == "" {
		return nil, nil
	}
	secret, err := inv.secret("PLATFORM_ROUTE_UPSTREAM_"+need.variable, need.prompt)
	if err != nil {
		return nil, err
	}
	need.set(secret)
	return a, nil
}
