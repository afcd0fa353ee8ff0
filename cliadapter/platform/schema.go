package platform

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform/catalogue"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// A schemaAnswer is the JSON of the command schema. Platform toolkit, section 4.1.
type schemaAnswer struct {
	Name       string           `json:"name"`
	Source     catalogue.Source `json:"source"`
	Version    string           `json:"version"`
	FieldCount int              `json:"field_count"`
	Fields     []schemaField    `json:"fields"`
}

type schemaField struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Required    bool   `json:"required"`
	Description string `json:"description,omitempty"`
}

func (c commands) schemaCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "schema", Usage: "Describe the fields of a type of the platform",
		Description: "Prints the fields of a type: name, type, whether the field is required, and description. Case does not matter, and the plural works too.\n\n" +
			"The platform describes its types twice: oas, its OpenAPI document, has all types of its web API; schemas has the types of metadata. " +
			"The types of metadata are built into roget. Other types are read from the platform and cached for each version.\n\n" +
			"Without a profile, roget uses the version in PLATFORM_VERSION, or else v42.",
		Flags: []cli.Flag{
			&command.Flag{StringFlag: cli.StringFlag{Name: "source", Value: "auto", Usage: "Description to use. auto uses oas, and schemas for types that oas does not have."}, Choices: []string{"auto", "oas", "schemas"}},
			&cli.BoolFlag{Name: "live", Usage: "Read the type from the platform, even if it is built in or cached."},
		},
	}, command.Details{
		Access: command.Reads,
		Args: []command.Argument{
			{Name: "TYPE", Required: true, Usage: "Name of the type, such as DataElement or users.", Complete: command.Words(func(flag func(string) string) []string {
				return c.typesOffline(flag("profile")).TypeNames()
			})},
		},
		Examples: []string{"roget schema DataElement", "roget schema users --source schemas --json", "PLATFORM_VERSION=v43 roget schema OAuth2Client"},
		Run:      c.run(describeType),
	})
}

func describeType(ctx context.Context, inv *invocation) error {
	types, err := inv.typesOnline(ctx)
	if err != nil {
		return err
	}
	source := catalogue.Source(inv.Text("source"))
	if source == "auto" {
		source = ""
	}
	found, err := types.Lookup(ctx, inv.Args()[0], source, inv.Is("live"))
	if errors.Is(err, catalogue.ErrUnknownType) {
		return &command.UsageError{Err: err}
	}
	if err != nil {
		return err
	}
	for _, warning := range found.Warnings {
		inv.Notice("warning: %v", warning)
	}
	answer := schemaAnswer{Name: found.Type.Name, Source: found.Source, Version: found.Version, FieldCount: len(found.Type.Fields), Fields: []schemaField{}}
	table := &engine.Table{
		Title:  fmt.Sprintf("%s (%s, %s): %s", answer.Name, answer.Source, answer.Version, command.Counted(answer.FieldCount, "field")),
		Header: []string{"NAME", "TYPE", "REQUIRED", "DESCRIPTION"},
	}
	for _, f := range found.Type.Fields {
		answer.Fields = append(answer.Fields, schemaField{f.Name, f.Type, f.Required, f.Text()})
		required := ""
		if f.Required {
			required = "yes"
		}
		table.Rows = append(table.Rows, []string{f.Name, fewer(f.Type), required, f.Text()})
	}
	if found.From == catalogue.FromEmbedded {
		table.Footer = "As roget knows it; --live asks the server."
	}
	return inv.Show(answer, table)
}

// fewer leaves out values of a long enumeration, for a table. JSON has them all.
func fewer(typ string) string {
	const limit = 60
	if len(typ) <= limit {
		return typ
	}
	last, end := strings.LastIndex(typ[:limit], ", "), strings.LastIndexByte(typ, ')')
	if last < 0 || end < limit {
		return typ
	}
	return fmt.Sprintf("%s, +%d more%s", typ[:last], strings.Count(typ[last:end], ", "), typ[end:])
}
