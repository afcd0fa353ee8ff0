package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

func (c commands) metadataListCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "list", Aliases: []string{"ls"}, Usage: "List the objects of a type, or count them",
		Description: "Lists the objects of a type, one per row, with the fields of --fields as columns. If a type does not seem to have a field, roget warns and requests the field anyway.\n\n" +
			"Filters have the form PROPERTY:OPERATOR:VALUE. Operators: eq ieq !eq like ilike $ilike ilike$ token gt ge lt le in:[a,b] !in null !null empty.",
		Flags: append(append([]cli.Flag{fieldsOption("id,name")}, collectionOptions()...), []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "Read all objects in pages of 500, for large collections. Without --order they are sorted by id."},
			&cli.BoolFlag{Name: "translate", Usage: "Print names and descriptions in the language of the user, or of --locale."},
			&cli.StringFlag{Name: "locale", Usage: "`LANG` Language of translations, such as fr."},
			&cli.BoolFlag{Name: "count", Usage: "Print only the number of objects."},
			&command.Flag{StringFlag: cli.StringFlag{Name: "output", Aliases: []string{"o"}, TakesFile: true, Usage: "`FILE` Write the objects to this file as a JSON array, reading pages of 500. An existing file is replaced when all objects are read."}, Writes: true},
		}...),
	}, command.Details{
		Access: command.Reads,
		Args:   []command.Argument{c.typeArgument()},
		Examples: []string{
			"roget metadata list dataElements",
			"roget metadata list users --fields id,username,userRoles[name] --filter username:ilike:ada --order username:asc",
			"roget metadata list organisationUnits --count",
			"roget metadata list dataElements --fields '*' --output elements.json",
		},
		Run: c.run(listObjects),
	})
}

// listing reads the flags about which objects are meant.
func (inv *invocation) listing() (o platform.ListOptions, err error) {
	o, err = inv.collection(inv.Text("fields"))
	o.Translate, o.Locale = inv.Is("translate"), inv.Text("locale")
	for _, pair := range [...][2]string{{"count", "output"}, {"count", "all"}, {"count", "page"}, {"count", "page-size"}, {"all", "page"}, {"all", "page-size"}} {
		if err == nil && inv.Given(pair[0]) && inv.Given(pair[1]) {
			err = command.Usagef("flags --%s and --%s cannot be used together", pair[0], pair[1])
		}
	}
	if err == nil && inv.Text("output") == "-" {
		err = command.Usagef("flag --output must be a file; to print the objects on standard output, use --all --json")
	}
	return o, err
}

func listObjects(ctx context.Context, inv *invocation) error {
	o, err := inv.listing()
	if err != nil {
		return err
	}
	fields := o.Fields
	if inv.Is("count") {
		fields = ""
	}
	metadata, name, err := inv.metadata(ctx, fields)
	if err != nil {
		return err
	}
	switch {
	case inv.Is("count"):
		total, err := metadata.Count(ctx, name, o)
		if err != nil {
			return err
		}
		return inv.Show(struct {
			Resource string `json:"resource"`
			Total    int    `json:"total"`
		}{name, total}, &engine.Table{Rows: [][]string{{fmt.Sprintf("%s: %d", name, total)}}})
	case inv.Given("output"):
		return inv.writeObjects(ctx, metadata, name, o)
	}
	objects, err := inv.objects(ctx, metadata, name, o)
	if err != nil {
		return err
	}
	table, err := tableOf(o.Fields, objects)
	if err != nil {
		return err
	}
	return inv.Show(objects, table)
}

// objects reads the objects that are to be listed.
func (inv *invocation) objects(ctx context.Context, metadata platform.Metadata, name string, o platform.ListOptions) ([]json.RawMessage, error) {
	if !inv.Is("all") {
		return metadata.List(ctx, name, o)
	}
	objects := []json.RawMessage{}
	err := metadata.Each(ctx, name, o, func(object json.RawMessage) error {
		objects = append(objects, object)
		return nil
	})
	return objects, err
}

// writeObjects writes the objects to a file, a page at a time.
func (inv *invocation) writeObjects(ctx context.Context, metadata platform.Metadata, name string, o platform.ListOptions) error {
	path := inv.Text("output")
	status := inv.Status()
	written := 0
	err := replaceFile(path, func(w io.Writer) (err error) {
		written, err = metadata.Write(ctx, &observed{w: w, tell: func(bytes int64) {
			status.Tell(fmt.Sprintf("%s: %d kB", name, bytes>>10))
		}}, name, o)
		return err
	})
	status.Clear()
	if err != nil {
		return err
	}
	return inv.Show(struct {
		Resource string `json:"resource"`
		Written  int    `json:"written"`
		Path     string `json:"path"`
	}{name, written, path}, &engine.Table{Rows: [][]string{{fmt.Sprintf("%s: %d written to %s", name, written, path)}}})
}
