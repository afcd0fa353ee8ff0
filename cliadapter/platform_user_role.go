package cliadapter

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/engine"
)

// userRoleCommand is about roles, which give users authorities. Platform toolkit, section 3.1.
func userRoleCommand() *command {
	role := argument{name: "ROLE", required: true, usage: "uid of the role"}
	user := argument{name: "USER", required: true, usage: "uid or username"}
	return &command{
		name: "role", summary: "Roles of users and their authorities",
		commands: []*command{
			{
				name: "list", aliases: []string{"ls"}, access: accessRead, summary: "List roles",
				options: collectionOptions(), examples: []string{"roget user role list"},
				run: listRoles,
			},
			{
				name: "get", access: accessRead, summary: "Show a role with its authorities",
				args: []argument{role}, examples: []string{"roget user role get Rol00000001"},
				run: getRole,
			},
			{
				name: "authority-list", access: accessRead, summary: "List the authorities of a role, or all there are",
				doc: "Lists the authorities of a role, sorted; without a role all that the platform knows, with their names. A platform of " +
					"version 41 fails at the latter and answers 500.",
				args:     []argument{{name: "ROLE", usage: "uid of the role"}},
				examples: []string{"roget user role authority-list Rol00000001", "roget user role authority-list --json"},
				run:      listAuthorities,
			},
			{
				name: "add-user", access: accessWrite, summary: "Give a user a role",
				args: []argument{role, user}, examples: []string{"roget user role add-user Rol00000001 ada"},
				run: func(ctx context.Context, inv *invocation) error {
					return inv.changeMember(ctx, "added", "to", func(c *platform.Client, role, user string) error {
						return c.UserRoles().AddUser(ctx, role, user)
					})
				},
			},
			{
				name: "remove-user", access: accessWrite, summary: "Take a role from a user",
				args: []argument{role, user}, examples: []string{"roget user role remove-user Rol00000001 ada"},
				run: func(ctx context.Context, inv *invocation) error {
					return inv.changeMember(ctx, "removed", "from", func(c *platform.Client, role, user string) error {
						return c.UserRoles().RemoveUser(ctx, role, user)
					})
				},
			},
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
	return inv.show(roles, t)
}

func getRole(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	role, err := client.UserRoles().Get(ctx, inv.args()[0], "*")
	if err != nil {
		return err
	}
	t := &engine.Table{}
	add := labels(t)
	add("uid", role.ID)
	add("name", role.Name)
	add("description", role.Description)
	addAuthorities(t, role.Authorities)
	return inv.show(role, t)
}

func listAuthorities(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	if args := inv.args(); len(args) > 0 {
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
	return inv.show(list, t)
}

// explainAuthorities reports whether it is no accident when a platform of version 41 answers 500.
func (inv *invocation) explainAuthorities(client *platform.Client, err error) error {
	features, unbound := client.Features()
	api, ok := errors.AsType[*platform.APIError](err)
	if unbound == nil && !features.AuthoritiesList && ok && api.Status == http.StatusInternalServerError {
		inv.notice("A platform of version %s answers 500 to the list of all authorities, whoever asks; name a role to list those of the role.", features.Major)
	}
	return err
}
