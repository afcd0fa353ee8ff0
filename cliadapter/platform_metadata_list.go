package cliadapter

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/engine"
)

func (c *CLI) metadataListCommand() *command {
	return &command{
		name: "list", aliases: []string{"ls"}, access: accessRead, summary: "List the objects of a type, or count them",
		doc: "Lists the objects of a type, a row each, with the fields asked for as columns. A plain name of a field that the type is not known to have is warned of, and asked for all the same.\n\n" +
			"Filters are property:operator:value. Operators: eq ieq !eq like ilike $ilike ilike$ token gt ge lt le in:[a,b] !in null !null empty.",
		args: []argument{typeArgument()},
		options: append(append(options{fieldsOption("id,name")}, collectionOptions()...), options{
			{names: []string{"all"}, usage: "Read all objects in pages of 500, for large collections. Without --order they come by id."},
			{names: []string{"translate"}, usage: "Names and descriptions in the language of the user, or of --locale."},
			{names: []string{"locale"}, value: true, hint: "LANG", usage: "Language of translations, such as fr."},
			{names: []string{"count"}, usage: "Print only how many objects there are. Takes one request."},
			{names: []string{"output", "o"}, value: true, hint: "FILE", files: true, writes: true, usage: "Write a JSON array to a file instead, in pages of 500. The file is replaced when all is there."},
		}...),
		examples: []string{
			"roget metadata list dataElements",
			"roget metadata list users --fields id,username,userRoles[name] --filter username:ilike:ada --order username:asc",
			"roget metadata list organisationUnits --count",
			"roget metadata list dataElements --fields '*' --output elements.json",
		},
		run: listObjects,
	}
}

// listing reads the flags about which objects are meant.
func (inv *invocation) listing() (o platform.ListOptions, err error) {
	o, err = inv.collection(inv.text("fields"))
	o.Translate, o.Locale = inv.is("translate"), inv.text("locale")
	for _, pair := range [...][2]string{{"count", "output"}, {"count", "all"}, {"count", "page"}, {"count", "page-size"}, {"all", "page"}, {"all", "page-size"}} {
		if err == nil && inv.given(pair[0]) && inv.given(pair[1]) {
			err = usagef("flags --%s and --%s exclude each other", pair[0], pair[1])
		}
	}
	if err == nil && inv.text("output") == "-" {
		err = usagef("flag --output is a file; give --all --json instead to have the objects on standard output")
	}
	return o, err
}

func listObjects(ctx context.Context, inv *invocation) error {
	o, err := inv.listing()
	if err != nil {
		return err
	}
	fields := o.Fields
	if inv.is("count") {
		fields = ""
	}
	metadata, name, err := inv.metadata(ctx, fields)
	if err != nil {
		return err
	}
	switch {
	case inv.is("count"):
		total, err := metadata.Count(ctx, name, o)
		if err != nil {
			return err
		}
		return inv.show(struct {
			Resource string `json:"resource"`
			Total    int    `json:"total"`
		}{name, total}, &engine.Table{Rows: [][]string{{fmt.Sprintf("%s: %d", name, total)}}})
	case inv.given("output"):
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
	return inv.show(objects, table)
}

// objects reads the objects that are to be listed.
func (inv *invocation) objects(ctx context.Context, metadata platform.Metadata, name string, o platform.ListOptions) ([]json.RawMessage, error) {
	if !inv.is("all") {
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
	path := inv.text("output")
	progress := inv.observer()
	written := 0
	err := replaceFile(path, func(w io.Writer) (err error) {
		written, err = metadata.Write(ctx, &observed{w: w, tell: func(bytes int64) {
			if progress.bars {
				progress.tell(fmt.Sprintf("%s: %d kB", name, bytes>>10))
			}
		}}, name, o)
		return err
	})
	progress.clear()
	if err != nil {
		return err
	}
	return inv.show(struct {
		Resource string `json:"resource"`
		Written  int    `json:"written"`
		Path     string `json:"path"`
	}{name, written, path}, &engine.Table{Rows: [][]string{{fmt.Sprintf("%s: %d written to %s", name, written, path)}}})
}
