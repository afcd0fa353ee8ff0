package cliadapter

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/bulk"
)

// maxRefusals is the number of refusals printed on standard error; --report has all.
const maxRefusals = 20

func (c builder) importCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "import", Category: groupResources, Usage: "Store resources from files, folders and bulk exports",
		Description: "Reads resources and stores them. A file has one resource in JSON or XML, or several in JSON, in a row or one per " +
			"line (.ndjson, .jsonl), and may be compressed with gzip. In folders and zip archives, roget reads the files whose names end in .json, " +
			".ndjson, .jsonl or .xml, optionally followed by .gz, and skips XML that is not FHIR. The argument - stands for standard " +
			"input, and the URL of the manifest of a bulk export ($export) for its files, which must be on the same host, or a " +
			"host of --host; " + importToken + " may have the token for them.\n\n" +
			"A Bundle of type transaction is stored completely or not at all; the entries of a batch are stored independently; the " +
			"resources of a collection or searchset are stored under their ids. Resources keep their ids, so an import can be repeated: " +
			"resources that are already stored stay unchanged. A resource with a conditional reference (Practitioner?identifier=...) " +
			"is stored after the resource that it refers to, in whatever order the files are read.\n\n" +
			"If a resource is refused, the others are stored nevertheless, and the exit code is 3. The first refused resources are " +
			"printed; --report writes all of them to a file. To continue an interrupted import, run the same command again: files that " +
			"were finished are skipped.",
		Flags: append(append(storeOptions("Data folder with the resource store. Created if it does not exist."), []cli.Flag{
			&cli.BoolFlag{Name: "new-ids", Usage: "Assign new ids to the resources that transactions and batches create, as the HTTP service does."},
			&cli.StringFlag{Name: "report", TakesFile: true, Usage: "`FILE` Write the refused resources to this file, as one JSON object per line with file, place, resources and error."},
			&cli.StringSliceFlag{Name: "host", Usage: "`HOST` Another host with files of a manifest, and its port if it has one."},
			&cli.BoolFlag{Name: "restart", Usage: "Read all files again, including those that an earlier import finished."},
			&cli.StringFlag{Name: "max-resource", Value: "256MiB", Usage: "`SIZE` Largest resource or bundle."},
			&cli.StringFlag{Name: "workers", Value: "0", Usage: "`N` Number of batches to store in parallel; 0 for the number of processors plus one."},
			validationOption(),
			lifecycleOption(),
		}...), outputOptions()...),
	}, command.Details{
		Access: command.Writes,
		Args:   []command.Argument{{Name: "PATH", Required: true, Many: true, Usage: "File or folder to read, URL of a manifest, or - for standard input."}},
		Examples: []string{
			"roget import synthea/",
			"roget import Patient.ndjson.gz Observation.ndjson.gz --store postgres://roget@db/roget",
			"zcat bundle.json.gz | roget import - --report refused.ndjson",
			"roget import http://127.0.0.1:8080/_export/0123456789abcdef0123456789abcdef",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error { return inv.importResources(ctx) }),
	})
}

// validationOption is the flag --validation.
func validationOption() cli.Flag {
	return &command.Flag{StringFlag: cli.StringFlag{Name: "validation", Value: "full", Usage: "full rejects resources that do not conform to R4, profiles also those that do not conform to stored profiles that they claim in meta.profile; relaxed stores whatever parses."}, Choices: []string{"full", "profiles", "relaxed"}}
}

// validation reads --validation.
func (inv *invocation) validation() (relaxed, profiles bool) {
	chosen := inv.Text("validation")
	return chosen == "relaxed", chosen == "profiles"
}

// lifecycleOption is the flag --lifecycle.
func lifecycleOption() cli.Flag {
	return &command.Flag{StringFlag: cli.StringFlag{Name: "lifecycle", Value: "enforce", Usage: "Reject a QuestionnaireResponse with a change of status that is not allowed, warn about it, or accept it."}, Choices: []string{"enforce", "warn", "off"}}
}

func (inv *invocation) importResources(ctx context.Context) (err error) {
	limit, err := inv.Size("max-resource")
	if err != nil {
		return err
	}
	workers, err := inv.Integer("workers", 0)
	if err != nil {
		return err
	}
	refusals, err := inv.refusals()
	if err != nil {
		return err
	}
	remote, err := inv.remote()
	if err != nil {
		return err
	}
	obs := inv.loud()
	var report bulk.Report
	o := StoreOptions{Write: true, Terminology: true, Lifecycle: inv.Text("lifecycle"), Data: inv.Text("data"), Store: inv.Text("store")}
	o.Relaxed, o.Profiles = inv.validation()
	err = inv.resources(ctx, o, obs, func(svc *resources.Service) error {
		obs.finish()
		journal := filepath.Join(inv.Text("data"), "import.journal")
		if inv.Is("restart") {
			if err := os.Remove(journal); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
		var err error
		report, err = bulk.Import(ctx, svc, inv.Args(), bulk.Options{
			Workers: workers, NewIDs: inv.Is("new-ids"), Journal: journal, Into: storeName(o), Stdin: inv.In, Remote: remote,
			Limits: loader.Limits{MaxDocument: int(limit)}, Progress: obs.Progress, Warn: obs.Warned,
			Refused: func(r bulk.Refusal) { refusals.add(obs, r) },
		})
		return err
	})
	obs.finish()
	if closeErr := refusals.close(obs); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return inv.writeStored(report, inv.Text("output"), command.Counted(report.Files, "file")+": ")
}

// A refusalLog prints the first refusals and writes all of them to a file.
type refusalLog struct {
	shown, all int
	file       *os.File
	out        *bufio.Writer
	err        error
}

func (inv *invocation) refusals() (*refusalLog, error) {
	l := &refusalLog{}
	path := inv.Text("report")
	if path == "" {
		return l, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) // it may identify patients
	if err != nil {
		return nil, err
	}
	l.file, l.out = file, bufio.NewWriter(file)
	return l, nil
}

// A refusalRow is one line of the report.
type refusalRow struct {
	File      string `json:"file"`
	Place     string `json:"place,omitempty"`
	Resources int    `json:"resources"`
	Error     string `json:"error"`
}

func (l *refusalLog) add(obs *observer, r bulk.Refusal) {
	l.all++
	if l.shown < maxRefusals {
		l.shown++
		obs.Failed(&r)
	}
	if l.out == nil || l.err != nil {
		return
	}
	text, err := json.Marshal(refusalRow{r.File, r.Place, r.Count, r.Err.Error()})
	if err == nil {
		_, err = l.out.Write(append(text, '\n'))
	}
	l.err = err
}

func (l *refusalLog) close(obs *observer) error {
	if rest := l.all - l.shown; rest > 0 && obs.lines {
		fmt.Fprintf(obs.err, "and %s; use --report to write all of them to a file\n", command.Counted(rest, "more refusal"))
	}
	if l.out == nil {
		return nil
	}
	for _, err := range []error{l.err, l.out.Flush(), l.file.Close()} {
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// writeStored prints the result of an import: a table whose footer begins with from, or JSON. It
// returns an error if resources were refused.
func (inv *invocation) writeStored(r bulk.Report, form, from string) error {
	err := inv.writeCounts(r, form, from)
	if err == nil && r.Refused > 0 {
		err = fmt.Errorf("%s refused", command.Counted(r.Refused, "resource"))
	}
	return err
}

func (inv *invocation) writeCounts(r bulk.Report, form, from string) error {
	if form == "json" {
		return inv.WriteValue(struct {
			bulk.Report
			Milliseconds int64 `json:"milliseconds"`
		}{r, r.Time.Milliseconds()})
	}
	t := &engine.Table{Header: []string{"TYPE", "RESOURCES"}}
	for _, typ := range slices.Sorted(maps.Keys(r.Types)) {
		t.Rows = append(t.Rows, []string{typ, engine.Thousands(r.Types[typ])})
	}
	t.Footer = fmt.Sprintf("%s%s stored, %s unchanged, %s refused in %s", from,
		engine.Thousands(r.Stored), engine.Thousands(r.Unchanged), engine.Thousands(r.Refused), rounded(r.Time))
	if seconds := r.Time.Seconds(); r.Stored > 1000 && seconds > 0 {
		t.Footer += fmt.Sprintf(", %s per second", engine.Thousands(int(float64(r.Stored)/seconds)))
	}
	if r.Deleted > 0 {
		t.Footer += fmt.Sprintf("; %s deleted", engine.Thousands(r.Deleted))
	}
	if r.Done > 0 {
		t.Footer += fmt.Sprintf("; %s skipped, finished by an earlier import (--restart reads all)", command.Counted(r.Done, "file"))
	}
	return inv.WriteTable(t)
}

func (c builder) exportCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "export", Category: groupResources, Usage: "Write the stored resources as NDJSON",
		Description: "Writes the current version of every stored resource, one per line, to standard output, or with --to to a folder " +
			"as one file TYPE.ndjson.gz for each type. roget import reads both. If a running server writes resources meanwhile, the " +
			"export may have them or not.",
		Flags: append(storeOptions("Data folder with the resource store."),
			&command.Flag{StringFlag: cli.StringFlag{Name: "to", TakesFile: true, Usage: "`DIR` Folder to write the files to. Created if it does not exist."}, Writes: true}, quietOption()),
	}, command.Details{
		Access:   command.Reads,
		Args:     []command.Argument{{Name: "TYPE", Many: true, Usage: "Type to export, such as Patient. By default all types are exported."}},
		Examples: []string{"roget export > all.ndjson", "roget export Patient Observation --to backup/"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			obs := inv.loud()
			return inv.resources(ctx, StoreOptions{}, obs, func(svc *resources.Service) error {
				obs.finish()
				types := svc.Types()
				for _, typ := range inv.Args() {
					if !slices.Contains(types, typ) {
						return command.Usagef("%q is not a resource type%s", typ, command.DidYouMean(command.Nearest(typ, types)))
					}
				}
				written := func(typ string, n int) {
					if obs.lines {
						fmt.Fprintf(inv.Err, "%s: %s\n", typ, command.Counted(n, "resource"))
					}
				}
				if folder := inv.Text("to"); folder != "" {
					return bulk.ExportFolder(ctx, svc, inv.Args(), folder, written)
				}
				return bulk.Export(ctx, svc, inv.Args(), inv.Out, written)
			})
		}),
	})
}
