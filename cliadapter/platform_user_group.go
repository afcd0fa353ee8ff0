package cliadapter

import (
	"context"
	"fmt"
	"strconv"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/engine"
)

// userGroupCommand is about groups of users. Platform toolkit, section 3.1.
func userGroupCommand() *command {
	group := argument{name: "GROUP", required: true, usage: "uid of the group"}
	user := argument{name: "USER", required: true, usage: "uid or username"}
	return &command{
		name: "group", summary: "Groups of users: members and sharing",
		commands: []*command{
			{
				name: "list", aliases: []string{"ls"}, access: accessRead, summary: "List groups of users",
				options: collectionOptions(), examples: []string{"roget user group list --order name:asc"},
				run: listGroups,
			},
			{
				name: "get", access: accessRead, summary: "Show a group with its members",
				args: []argument{group}, examples: []string{"roget user group get Grp00000001"},
				run: getGroup,
			},
			{
				name: "add-member", access: accessWrite, summary: "Put a user into a group",
				args: []argument{group, user}, examples: []string{"roget user group add-member Grp00000001 ada"},
				run: func(ctx context.Context, inv *invocation) error {
					return inv.changeMember(ctx, "added", "to", func(c *platform.Client, group, user string) error {
						return c.UserGroups().AddMember(ctx, group, user)
					})
				},
			},
			{
				name: "remove-member", access: accessWrite, summary: "Take a user out of a group",
				args: []argument{group, user}, examples: []string{"roget user group remove-member Grp00000001 ada"},
				run: func(ctx context.Context, inv *invocation) error {
					return inv.changeMember(ctx, "removed", "from", func(c *platform.Client, group, user string) error {
						return c.UserGroups().RemoveMember(ctx, group, user)
					})
				},
			},
			{
				name: "sharing-get", access: accessRead, summary: "Show who may see and change a group",
				args: []argument{group}, examples: []string{"roget user group sharing-get Grp00000001"},
				run: func(ctx context.Context, inv *invocation) error {
					client, err := inv.platform(ctx)
					if err != nil {
						return err
					}
					sharing, err := client.UserGroups().Sharing(ctx, inv.args()[0])
					if err != nil {
						return err
					}
					return inv.show(sharing, sharingTable(sharing))
				},
			},
			{
				name: "sharing-grant-user", access: accessWrite, summary: "Let a user see or change a group",
				doc: "Gives a user access to a group, in place of what access the user had. Access is eight characters: r or -, w or - for " +
					"metadata, the same for data, and four hyphens.",
				args:     []argument{group, user},
				options:  options{{names: []string{"access"}, value: true, hint: "ACCESS", preset: "r-------", usage: "What the user may do."}},
				examples: []string{"roget user group sharing-grant-user Grp00000001 ada --access rw------"},
				run: func(ctx context.Context, inv *invocation) error {
					access := platform.Access(inv.text("access"))
					if err := access.Check(); err != nil {
						return usagef("flag --access: %w", err)
					}
					return inv.changeMember(ctx, "granted "+string(access)+" to", "on", func(c *platform.Client, group, user string) error {
						_, err := c.UserGroups().GrantUser(ctx, group, user, access)
						return err
					})
				},
			},
		},
	}
}

func listGroups(ctx context.Context, inv *invocation) error {
	client, o, err := inv.connectCollection(ctx, "id,name,displayName,code,users~size")
	if err != nil {
		return err
	}
	groups, err := client.UserGroups().List(ctx, o)
	if err != nil {
		return err
	}
	t := &engine.Table{Header: []string{"UID", "NAME", "CODE", "MEMBERS"}}
	for _, g := range groups {
		t.Rows = append(t.Rows, []string{g.ID, g.Name, dash(g.Code), dash(string(g.Extra["users"]))})
	}
	return inv.show(groups, t)
}

func getGroup(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	group, err := client.UserGroups().Get(ctx, inv.args()[0], "*,users[id,username,displayName]")
	if err != nil {
		return err
	}
	t := &engine.Table{}
	add := labels(t)
	add("uid", group.ID)
	add("name", group.Name)
	add("code", group.Code)
	add("members", strconv.Itoa(len(group.Users)))
	for _, user := range group.Users {
		t.Rows = append(t.Rows, []string{"", user.Label()})
	}
	return inv.show(group, t)
}

// changeMember does something with a group or role, the first argument, and a user, the
// second, and tells of it: "added ada to Grp00000001".
func (inv *invocation) changeMember(ctx context.Context, action, preposition string, change func(c *platform.Client, set, user string) error) error {
	set, name := inv.args()[0], inv.args()[1]
	client, user, err := inv.user(ctx, name, "id,username")
	if err != nil {
		return err
	}
	if err := change(client, set, user.ID); err != nil {
		return err
	}
	return inv.did(action, fmt.Sprintf("%s %s %s", name, preposition, set), map[string]string{"user": name, "uid": user.ID, "of": set})
}

func sharingTable(s *platform.Sharing) *engine.Table {
	t := &engine.Table{Header: []string{"WHO", "NAME", "ACCESS"}}
	add := func(who, name string, access string) {
		t.Rows = append(t.Rows, []string{who, dash(name), dash(access)})
	}
	if s.Owner != nil {
		add("owner", s.Owner.Label(), "")
	}
	add("public", "", string(s.PublicAccess))
	if s.ExternalAccess != nil {
		add("external", "", yesNo(*s.ExternalAccess))
	}
	for _, g := range s.UserAccesses {
		add("user", g.Label(), string(g.Access))
	}
	for _, g := range s.UserGroupAccesses {
		add("group", g.Label(), string(g.Access))
	}
	return t
}
