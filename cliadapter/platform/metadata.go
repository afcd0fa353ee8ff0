package platform

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/catalogue"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

func (c commands) metadataCommand() *cli.Command {
	return &cli.Command{
		Name: "metadata", Usage: "Read metadata of the platform: data elements, users, dashboards, ...",
		Description: "TYPE is the plural name of a type, such as dataElements. Case does not matter, and the singular works too.",
		Subcommands: []*cli.Command{
			c.metadataListCommand(),
			c.Add(&cli.Command{
				Name: "get", Usage: "Show one object",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "fields", Usage: "`LIST` Fields to show, such as id,name,userRoles[id,name]. By default those that the server chooses."},
				},
			}, command.Details{
				Access:   command.Reads,
				Args:     []command.Argument{c.typeArgument(), {Name: "UID", Required: true, Usage: "Identifier of the object."}},
				Examples: []string{"roget metadata get dashboards Dsh00000001", "roget metadata get users Usr00000001 --fields username,userRoles[name] --json"},
				Run:      c.run(showObject),
			}),
			{
				Name: "type", Usage: "List the types of metadata",
				Subcommands: []*cli.Command{
					c.Add(&cli.Command{
						Name: "list", Aliases: []string{"ls"}, Usage: "List the names of the types",
						Description: "Lists the plural names of the types of metadata that the platform has, sorted. Without a profile, lists the common types.",
					}, command.Details{
						Access:   command.Reads,
						Examples: []string{"roget metadata type list"},
						Run:      c.run(listTypes),
					}),
				},
			},
		},
	}
}

func (c commands) typeArgument() command.Argument {
	return command.Argument{Name: "TYPE", Required: true, Usage: "Plural name of the type, such as dataElements.", Complete: command.Words(func(flag func(string) string) []string {
		return c.typesOffline(flag("profile")).Names()
	})}
}

// metadata connects, and returns the name of the type of the first argument in paths, with its
// known fields. It warns of unknown fields: platform toolkit, section 3.1.
func (inv *invocation) metadata(ctx context.Context, fields string) (platform.Metadata, string, error) {
	client, err := inv.platform(ctx)
	if err != nil {
		return platform.Metadata{}, "", err
	}
	types, err := inv.typesOf(client)
	if err != nil {
		return platform.Metadata{}, "", err
	}
	name := types.Collection(inv.Args()[0])
	inv.warnOfFields(types, name, fields)
	return client.Metadata(), name, nil
}

// warnOfFields warns of plain names of fields that no view of the type declares. A list
// with anything but plain names is not checked.
func (inv *invocation) warnOfFields(types *catalogue.Library, typ, fields string) {
	if fields == "" || strings.ContainsAny(fields, ":*![].~") {
		return
	}
	var plain []string
	for _, name := range strings.Split(fields, ",") {
		if name = strings.TrimSpace(name); name != "" {
			plain = append(plain, name)
		}
	}
	for _, name := range types.UnknownFields(typ, plain) {
		inv.Notice("warning: %s has no field %q that v%d is known to have%s", typ, name, types.Major, command.DidYouMean(command.Nearest(name, types.FieldNames(typ))))
	}
}

func showObject(ctx context.Context, inv *invocation) error {
	metadata, name, err := inv.metadata(ctx, inv.Text("fields"))
	if err != nil {
		return err
	}
	object, err := metadata.Get(ctx, name, inv.Args()[1], inv.Text("fields"))
	if err != nil {
		return err
	}
	rows, err := membersOf([]json.RawMessage{object})
	if err != nil {
		return err
	}
	table := &engine.Table{}
	for _, column := range columnsOf(inv.Text("fields"), rows) {
		table.Rows = append(table.Rows, []string{column, cell(rows[0][column])})
	}
	return inv.Show(object, table)
}

func listTypes(ctx context.Context, inv *invocation) error {
	var names []string
	client, err := inv.platform(ctx)
	if err == nil {
		names, err = client.Metadata().TypeNames(ctx)
	} else if _, none := errors.AsType[*profile.NoProfileError](err); none {
		types := inv.cli.typesOffline(inv.Nearest("profile"))
		inv.Notice("no profile is selected; listing the common types of v%d", types.Major)
		names, err = types.Names(), nil
	}
	if err != nil {
		return err
	}
	return inv.showNames(names)
}
