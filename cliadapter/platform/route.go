package platform

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// routeCommand is about ways through the platform to other servers. Platform toolkit,
// sections 2.9 and 3.4.
func (c commands) routeCommand() *cli.Command {
	route := command.Argument{Name: "ROUTE", Required: true, Usage: "Uid or code of the route."}
	body := command.Argument{Name: "FILE", Required: true, Usage: "JSON file, or - for standard input."}
	return &cli.Command{
		Name: "route", Usage: "Manage and run routes to other servers",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "list", Aliases: []string{"ls"}, Usage: "List the routes",
				Flags: []cli.Flag{filterOption()},
			}, command.Details{
				Access:   command.Reads,
				Examples: []string{"roget route list", "roget route list --filter name:ilike:lab"},
				Run:      c.run(listRoutes),
			}),
			c.Add(&cli.Command{
				Name: "get", Usage: "Show a route",
				Description: "Prints the route as JSON. The platform never returns secrets.",
			}, command.Details{
				Access:   command.Reads,
				Args:     []command.Argument{route},
				Examples: []string{"roget route get lab"},
				Run:      c.run(showRoute),
			}),
			c.routeCreateCommand(),
			c.Add(&cli.Command{
				Name: "update", Usage: "Replace a route with a JSON document",
				Description: "FILE has the complete route, including the secrets of its authentication. Properties that FILE does not have are deleted.",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{route, body},
				Examples: []string{"roget route update lab route.json"},
				Run:      c.run(updateRoute),
			}),
			c.Add(&cli.Command{
				Name: "patch", Usage: "Change a route with a JSON Patch",
				Description: "FILE has an array of operations, as in RFC 6902.",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{route, body},
				Examples: []string{`echo '[{"op":"replace","path":"/disabled","value":true}]' | roget route patch lab -`},
				Run:      c.run(patchRoute),
			}),
			c.Add(&cli.Command{
				Name: "delete", Usage: "Delete a route",
				Description: "Deletes a route. Asks for confirmation.",
				Flags:       []cli.Flag{command.YesFlag()},
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{route},
				Examples: []string{"roget route delete lab --yes"},
				Run:      c.run(deleteRoute),
			}),
			c.routeRunCommand(),
		},
	}
}

func filterOption() cli.Flag {
	return &cli.StringSliceFlag{Name: "filter", Usage: "`PROPERTY:OPERATOR:VALUE` List only routes that match, such as name:ilike:lab."}
}

func listRoutes(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	routes, err := client.Routes().List(ctx, platform.ListOptions{Filters: inv.List("filter")})
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
	return inv.Show(append([]platform.Route{}, routes...), t)
}

// route finds the route of the first argument.
func (inv *invocation) route(ctx context.Context) (platform.Routes, *platform.Route, error) {
	client, err := inv.platform(ctx)
	if err != nil {
		return platform.Routes{}, nil, err
	}
	route, err := client.Routes().Get(ctx, inv.Args()[0])
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
	if err := inv.inputJSON(inv.Args()[1], &next); err != nil {
		return err
	}
	routes, route, err := inv.route(ctx)
	if err != nil {
		return err
	}
	if next.ID != "" && next.ID != route.ID {
		return fmt.Errorf("%s is of the route %s, not of %s", inv.Args()[1], next.ID, route.ID)
	}
	next.ID = route.ID
	if err := routes.Update(ctx, route.ID, next); err != nil {
		return err
	}
	return inv.routeDone("updated", route.ID, next.Code)
}

func patchRoute(ctx context.Context, inv *invocation) error {
	var patch []platform.PatchOperation
	if err := inv.inputJSON(inv.Args()[1], &patch); err != nil {
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
	if err := inv.Confirm("Delete route " + inv.Args()[0] + "?"); err != nil {
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

// routeDone reports a change of a route.
func (inv *invocation) routeDone(done, uid, code string) error {
	what := "route " + uid
	if code != "" {
		what += " (" + code + ")"
	}
	return inv.did(done, what, map[string]string{"uid": uid, "code": code})
}
