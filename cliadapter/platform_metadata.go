package cliadapter

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/catalogue"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/engine"
)

func (c *CLI) metadataCommand() *command {
	return &command{
		name: "metadata", group: groupPlatform, summary: "Read metadata of the platform: data elements, users, dashboards, ...",
		doc: "Reads the collections of the platform. A type is named by its plural, such as dataElements; case does not matter, and a singular is understood.",
		commands: []*command{
			c.metadataListCommand(),
			{
				name: "get", access: accessRead, summary: "Show one object",
				args: []argument{typeArgument(), {name: "UID", required: true, usage: "Identifier of the object."}},
				options: options{
					{names: []string{"fields"}, value: true, hint: "LIST", usage: "Fields to show, such as id,name,userRoles[id,name]; else those the server gives."},
				},
				examples: []string{"roget metadata get dashboards Dsh00000001", "roget metadata get users Usr00000001 --fields username,userRoles[name] --json"},
				run:      showObject,
			},
			{
				name: "type", summary: "The types there are",
				commands: []*command{{
					name: "list", aliases: []string{"ls"}, access: accessRead, summary: "List the names of the types",
					doc:      "Lists the plurals of the types of metadata that the server has, sorted. Without a profile, those that are common.",
					examples: []string{"roget metadata type list"},
					run:      listTypes,
				}},
			},
		},
	}
}

func typeArgument() argument {
	return argument{name: "TYPE", required: true, usage: "Plural of the type, such as dataElements.", complete: func(inv *invocation) []string {
		return inv.typesOffline().Names()
	}}
}

// metadata connects, and gives the name of the type of the first argument in paths, with
// what is known of it. It warns of fields that nobody knows: platform toolkit, section 3.1.
func (inv *invocation) metadata(ctx context.Context, fields string) (platform.Metadata, string, error) {
	client, err := inv.platform(ctx)
	if err != nil {
		return platform.Metadata{}, "", err
	}
	types, err := inv.typesOf(client)
	if err != nil {
		return platform.Metadata{}, "", err
	}
	name := types.Collection(inv.args()[0])
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
		inv.notice("warning: %s has no field %q that v%d is known to have%s", typ, name, types.Major, didYouMean(nearest(name, types.FieldNames(typ))))
	}
}

func showObject(ctx context.Context, inv *invocation) error {
	metadata, name, err := inv.metadata(ctx, inv.text("fields"))
	if err != nil {
		return err
	}
	object, err := metadata.Get(ctx, name, inv.args()[1], inv.text("fields"))
	if err != nil {
		return err
	}
	rows, err := membersOf([]json.RawMessage{object})
	if err != nil {
		return err
	}
	table := &engine.Table{}
	for _, column := range columnsOf(inv.text("fields"), rows) {
		table.Rows = append(table.Rows, []string{column, cell(rows[0][column])})
	}
	return inv.show(object, table)
}

func listTypes(ctx context.Context, inv *invocation) error {
	var names []string
	client, err := inv.platform(ctx)
	if err == nil {
		names, err = client.Metadata().TypeNames(ctx)
	} else if _, none := errors.AsType[*profile.NoProfileError](err); none {
		types := inv.typesOffline()
		inv.notice("there is no profile, so no server is asked: types of v%d that are common", types.Major)
		names, err = types.Names(), nil
	}
	if err != nil {
		return err
	}
	return inv.showNames(names)
}
