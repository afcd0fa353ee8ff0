package platform

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// userGroupCommand is about groups of users. Platform toolkit, section 3.1.
func (c commands) userGroupCommand() *cli.Command {
	group := command.Argument{Name: "GROUP", Required: true, Usage: "Uid of the group."}
	user := command.Argument{Name: "USER", Required: true, Usage: "Uid or username of the user."}
	return &cli.Command{
		Name: "group", Usage: "Manage user groups, their members and sharing",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "list", Aliases: []string{"ls"}, Usage: "List user groups",
				Flags: collectionOptions(),
			}, command.Details{
				Access:   command.Reads,
				Examples: []string{"roget user group list --order name:asc"},
				Run:      c.run(listGroups),
			}),
			c.Add(&cli.Command{
				Name: "get", Usage: "Show a group with its members",
			}, command.Details{
				Access:   command.Reads,
				Args:     []command.Argument{group},
				Examples: []string{"roget user group get Grp00000001"},
				Run:      c.run(getGroup),
			}),
			c.Add(&cli.Command{
				Name: "add-member", Usage: "Add a user to a group",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{group, user},
				Examples: []string{"roget user group add-member Grp00000001 ada"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					return inv.changeMember(ctx, "added", "to", func(c *platform.Client, group, user string) error {
						return c.UserGroups().AddMember(ctx, group, user)
					})
				}),
			}),
			c.Add(&cli.Command{
				Name: "remove-member", Usage: "Remove a user from a group",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{group, user},
				Examples: []string{"roget user group remove-member Grp00000001 ada"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					return inv.changeMember(ctx, "removed", "from", func(c *platform.Client, group, user string) error {
						return c.UserGroups().RemoveMember(ctx, group, user)
					})
				}),
			}),
			c.Add(&cli.Command{
				Name: "sharing-get", Usage: "Show who may see and change a group",
			}, command.Details{
				Access:   command.Reads,
				Args:     []command.Argument{group},
				Examples: []string{"roget user group sharing-get Grp00000001"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					client, err := inv.platform(ctx)
					if err != nil {
						return err
					}
					sharing, err := client.UserGroups().Sharing(ctx, inv.Args()[0])
					if err != nil {
						return err
					}
					return inv.Show(sharing, sharingTable(sharing))
				}),
			}),
			c.Add(&cli.Command{
				Name: "sharing-grant-user", Usage: "Let a user see or change a group",
				Description: "Sets the access of a user to a group, replacing the previous access. ACCESS has eight characters: r or -, then w or -, " +
					"for metadata; the same two for data; then four hyphens.",
				Flags: []cli.Flag{&cli.StringFlag{Name: "access", Value: "r-------", Usage: "`ACCESS` Access of the user, such as rw------."}},
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{group, user},
				Examples: []string{"roget user group sharing-grant-user Grp00000001 ada --access rw------"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					access := platform.Access(inv.Text("access"))
					if err := access.Check(); err != nil {
						return command.Usagef("flag --access: %w", err)
					}
					return inv.changeMember(ctx, "granted "+string(access)+" to", "on", func(c *platform.Client, group, user string) error {
						_, err := c.UserGroups().GrantUser(ctx, group, user, access)
						return err
					})
				}),
			}),
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
	return inv.Show(groups, t)
}

func getGroup(ctx context.Context, inv *invocation) error {
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	group, err := client.UserGroups().Get(ctx, inv.Args()[0], "*,users[id,username,displayName]")
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
	return inv.Show(group, t)
}

// changeMember changes the membership of a user, the second argument, in a group or role, the first
// one, and reports it: "added ada to Grp00000001".
func (inv *invocation) changeMember(ctx context.Context, action, preposition string, change func(c *platform.Client, set, user string) error) error {
	set, name := inv.Args()[0], inv.Args()[1]
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
