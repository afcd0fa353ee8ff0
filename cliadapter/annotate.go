package cliadapter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/cliadapter/lists"
	"github.com/roget-health/roget/engine"
)

// annotateName is the name of the command that adds columns to a table.
const annotateName = "annotate"

func (c builder) annotateCommand() *cli.Command {
	flags := []cli.Flag{
		&command.Flag{StringFlag: cli.StringFlag{Name: "add", Value: "display", Usage: "`FIELDS` What to add, with commas between: " + strings.Join(annotationNames(), ", ") + ". NAME=FIELD names the column."}, Complete: command.Words(func(func(string) string) []string { return annotationNames() })},
		columnFlag("column", "Column with the codes: its name, its number from 1, or in NDJSON the path of a member. By default the column code, or the only one; in NDJSON the line is a Coding."),
		&command.Flag{StringFlag: cli.StringFlag{Name: "system", Usage: "`URI` Code system of the codes, as url, url|version or a short name."}, Complete: c.completeNames(kinds[0])},
		&cli.StringFlag{Name: "version", Usage: "`VERSION` Version of the code system; the default version when absent."},
		columnFlag("system-column", "Column with the code system of each code. --system is for lines without one."),
		columnFlag("version-column", "Column with the version of the code system."),
		columnFlag("display-column", "Column with the display to check, for valid and message."),
		&command.Flag{StringFlag: cli.StringFlag{Name: "url", Usage: "`URI` Value set, for member, valid and message. Without it, valid is about the code system."}, Complete: c.completeNames(kinds[1])},
		&command.Flag{StringFlag: cli.StringFlag{Name: "map", Usage: "`URI` Concept map, for map."}, Complete: c.completeNames(kinds[2])},
		&cli.StringFlag{Name: "display-language", Usage: "`LANGUAGE` Language of the displays: a BCP 47 tag, or a list as in the Accept-Language header."},
		inputFlag([]string{string(lists.CSV), string(lists.TSV), string(lists.NDJSON)}, ".csv, .tsv, .tab, .ndjson, .jsonl. Otherwise CSV."),
	}
	flags = slices.Concat(flags, tableFlags(), sourceOptions(), []cli.Flag{quietOption()})
	return c.Add(&cli.Command{
		Name: annotateName, Category: groupQuery, Usage: "Add columns about the codes of a table",
		Description: "Copies a table to standard output and adds columns about the codes in one of its columns. What was there stays byte for byte: " +
			"quotes, delimiters, line endings, the byte order mark. With NDJSON, members are added to each object.\n\n" +
			"display, definition, inactive, abstract, status, system and version are those of the concept; parents, children and ancestors are codes; " +
			"designation:LANGUAGE are its designations in a language, and property:NAME the values of a property. " +
			"valid and message say what roget validate-code says, member whether the code is in the value set --url, and map its translations by the concept map --map. " +
			"Several values are separated by |.\n\n" +
			"Lines without a code get empty cells. A line that cannot be read, or that has more or fewer cells than the header, is copied as it is and reported with its number. " +
			"The exit code is 0 if all codes are known (and valid, members, translated, where that is asked), 1 if some are not, and 3 if lines are broken.",
		Flags: flags,
	}, command.Details{
		Access: command.Reads,
		Args:   []command.Argument{{Name: "FILE", Required: true, Usage: "Table to read, or - for standard input. It may be compressed with gzip."}},
		Examples: []string{
			"roget annotate visits.csv --column animal --add display,parents,inactive \\\n    --system https://roget.health/fhir/CodeSystem/animals",
			"roget annotate visits.csv --column animal --add label=display,designation:de,property:legs,member \\\n    --system https://roget.health/fhir/CodeSystem/animals --url https://roget.health/fhir/ValueSet/pets",
			"roget annotate colours.ndjson --add map --map https://roget.health/fhir/ConceptMap/triage-to-priority",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error { return inv.annotate(ctx) }),
	})
}

func (inv *invocation) annotate(ctx context.Context) error {
	path := inv.Args()[0]
	o, err := inv.listOptions(path)
	if err != nil {
		return err
	}
	if o.Format == lists.Lines {
		o.Format = lists.CSV
	}
	a, err := inv.newAnnotation()
	if err != nil {
		return err
	}
	source, err := lists.Open(path, inv.In)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	return inv.ask(ctx, Sources{Base: true}, func(eng *engine.Engine) error {
		a.engine = eng
		if err := a.rename(inv, eng); err != nil {
			return err
		}
		if err := a.check(ctx); err != nil {
			return explain(err, eng)
		}
		reader := lists.NewReader(source, o)
		layout, err := lists.Arrange(reader, o, lists.Columns{
			Codes: []lists.Column{inv.column("column")}, System: inv.column("system-column"), Version: inv.column("version-column"), Display: inv.column("display-column"),
		})
		if err != nil {
			return err
		}
		a.layout = layout
		if err := a.checkNames(); err != nil {
			return err
		}
		out := &annotated{inv: inv, source: source, header: a.header()}
		err = inv.runList(ctx, source, reader, out, func() lists.Worker {
			w := &annotator{annotation: a, picker: layout.Picker(), values: make([]lists.Value, len(a.fields))}
			return func(dst []byte, rec *lists.Record) ([]byte, lists.Verdict, error) { return w.answer(ctx, dst, rec) }
		})
		return explain(err, eng)
	})
}

// checkNames refuses names of new columns that the table has already.
func (a *annotation) checkNames() error {
	for i := range a.fields {
		if slices.Contains(a.layout.Header, a.fields[i].Name) {
			return command.Usagef("the table has a column %q already; name the new one, as in --add NAME=%s", a.fields[i].Name, a.fields[i].of)
		}
	}
	return nil
}

// header returns the header of the table with the new columns.
func (a *annotation) header() []byte {
	if a.layout.Header == nil {
		return nil
	}
	header := append(slices.Clone(a.layout.Before), a.layout.First.Text...)
	for i := range a.fields {
		header = lists.AppendCell(append(header, a.layout.Delimiter), a.fields[i].Name, a.layout.Delimiter)
	}
	return append(header, a.layout.First.End...)
}

// An annotated is the output of annotate.
type annotated struct {
	inv    *invocation
	source *lists.Source
	header []byte
	begun  bool
}

// Begin writes nothing: what comes first is known when the source was read.
func (o *annotated) Begin() error { return nil }

// Write writes records.
func (o *annotated) Write(records []byte) error {
	if !o.begun {
		o.begun = true
		if err := o.write(append([]byte(o.source.Mark()), o.header...)); err != nil {
			return err
		}
	}
	return o.write(records)
}

// write writes text as it is, or to a terminal what it can show.
func (o *annotated) write(text []byte) error {
	if o.inv.OutTerminal {
		text = shown(text)
	}
	return command.Write(o.inv.Out, text)
}

// shown returns a text for a terminal: without byte order mark and control characters other than
// tabs and line feeds.
func shown(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch r {
		case '\n', '\t':
			return r
		case '\r', '\ufeff':
			return -1
		}
		if command.Printable(string(r)) == " " {
			return ' '
		}
		return r
	}, text)
}

// End writes the header of a table without records.
func (o *annotated) End() error {
	if o.begun {
		return nil
	}
	return o.Write(nil)
}

// An annotator adds values to records. It is not safe for concurrent use.
type annotator struct {
	*annotation
	picker *lists.Picker
	item   lists.Item
	known  facts
	values []lists.Value
}

// Reasons why a record cannot be annotated.
var (
	errCells  = errors.New("the line has more or fewer cells than the header")
	errMember = errors.New("the object has a member of that name already; name the new one, as in --add NAME=FIELD")
	errObject = errors.New("members can be added to objects only")
)

// answer appends a record with its new values.
func (w *annotator) answer(ctx context.Context, dst []byte, rec *lists.Record) ([]byte, lists.Verdict, error) {
	same := func() []byte { return append(append(dst, rec.Text...), rec.End...) }
	if rec.Rest || w.picker.Blank(rec) {
		return same(), lists.Passed, nil
	}
	err := w.picker.Pick(rec, &w.item)
	if err == nil {
		err = w.fits(rec)
	}
	if err != nil {
		return same(), lists.Broken, err
	}
	clear(w.values)
	verdict := lists.Empty
	if w.item.Codes[0] != "" {
		if verdict, err = w.ask(ctx, &w.item, &w.known); verdict == lists.Broken && wholly(ctx, err) {
			return dst, verdict, &lists.Stop{Err: err}
		}
		for i := range w.fields {
			w.values[i] = w.fields[i].value(&w.known)
		}
	}
	return w.appendRecord(dst, rec), verdict, err
}

// fits reports why values cannot be added to a record.
func (w *annotator) fits(rec *lists.Record) error {
	switch {
	case w.layout.Delimiter == 0 && !bytes.HasPrefix(bytes.TrimSpace(rec.Text), []byte("{")):
		return errObject
	case w.layout.Delimiter == 0:
		for i := range w.fields {
			if w.picker.Has(w.fields[i].Name) {
				return fmt.Errorf("%w: %s", errMember, w.fields[i].Name)
			}
		}
	case w.layout.Header != nil && w.picker.Cells() != len(w.layout.Header):
		return fmt.Errorf("%w: it has %d, and the header %d", errCells, w.picker.Cells(), len(w.layout.Header))
	}
	return nil
}

// appendRecord appends the record and the values.
func (w *annotator) appendRecord(dst []byte, rec *lists.Record) []byte {
	if w.layout.Delimiter == 0 {
		return w.appendObject(dst, rec)
	}
	dst = append(dst, rec.Text...)
	for i := range w.values {
		dst = lists.AppendCell(append(dst, w.layout.Delimiter), w.values[i].Cell(), w.layout.Delimiter)
	}
	return append(dst, rec.End...)
}

// appendObject appends the object of a record and the values as its last members.
func (w *annotator) appendObject(dst []byte, rec *lists.Record) []byte {
	end := bytes.LastIndexByte(rec.Text, '}')
	dst = append(dst, rec.Text[:end]...)
	for i := range w.values {
		if i > 0 || w.picker.Members() > 0 {
			dst = append(dst, ',')
		}
		dst = lists.AppendMember(dst, &w.fields[i].Field, &w.values[i])
	}
	dst = append(dst, rec.Text[end:]...)
	return append(dst, rec.End...)
}
