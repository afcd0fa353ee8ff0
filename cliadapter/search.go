package cliadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// searchCommand is the command that finds codes by text, and resources when its argument is
// a search of resources.
const searchCommand = "search"

// searchesResources extends a command that searches codes so that it also searches resources,
// and returns its action.
func searchesResources(cmd *cli.Command, details *command.Details, codes func(context.Context, *invocation) error) func(context.Context, *invocation) error {
	cmd.Usage = "Search codes by text, or stored resources by FHIR search parameters"
	cmd.Description += "\n\nAn argument of the form TYPE?PARAMETER=VALUE searches the stored resources instead, as the HTTP service does: " +
		"Condition?code:below=http://snomed.info/sct|73211009, Patient/123/Observation?date=ge2024, or ?_type=... for several types. " +
		"Such a search takes only the flags --store, --store-password-file, --all, --explain, --data, --load, --output, --pretty and --quiet. Quote the argument, so that " +
		"the shell does not interpret ?, & and |.\n\n" +
		"The exit code is 1 if no code is found."
	cmd.Flags = append(cmd.Flags,
		&command.Flag{Env: "ROGET_STORE", StringFlag: cli.StringFlag{Name: "store", Usage: "`ADDRESS` Resource store: sqlite:PATH or postgres://... By default SQLite in the data folder."}},
		storePasswordFlag(),
		&cli.BoolFlag{Name: "explain", Usage: "Print how a page of resources is found instead: each step, the rows that are left, the records read, and milliseconds."},
		&cli.BoolFlag{Name: "all", Usage: "Print all resources found, not only the first page, whose size is _count."},
	)
	if i := slices.IndexFunc(cmd.Flags, func(f cli.Flag) bool { return f.Names()[0] == "output" }); i >= 0 {
		cmd.Flags[i] = &command.Flag{
			StringFlag: cli.StringFlag{
				Name: "output", Aliases: []string{"o"}, Value: "table",
				Usage: "`FORMAT` Output format: table for people; json for programs, the FHIR resource that the HTTP service returns; ndjson, the resources found, one per line.",
			},
			Choices: []string{"table", "json", "ndjson"},
		}
	}
	details.Examples = append(details.Examples,
		"roget search 'Condition?code:below=http://snomed.info/sct|73211009'",
		"roget search 'Observation?subject=Patient/123&date=ge2024&_sort=-date' --output ndjson --all",
	)
	return func(ctx context.Context, inv *invocation) error {
		if len(inv.Args()) == 1 {
			if r, ok := resourceSearch(inv.Args()[0]); ok {
				return inv.searchResources(ctx, r)
			}
		}
		if inv.Text("output") == "ndjson" {
			return command.Usagef("--output ndjson works only with a search of resources, as in search 'Patient?gender=female'")
		}
		return codes(ctx, inv)
	}
}

// A resourceQuery is a search of resources as it was written.
type resourceQuery struct {
	typ         string
	compartment *search.Compartment
	query       string
}

// resourceSearch parses Type?query, Type/id/Type?query and ?query. ok is false for other texts,
// such as words to search codes by.
func resourceSearch(text string) (q resourceQuery, ok bool) {
	path, query, found := strings.Cut(text, "?")
	if !found {
		return q, false
	}
	q.query = query
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(parts) == 3 {
		q.compartment = &search.Compartment{Type: parts[0], ID: parts[1]}
		parts = parts[2:]
	}
	q.typ = parts[0]
	if q.typ == "*" && q.compartment != nil {
		q.typ = ""
	}
	known := q.typ == "" || definitions.R4().IsResource(q.typ)
	return q, len(parts) == 1 && known && (q.typ != "" || strings.Contains(query, "="))
}

// searchResources runs a search and prints the matches.
func (inv *invocation) searchResources(ctx context.Context, q resourceQuery) error {
	for _, name := range inv.Set() {
		if name != "store" && name != "store-password-file" && name != "all" && name != "explain" && !slices.Contains(commonOptions, name) {
			return command.Usagef("--%s cannot be used with a search of resources", name)
		}
	}
	params, err := resources.ParseQuery(q.query)
	if err != nil {
		return &command.UsageError{Err: err}
	}
	obs := inv.observer()
	return inv.resources(ctx, StoreOptions{Terminology: true}, obs, func(svc *resources.Service) error {
		obs.finish()
		out := &foundWriter{inv: inv, form: inv.Text("output")}
		request := resources.SearchRequest{Type: q.typ, Params: params, Options: search.Options{Compartment: q.compartment, Explain: inv.Is("explain")}}
		for {
			page, err := svc.Search(ctx, request)
			switch {
			case errors.Is(err, issue.ErrUnknownSystem):
				return &hinted{err: err, hint: notLoaded(err, inv.Text("data"))}
			case errors.Is(err, search.ErrParameter), errors.Is(err, resources.ErrUnknownType):
				return &command.UsageError{Err: err}
			case err != nil:
				return err
			}
			if request.Options.Explain {
				return out.steps(page.Steps)
			}
			if err := out.page(page.Page); err != nil {
				return err
			}
			if !inv.Is("all") || page.Next == "" {
				return out.end(page.Page)
			}
			request.Params = append(slices.Clone(params), search.Param{Name: "_cursor", Value: page.Next})
		}
	})
}

// A foundWriter prints pages of a search in one of the forms.
type foundWriter struct {
	inv     *invocation
	form    string
	entries []json.RawMessage
	table   engine.Table
	matches int
	total   *int
	warned  bool
}

func (w *foundWriter) page(p *search.Page) error {
	if w.matches == 0 {
		w.total = p.Total
	}
	if !w.warned && !w.inv.Is("quiet") {
		w.warned = true
		for _, i := range p.Issues {
			fmt.Fprintf(w.inv.Err, "roget: search: %s: %s\n", i.Severity, command.Printable(i.Text))
		}
	}
	w.matches += len(p.Matches)
	for i := range p.Matches {
		if err := w.record(&p.Matches[i], "match"); err != nil {
			return err
		}
	}
	for i := range p.Included {
		if err := w.record(&p.Included[i], "include"); err != nil {
			return err
		}
	}
	return nil
}

func (w *foundWriter) record(r *index.Record, mode string) error {
	switch w.form {
	case "ndjson":
		line, err := compact(r.Body)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", r.Type, r.ID, err)
		}
		return command.Write(w.inv.Out, append(line, '\n'))
	case "json":
		w.entries = append(w.entries, fmt.Appendf(nil, `{"resource":%s,"search":{"mode":%q}}`, r.Body, mode))
	default:
		w.table.Rows = append(w.table.Rows, foundCells(r))
	}
	return nil
}

// steps prints how a page was found.
func (w *foundWriter) steps(steps []search.Step) error {
	if w.form != "table" {
		return w.inv.WriteValue(steps)
	}
	w.table.Header = []string{"STEP", "ROWS", "READ", "MS"}
	for _, s := range steps {
		w.table.Rows = append(w.table.Rows, []string{s.What, fmt.Sprint(s.Rows), fmt.Sprint(s.Read), fmt.Sprintf("%.3f", s.Ms)})
	}
	return w.inv.WriteTable(&w.table)
}

// end prints the collected matches. p is the last page.
func (w *foundWriter) end(p *search.Page) error {
	switch w.form {
	case "ndjson":
		return nil
	case "json":
		bundle := struct {
			Type  string            `json:"resourceType"`
			Kind  string            `json:"type"`
			Total *int              `json:"total,omitempty"`
			Entry []json.RawMessage `json:"entry,omitempty"`
		}{"Bundle", "searchset", w.total, w.entries}
		return w.inv.WriteValue(bundle)
	}
	if len(w.table.Rows) > 0 {
		w.table.Header = []string{"RESOURCE", "UPDATED", "STATUS", "WHAT", "ABOUT"}
	}
	total := "an unknown number"
	if w.total != nil {
		total = engine.Thousands(*w.total)
	}
	w.table.Footer = command.Counted(w.matches, "resource")
	if p.Next != "" {
		w.table.Footer = fmt.Sprintf("%s of %s (use --all to print all)", engine.Thousands(w.matches), total)
	}
	return w.inv.WriteTable(&w.table)
}

// notLoaded returns the hint of a search by codes of a code system that is not loaded.
func notLoaded(err error, data string) string {
	name, source := "the code system", "PATH"
	if strings.Contains(err.Error(), "http://snomed.info/") {
		name, source = "SNOMED CT", "RELEASE.zip"
	}
	return fmt.Sprintf("%s is not loaded: load it with roget load %s --data %s, or for this command alone with --load %s", name, source, data, source)
}
