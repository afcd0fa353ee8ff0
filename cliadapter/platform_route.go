package cliadapter

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/engine"
)

// routeCommand is about ways through the platform to other servers. Platform toolkit,
// sections 2.9 and 3.4.
func (c *CLI) routeCommand() *command {
	route := argument{name: "ROUTE", required: true, usage: "Its uid or its code."}
	body := argument{name: "FILE", required: true, files: true, usage: "JSON, - for standard input."}
	return &command{
		name: "route", group: groupPlatform, summary: "Manage and run routes to other servers",
		commands: []*command{
			{
				name: "list", aliases: []string{"ls"}, access: accessRead, summary: "List the routes",
				options: options{filterOption()},
				run:     listRoutes,
			},
			{
				name: "get", access: accessRead, summary: "Show a route", args: []argument{route},
				doc: "Prints the route as JSON. The platform does not give secrets back.",
				run: showRoute,
			},
			c.routeCreateCommand(),
			{
				name: "update", access: accessWrite, summary: "Replace a route by a document", args: []argument{route, body},
				doc: "The document is a whole route, with the secrets of its authentication: what it lacks is lost.",
				run: updateRoute,
			},
			{
				name: "patch", access: accessWrite, summary: "Change a route by a JSON Patch", args: []argument{route, body},
				doc:      "The file is an array of operations of RFC 6902.",
				examples: []string{`echo '[{"op":"replace","path":"/disabled","value":true}]' | roget route patch lab -`},
				run:      patchRoute,
			},
			{
				name: "delete", access: accessWrite, summary: "Delete a route", args: []argument{route}, options: options{yesOption()},
				run: deleteRoute,
			},
			c.routeRunCommand(),
		},
	}
}

func filterOption() *option {
	return &option{names: []string{"filter"}, value: true, many: true, hint: "PROPERTY:OPERATOR:VALUE", usage: "Only those that match, as in name:ilike:lab."}
}

func listRoutes(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	routes, err := client.Routes().List(ctx, platform.ListOptions{Filters: inv.list("filter")})
	if err != nil {
		return err
	}
	t := &engine.Table{Header: []string{"UID", "CODE", "NAME", "URL", "AUTH", "DISABLED"}}
	for _, r := range routes {
		kind := ""
		if r.Auth != nil {
			kind = r.Auth.Type
		}
		t.Rows = append(t.Rows, []string{r.ID, dash(r.Code), r.Name, r.URL, dash(kind), yesNo(r.Disabled)})
	}
	return inv.show(append([]platform.Route{}, routes...), t)
}

// route finds the route of the first argument.
func (inv *invocation) route(ctx context.Context) (platform.Routes, *platform.Route, error) {
	client, err := inv.platform(ctx)
	if err != nil {
		return platform.Routes{}, nil, err
	}
	route, err := client.Routes().Get(ctx, inv.args()[0])
	return client.Routes(), route, err
}

func showRoute(ctx context.Context, inv *invocation) error {
	_, route, err := inv.route(ctx)
	if err != nil {
		return err
	}
	text, err := route.MarshalJSON()
	if err != nil {
		return err
	}
	return inv.writeIndented(text)
}

func updateRoute(ctx context.Context, inv *invocation) error {
	var next platform.Route
	if err := inv.inputJSON(inv.args()[1], &next); err != nil {
		return err
	}
	routes, route, err := inv.route(ctx)
	if err != nil {
		return err
	}
	if next.ID != "" && next.ID != route.ID {
		return fmt.Errorf("%s is of the route %s, not of %s", inv.args()[1], next.ID, route.ID)
	}
	next.ID = route.ID
	if err := routes.Update(ctx, route.ID, next); err != nil {
		return err
	}
	return inv.routeDone("updated", route.ID, next.Code)
}

func patchRoute(ctx context.Context, inv *invocation) error {
	var patch []platform.PatchOperation
	if err := inv.inputJSON(inv.args()[1], &patch); err != nil {
		return err
	}
	routes, route, err := inv.route(ctx)
	if err != nil {
		return err
	}
	if err := routes.Patch(ctx, route.ID, patch); err != nil {
		return err
	}
	return inv.routeDone("patched", route.ID, route.Code)
}

func deleteRoute(ctx context.Context, inv *invocation) error {
	if err := inv.confirm("Delete route " + inv.args()[0] + "?"); err != nil {
		return err
	}
	routes, route, err := inv.route(ctx)
	if err != nil {
		return err
	}
	if err := routes.Delete(ctx, route.ID); err != nil {
		return err
	}
	return inv.routeDone("deleted", route.ID, route.Code)
}

// routeDone says what was done to a route.
func (inv *invocation) routeDone(done, uid, code string) error {
	what := "route " + uid
	if code != "" {
		what += " (" + code + ")"
	}
	return inv.did(done, what, map[string]string{"uid": uid, "code": code})
}
