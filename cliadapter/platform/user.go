package platform

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// userCommand is about accounts, and the groups and roles they are in. Platform toolkit,
// sections 3.1 and 3.4.
func (c commands) userCommand() *cli.Command {
	user := command.Argument{Name: "USER", Required: true, Usage: "Uid or username of the user."}
	return &cli.Command{
		Name: "user", Usage: "Manage the users, groups and roles of the platform",
		Subcommands: []*cli.Command{
			c.Add(&cli.Command{
				Name: "list", Aliases: []string{"ls"}, Usage: "List users",
				Description: "Lists all users that match the flags, or one page of them.",
				Flags:       append([]cli.Flag{fieldsOption("")}, collectionOptions()...),
			}, command.Details{
				Access:   command.Reads,
				Examples: []string{"roget user list --filter userRoles.name:eq:Superuser", "roget user list --page 1 --page-size 20 --json"},
				Run:      c.run(listUsers),
			}),
			c.Add(&cli.Command{
				Name: "get", Usage: "Show a user",
				Description: "Shows a user by uid or username. With --json, prints the complete record.",
				Flags:       []cli.Flag{fieldsOption("")},
			}, command.Details{
				Access:   command.Reads,
				Args:     []command.Argument{user},
				Examples: []string{"roget user get ada"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					_, user, err := inv.user(ctx, inv.Args()[0], cmp.Or(inv.Text("fields"), platform.UserFields))
					if err != nil {
						return err
					}
					return inv.Show(user, userTable(user))
				}),
			}),
			c.Add(&cli.Command{
				Name: "invite", Usage: "Invite a new user by mail",
				Description: "Creates a user, and makes the platform send an invitation by mail. Needs --first-name and --surname. Roles and organisation units are uids.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "first-name", Usage: "`NAME` First name. Required."},
					&cli.StringFlag{Name: "surname", Usage: "`NAME` Surname. Required."},
					&cli.StringFlag{Name: "username", Usage: "`NAME` Username. By default the invited person chooses it."},
					&cli.StringSliceFlag{Name: "role", Usage: "`UID` Role of the new user."},
					&cli.StringSliceFlag{Name: "org-unit", Usage: "`UID` Organisation unit of the new user."},
				},
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{{Name: "EMAIL", Required: true, Usage: "Mail address to send the invitation to."}},
				Examples: []string{"roget user invite ada@example.org --first-name Ada --surname Admin --role Rol00000002 --org-unit Org00000001"},
				Run:      c.run(inviteUser),
			}),
			c.Add(&cli.Command{
				Name: "reinvite", Usage: "Send the invitation of a user again",
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{user},
				Examples: []string{"roget user reinvite ada"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					return inv.mailUser(ctx, "reinvited", platform.Users.Reinvite)
				}),
			}),
			c.Add(&cli.Command{
				Name: "reset-password", Usage: "Send a user a mail to set a new password",
				Description: "Makes the platform send a mail with a link for setting a new password. Asks for confirmation.",
				Flags:       []cli.Flag{command.YesFlag()},
			}, command.Details{
				Access:   command.Writes,
				Args:     []command.Argument{user},
				Examples: []string{"roget user reset-password ada --yes"},
				Run: c.run(func(ctx context.Context, inv *invocation) error {
					if err := inv.Confirm(fmt.Sprintf("Reset the password of %s?", inv.Args()[0])); err != nil {
						return err
					}
					return inv.mailUser(ctx, "reset the password of", platform.Users.ResetPassword)
				}),
			}),
			c.userGroupCommand(),
			c.userRoleCommand(),
		},
	}
}

func listUsers(ctx context.Context, inv *invocation) error {
	client, o, err := inv.connectCollection(ctx, cmp.Or(inv.Text("fields"), "id,username,displayName,email,disabled,lastLogin"))
	if err != nil {
		return err
	}
	users, err := client.Users().List(ctx, o)
	if err != nil {
		return err
	}
	if fields := inv.Text("fields"); fields != "" {
		objects := make([]json.RawMessage, len(users))
		for i := range users {
			if objects[i], err = json.Marshal(users[i]); err != nil {
				return err
			}
		}
		t, err := tableOf(fields, objects)
		if err != nil {
			return err
		}
		return inv.Show(users, t)
	}
	t := &engine.Table{Header: []string{"UID", "USERNAME", "NAME", "EMAIL", "DISABLED", "LAST LOGIN"}}
	for _, u := range users {
		t.Rows = append(t.Rows, []string{u.ID, u.Username, dash(u.DisplayName), dash(u.Email), yesNo(u.Disabled), dash(u.LastLogin.String())})
	}
	return inv.Show(users, t)
}

// user finds an account by its uid or username.
func (inv *invocation) user(ctx context.Context, name, fields string) (*platform.Client, *platform.User, error) {
	client, err := inv.platform(ctx)
	if err != nil {
		return nil, nil, err
	}
	user, err := client.Users().Find(ctx, name, fields)
	return client, user, err
}

func inviteUser(ctx context.Context, inv *invocation) error {
	who := platform.Invitation{
		Email: inv.Args()[0], FirstName: inv.Text("first-name"), Surname: inv.Text("surname"), Username: inv.Text("username"),
		UserRoles: uids(inv.List("role")), OrganisationUnits: uids(inv.List("org-unit")),
	}
	switch {
	case !strings.Contains(who.Email, "@"):
		return command.Usagef("%q is not an email address", who.Email)
	case who.FirstName == "":
		return command.Usagef("flag --first-name is missing")
	case who.Surname == "":
		return command.Usagef("flag --surname is missing")
	}
	client, err := inv.platform(ctx)
	if err != nil {
		return err
	}
	uid, err := client.Users().Invite(ctx, who)
	if err != nil {
		return err
	}
	members := map[string]string{"email": who.Email}
	what := who.Email
	if uid != "" {
		members["uid"] = uid
		what += " (" + uid + ")"
	}
	return inv.did("invited", what, members)
}

func uids(list []string) []platform.Reference {
	refs := make([]platform.Reference, len(list))
	for i, uid := range list {
		refs[i].ID = uid
	}
	return refs
}

// mailUser has the platform send something to the user that the first argument names.
func (inv *invocation) mailUser(ctx context.Context, action string, send func(platform.Users, context.Context, string) error) error {
	name := inv.Args()[0]
	client, user, err := inv.user(ctx, name, "id,username")
	if err != nil {
		return err
	}
	if err := send(client.Users(), ctx, user.ID); err != nil {
		return err
	}
	return inv.did(action, name, map[string]string{"user": name, "uid": user.ID})
}

// userTable returns a table with a row for each property of a user, followed by the authorities.
func userTable(user *platform.User) *engine.Table {
	t := &engine.Table{}
	add := labels(t)
	add("uid", user.ID)
	add("username", user.Username)
	add("name", user.DisplayName)
	add("first name", user.FirstName)
	add("surname", user.Surname)
	add("email", user.Email)
	add("created", user.Created.String())
	add("last login", user.LastLogin.String())
	add("password last updated", user.PasswordLastUpdated.String())
	add("disabled", yesNo(user.Disabled))
	add("external authentication", yesNo(user.ExternalAuth))
	add("two-factor", twoFactor(user))
	add("roles", references(user.UserRoles))
	add("groups", references(user.UserGroups))
	add("organisation units", references(user.OrganisationUnits))
	add("data view units", references(user.DataViewOrganisationUnits))
	add("search units", references(user.TeiSearchOrganisationUnits))
	add("programs", references(user.Programs))
	if user.Authorities == nil {
		return t
	}
	addAuthorities(t, user.Authorities)
	return t
}

// addAuthorities adds a row with the number of authorities, and below it one for each.
func addAuthorities(t *engine.Table, authorities []string) {
	t.Rows = append(t.Rows, []string{"authorities", authorityCount(authorities)})
	for _, authority := range slices.Sorted(slices.Values(authorities)) {
		t.Rows = append(t.Rows, []string{"", authority})
	}
}

// authorityCount formats the number of authorities, and marks those of a superuser.
func authorityCount(authorities []string) string {
	count := engine.Thousands(len(authorities))
	if slices.Contains(authorities, superuser) {
		count += " (superuser: " + superuser + " stands for every authority)"
	}
	return count
}

// superuser is the authority that stands for all.
const superuser = "ALL"

// twoFactor returns the kind of a user's second factor, or where the record has only a flag,
// as on major 41, whether there is one.
func twoFactor(user *platform.User) string {
	if user.TwoFactorType != "" {
		return user.TwoFactorType
	}
	record, err := json.Marshal(user)
	if err != nil {
		return ""
	}
	if enabled, known := platform.Major(41).Codec().UserTwoFactor(record); known {
		return yesNo(enabled)
	}
	return ""
}
