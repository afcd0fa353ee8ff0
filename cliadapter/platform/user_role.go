package platform

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// userRoleCommand has the commands for roles, which grant authorities to users. Platform toolkit,
// section 3.1.
func (c commands) userRoleCommand() *cli.Command {
	role := command.Argument{Name: "ROLE", Required: true, Usage: "Uid of the role."}
	user := command.Argument{Name: "USER", Required: true, Usage: "Uid or username of the user."}
	return &cli.Command{
		Name: "role", Usage: "Manage user roles and their authorities",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "list", Aliases: []string{"ls"}, Usage: "List roles",
				Flags: collectionOptions(),
			}, command.Details{
				Access:   command.Reads,
				Examples: []string{"roget user role list"},
				Run:      c.run(listRoles),
			}),
			c.Add(&cli.Command{
				Name: "get", Usage: "Show a role with its authorities",
			}, command.Details{
				Access:   command.Reads,
				Args:     []command.Argument{role},
				Examples: []string{"roget user role get Rol00000001"},
				Run:      c.run(getRole),
			}),
			c.Add(&cli.Command{
				Name: "authority-list", Usage: "List the authorities of a role, or of the platform",
				Description: "Lists the authorities of a role, sorted. Without ROLE, lists all authorities of the platform with their names; " +
					"a platform of version 41 cannot do this, and responds with the error 500.",
			}, command.Details{
				Access:   command.Reads,
				Args:     []command.Argument{{Name: "ROLE", Usage: "Uid of the role. By default all authorities of the platform are listed."}},
				Examples: []string{"roget user role authority-list Rol00000001", "roget user role authority-list --json"},
				Run:      c.run(listAuthorities),
			}),
			c.Add(&cli.Command{
				Name: "add-user", Usage: "Give a user a role",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{role, user},
				Examples: []string{"roget user role add-user Rol00000001 ada"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					return inv.changeMember(ctx, "added", "to", func(c *platform.Client, role, user string) error {
						return c.UserRoles().AddUser(ctx, role, user)
					})
				}),
			}),
			c.Add(&cli.Command{
				Name: "remove-user", Usage: "Take a role from a user",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{role, user},
				Examples: []string{"roget user role remove-user Rol00000001 ada"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					return inv.changeMember(ctx, "removed", "from", func(c *platform.Client, role, user string) error {
						return c.UserRoles().RemoveUser(ctx, role, user)
					})
				}),
			}),
		},
	}
}

func listRoles(ctx context.Context, inv *invocation) error {
	client, o, err := inv.connectCollection(ctx, "id,name,displayName,description,authorities")
	if err != nil {
		return err
	}
	roles, err := client.UserRoles().List(ctx, o)
	if err != nil {
		return err
	}
	t := &engine.Table{Header: []string{"UID", "NAME", "AUTHORITIES", "DESCRIPTION"}}
	for _, r := range roles {
		t.Rows = append(t.Rows, []string{r.ID, r.Name, authorityCount(r.Authorities), dash(r.Description)})
	}
	return inv.Show(roles, t)
}

func getRole(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	role, err := client.UserRoles().Get(ctx, inv.Args()[0], "*")
	if err != nil {
		return err
	}
	t := &engine.Table{}
	add := labels(t)
	add("uid", role.ID)
	add("name", role.Name)
	add("description", role.Description)
	addAuthorities(t, role.Authorities)
	return inv.Show(role, t)
}

func listAuthorities(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	if args := inv.Args(); len(args) > 0 {
		list, err := client.UserRoles().Authorities(ctx, args[0])
		if err != nil {
			return err
		}
		return inv.showNames(slices.Sorted(slices.Values(list)))
	}
	list, err := client.Authorities().List(ctx)
	if err != nil {
		return inv.explainAuthorities(client, err)
	}
	t := &engine.Table{Header: []string{"AUTHORITY", "NAME"}}
	for _, a := range list {
		t.Rows = append(t.Rows, []string{a.ID, dash(a.Name)})
	}
	return inv.Show(list, t)
}

// explainAuthorities reports whether it is no accident when a platform of version 41 answers 500.
func (inv *invocation) explainAuthorities(client *platform.Client, err error) error {
	features, unbound := client.Features()
	api, ok := errors.AsType[*platform.APIError](err)
	if unbound == nil && !features.AuthoritiesList && ok && api.Status == http.StatusInternalServerError {
		inv.Notice("A platform of version %s cannot list all authorities, and responds with the error 500; name a role to list its authorities.", features.Major)
	}
	return err
}
