package cliadapter

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"sort"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

func (c builder) impactCommand() *cli.Command {
	output := outputOptions()
	output[0].(*command.Flag).Usage = "`FORMAT` Output format: table for people, with the first concepts of each change; csv and ndjson, everything in rows; json."
	output[0].(*command.Flag).Choices = []string{"table", "csv", "json", "ndjson"}
	return c.Add(&cli.Command{
		Name: "impact", Category: groupQuery, Usage: "List what a new version of a code system changes",
		Description: "Compares two versions of a code system and lists the concepts that were added, removed or moved, or whose status, meaning " +
			"(definition, properties) or display is different, with what replaces them; the value sets, reference sets, concept maps and " +
			"expressions whose codes change; and the resources with codes that are inactive in the new version, or that it lacks. " +
			"The codes of a concept map are those that are active.\n\n" +
			"Resources are those of --store, by the codes that searches know, and those in the files of --resources, by all their Codings. " +
			"Replacements are historical associations of SNOMED CT, properties such as replacedBy, and concept maps from the code system to itself.\n\n" +
			"The exit code is 1 if anything but concepts is affected, 0 if not, 2 for wrong usage and 3 for a failure.\n\n" + shortNames,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringSliceFlag{Name: "value-sets", TakesFile: true, Usage: "`NAME` Examine these value sets only: a canonical, a short name, or a file or folder with value sets. By default all value sets and concept maps."},
			&cli.StringSliceFlag{Name: "ecl", Usage: "`EXPRESSION` Expression constraint to examine, too."},
			&cli.StringSliceFlag{Name: "resources", TakesFile: true, Usage: "`PATH` File or folder of resources to examine: NDJSON, Bundles, single resources."},
			&command.Flag{Env: "ROGET_STORE", StringFlag: cli.StringFlag{Name: "store", Usage: "`ADDRESS` Resource store to examine: sqlite:PATH or postgres://... By default none."}},
			storePasswordFlag(),
			&cli.StringFlag{Name: "first", Value: fmt.Sprint(engine.DefaultFirst), Usage: "`N` Codes and resources that are named of each difference."},
		}, sourceOptions(), output),
	}, command.Details{
		Access: command.Reads,
		Args: []command.Argument{
			{Name: "OLD", Required: true, Usage: "Version of a code system, as url|version or a short name, or the path of a release.", Complete: c.completeNames(kinds[0])},
			{Name: "NEW", Required: true, Usage: "The version to compare it with.", Complete: c.completeNames(kinds[0])},
		},
		Examples: []string{
			"roget impact 'icd-10-cm|2025' 'icd-10-cm|2026' --store sqlite:roget-data/resources.db",
			"roget impact old.zip new.zip --value-sets sets/ --resources patients.ndjson --output csv > impact.csv",
			"roget impact 'snomed|20250101' 'snomed|20260101' --ecl '<< 73211009'",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error { return inv.impact(ctx) }),
	})
}

func (inv *invocation) impact(ctx context.Context) error {
	first, err := inv.Integer("first", 1)
	if err != nil {
		return err
	}
	var paths []string
	for _, name := range slices.Concat(inv.Args(), inv.List("value-sets")) {
		if _, err := os.Stat(name); err == nil && !slices.Contains(paths, name) {
			paths = append(paths, name)
		}
	}
	read := map[string]*engine.Engine{}
	compare := func(eng *engine.Engine) error {
		for _, path := range paths {
			for _, typ := range kinds {
				if err := eng.Publish(read[path].Entries(typ)...); err != nil {
					return err
				}
			}
		}
		req := engine.ImpactRequest{Expressions: inv.List("ecl"), First: first}
		d := newDictionary(eng)
		for i, to := range []*string{&req.Old, &req.New} {
			what := [...]string{"OLD", "NEW"}[i]
			found, err := inv.named(d, read, what, kinds[0], inv.Args()[i])
			if err != nil {
				return err
			}
			if len(found) != 1 {
				return command.Usagef("%s: %s has %d code systems: load it with --load, and name the one to compare", what, inv.Args()[i], len(found))
			}
			*to = found[0]
		}
		for _, name := range inv.List("value-sets") {
			found, err := inv.named(d, read, "--value-sets", kinds[1], name)
			if err != nil {
				return err
			}
			req.ValueSets = append(req.ValueSets, found...)
		}
		if inv.Text("store") != "" || len(inv.List("resources")) > 0 {
			req.Uses = inv.uses
		}
		r, err := eng.Impact(ctx, &req)
		if err != nil {
			return explain(err, eng)
		}
		return inv.writeImpact(r)
	}
	return inv.reading(ctx, paths, read, func() error { return inv.ask(ctx, Sources{Base: true}, compare) })
}

// reading reads each path into an engine of its own, and calls next with all of them.
func (inv *invocation) reading(ctx context.Context, paths []string, read map[string]*engine.Engine, next func() error) error {
	if len(paths) == 0 {
		return next()
	}
	obs := inv.observer()
	defer obs.finish()
	return inv.cli.config.Backend.Query(ctx, Sources{Load: paths[:1]}, obs, func(eng *engine.Engine) error {
		obs.finish()
		read[paths[0]] = eng
		return inv.reading(ctx, paths[1:], read, next)
	})
}

// named returns the canonicals that an argument stands for: of what was read from a path, or of a name.
func (inv *invocation) named(d *dictionary, read map[string]*engine.Engine, what, typ, text string) (list []string, err error) {
	if read[text] == nil {
		canonical, err := inv.resolve(d, what, typ, text)
		return []string{canonical}, err
	}
	for _, e := range read[text].Entries(typ) {
		if e.HasCodes(true) {
			list = append(list, r4.JoinCanonical(e.Header.URL, e.Header.Version))
		}
	}
	return list, nil
}

// uses returns the codes of the resources of --store and --resources.
func (inv *invocation) uses(ctx context.Context, system string, asked func(string) bool, first int) (list []r4.CodeUse, err error) {
	if inv.Text("store") != "" {
		err = inv.resources(ctx, StoreOptions{}, inv.observer(), func(svc *resources.Service) error {
			list, err = svc.Uses(ctx, system, asked, first)
			return err
		})
	}
	files := inv.List("resources")
	if err != nil || len(files) == 0 {
		return list, err
	}
	f := fileUses{system: system, asked: asked, first: first, of: map[string]*r4.CodeUse{}}
	for i := range list {
		f.of[list[i].Code] = &list[i]
	}
	obs := inv.observer()
	defer obs.finish()
	_, err = bulk.Each(ctx, files, bulk.Options{Stdin: inv.In, Progress: obs.Progress, Warn: obs.Warned}, func(found bulk.Found) error {
		if found.Err != nil {
			return fmt.Errorf("%s, %s: %w", found.File, found.Place, found.Err)
		}
		f.resource(found.Document.Root())
		return nil
	})
	all := make([]r4.CodeUse, 0, len(f.of))
	for _, use := range f.of {
		all = append(all, *use)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Code < all[j].Code })
	return all, err
}

// fileUses counts the resources of files that have codes.
type fileUses struct {
	system string
	asked  func(string) bool
	first  int
	of     map[string]*r4.CodeUse
}

// resource counts a resource, or those of a Bundle.
func (f *fileUses) resource(v document.Value) {
	typ := v.Get("resourceType").Text()
	if typ == "Bundle" {
		for e := range v.Get("entry").Items() {
			f.resource(e.Get("resource"))
		}
		return
	}
	var codes []string
	f.collect(v, &codes)
	for _, code := range codes {
		if f.of[code] == nil {
			f.of[code] = &r4.CodeUse{Code: code, Types: map[string]int{}}
		}
		f.of[code].Add(typ, v.Get("id").Text(), f.first)
	}
}

// collect adds the codes of all Codings in a value, each once.
func (f *fileUses) collect(v document.Value, codes *[]string) {
	if v.Get("system").Text() == f.system {
		if code := v.Get("code").Text(); code != "" && !slices.Contains(*codes, code) && f.asked(code) {
			*codes = append(*codes, code)
		}
	}
	for child := range v.Children() {
		f.collect(child, codes)
	}
}

func (inv *invocation) writeImpact(r *engine.ImpactResult) error {
	var err error
	switch inv.Text("output") {
	case "json":
		err = inv.WriteValue(r)
	case "ndjson":
		for i := range r.Rows {
			if err = inv.WriteValue(&r.Rows[i]); err != nil {
				return err
			}
		}
	case "csv":
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		rows := [][]string{engine.ImpactColumns()}
		for i := range r.Rows {
			rows = append(rows, r.Rows[i].Cells())
		}
		if err = w.WriteAll(rows); err == nil {
			err = inv.writeCSV(out.String())
		}
	default:
		err = inv.WriteTable(r.Table())
	}
	if err == nil && !r.Yes() {
		err = command.ErrNo
	}
	return err
}
