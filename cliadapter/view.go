package cliadapter

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/view"
)

func (c builder) viewCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "view", Category: groupResources, Usage: "Print a table of resources as a ViewDefinition describes it",
		Description: "Runs a ViewDefinition of SQL on FHIR v2 over the stored resources, or over those in files, folders and Bundles, and prints " +
			"the rows while it reads. In paths, memberOf takes the url of a value set, also of an implicit one such as " +
			"http://snomed.info/sct?fhir_vs=ecl/..., and subsumes and subsumedBy take a Coding or 'system|code'.",
		Flags: append(storeOptions("Data folder with the resource store, and of roget load."),
			&cli.StringSliceFlag{Name: "load", Aliases: []string{"l"}, TakesFile: true, Usage: "`PATH` Read code systems and value sets from a file, folder or archive in a format of roget load."},
			&command.Flag{StringFlag: cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "csv", Usage: "`FORMAT` Format of the rows: csv, ndjson, or json for an array."}, Choices: []string{"csv", "ndjson", "json"}},
			&cli.BoolFlag{Name: "no-header", Usage: "Leave out the names of the columns in CSV."},
			&cli.StringFlag{Name: "limit", Value: "0", Usage: "`N` Maximum number of rows; 0 for all."},
			&cli.StringFlag{Name: "max-resource", Value: "256MiB", Usage: "`SIZE` Largest resource or Bundle in a file."},
			quietOption()),
	}, command.Details{
		Access: command.Reads,
		Args: []command.Argument{
			{Name: "FILE", Required: true, Usage: "File with the ViewDefinition."},
			{Name: "PATH", Many: true, Usage: "File or folder with resources, or - for standard input. By default the stored resources are read."},
		},
		Examples: []string{"roget view patients.json > patients.csv", "roget view pressures.json Observation.ndjson.gz -o ndjson", "zcat export.ndjson.gz | roget view conditions.json - --load ValueSet-diabetes.json"},
		Run:      c.run(func(ctx context.Context, inv *invocation) error { return inv.view(ctx) }),
	})
}

func (inv *invocation) view(ctx context.Context) error {
	o := view.Options{Format: inv.Text("output"), NoHeader: inv.Is("no-header")}
	var err error
	if o.Limit, err = inv.Integer("limit", 0); err != nil {
		return err
	}
	size, err := inv.Size("max-resource")
	if err != nil {
		return err
	}
	file, paths := inv.Args()[0], inv.Args()[1:]
	v, err := inv.readView(ctx, file)
	if err != nil {
		return err
	}
	obs := inv.observer()
	defer obs.finish()
	run := func(source view.Source) error {
		err := v.Run(ctx, o, source, inv.Out)
		if failed, is := errors.AsType[*view.Error](err); is {
			err = fmt.Errorf("%s: %w %s", file, err, failed.Resource)
		}
		return err
	}
	if len(paths) == 0 {
		return inv.resources(ctx, StoreOptions{Terminology: true}, obs, func(svc *resources.Service) error {
			obs.finish()
			o.Codes = svc.Terminology()
			return run(func(yield func([]byte) error) error {
				return svc.Each(ctx, v.Resource, func(r resources.Version) error { return yield(r.Body) })
			})
		})
	}
	return inv.ask(ctx, Sources{Base: true}, func(eng *engine.Engine) error {
		o.Codes = eng
		return run(func(yield func([]byte) error) error {
			_, err := bulk.Each(ctx, paths, bulk.Options{
				Stdin: inv.In, Progress: obs.Progress, Warn: obs.Warned, Limits: loader.Limits{MaxDocument: int(size)}, Unparsed: true,
			}, func(f bulk.Found) error {
				if f.Err != nil {
					return fmt.Errorf("%s: %w", placeText(f.File, f.Place), f.Err)
				}
				return yield(f.Body)
			})
			return err
		})
	})
}

// readView reads the file with a ViewDefinition.
func (inv *invocation) readView(ctx context.Context, path string) (v *view.View, err error) {
	_, err = bulk.Each(ctx, []string{path}, bulk.Options{Stdin: inv.In}, func(f bulk.Found) error {
		if f.Err == nil {
			v, f.Err = view.Parse(definitions.R4(), f.Document.Root())
		}
		return f.Err
	})
	if err == nil && v == nil {
		err = errors.New("there is no ViewDefinition")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return v, err
}
