package cliadapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/cliadapter/lists"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
)

// queryList answers a list of codes.
func (inv *invocation) queryList(ctx context.Context, variants []*operation.Operation, flags map[string]string) error {
	q, err := inv.listQuestion()
	if err != nil {
		return err
	}
	c, err := inv.newListCall(variants, flags, &q)
	if err != nil {
		return err
	}
	if q.columns.Codes, c.fields, err = inv.codeColumns(c); err != nil {
		return err
	}
	source, err := lists.Open(q.path, inv.In)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	return inv.ask(ctx, Sources{Base: true}, func(eng *engine.Engine) error {
		c.env, c.names = operation.Env{Engine: eng.Under(c.rules)}, newLineNames(eng)
		if err := inv.renameGiven(c.op, c.constant, flags, eng); err != nil {
			return err
		}
		if q.options.Format != lists.NDJSON && !inv.IsSet("system-column") { // otherwise items have a code system of their own
			if err := c.probe(ctx); err != nil {
				return explain(missingFlag(err, c.op, flags, "", eng), eng)
			}
		}
		return inv.answerList(ctx, source, &q, c)
	})
}

// answerList reads the list and writes the answers.
func (inv *invocation) answerList(ctx context.Context, source *lists.Source, q *listQuestion, c *listCall) error {
	reader := lists.NewReader(source, q.options)
	layout, err := lists.Arrange(reader, q.options, q.columns)
	if err != nil {
		return err
	}
	if _, number := strconv.Atoi(q.columns.Codes[0].Name); q.columns.Codes[0].Name == "" || number == nil {
		inv.warnHeader(ctx, layout, c)
	}
	s := sheetOf(c.op.Command, propertiesOf(c))
	s.codes = c.fields
	form := lists.NewForm(inv.Text("output"), inv.listOutput(), s.all())
	err = inv.runList(ctx, source, reader, form, func() lists.Worker {
		w := &listWorker{call: c, picker: layout.Picker(), rows: newRowWriter(s, form)}
		return func(dst []byte, rec *lists.Record) ([]byte, lists.Verdict, error) { return w.answer(ctx, dst, rec) }
	})
	return explain(err, c.env.Engine)
}

// propertiesOf returns the values of the parameter property.
func propertiesOf(c *listCall) (names []string) {
	for _, g := range c.constant {
		if g.param == "property" {
			names = append(names, g.value)
		}
	}
	return names
}

// listOutput is where answers go.
func (inv *invocation) listOutput() lists.Output {
	return lists.Output{W: inv.Out, Terminal: inv.OutTerminal, Table: func(header []string, rows [][]string) error {
		return inv.WriteTable(&engine.Table{Header: header, Rows: rows})
	}}
}

// warnHeader warns if the header of a table seems to be a code.
func (inv *invocation) warnHeader(ctx context.Context, layout *lists.Layout, c *listCall) {
	name := layout.CodeColumn(0)
	if inv.Is("quiet") || name == "" || strings.EqualFold(name, "code") || len(c.fed) > 1 {
		return
	}
	var in operation.Input
	if result, err := c.ask(ctx, &in, &lists.Item{Codes: [2]string{name}}); err == nil && result.Yes() {
		inv.Notice("the first line was taken for the names of the columns, but %s is a code; with --no-header it is answered too", name)
	}
}

// A listWriter writes what the workers of a list append.
type listWriter interface {
	Begin() error
	Write(records []byte) error
	End() error
}

// runList answers the records of a list with workers, tells of broken ones, and ends with a
// summary. It returns command.ErrNo if an answer is no.
func (inv *invocation) runList(ctx context.Context, source *lists.Source, reader *lists.Reader, form listWriter, worker func() lists.Worker) error {
	report := listReport{inv: inv, source: source, began: time.Now(), status: inv.listStatus()}
	err := form.Begin()
	var tally lists.Tally
	if err == nil {
		tally, err = lists.Run(ctx, reader, lists.Job{Workers: runtime.GOMAXPROCS(0), Worker: worker, Write: form.Write, Report: report.tell})
	}
	if err == nil {
		err = form.End()
	}
	report.end(tally)
	switch {
	case isClosed(err): // nobody wants the rest
		err = nil
	case err != nil:
		return err
	case tally.Broken > 0:
		return fmt.Errorf("%s could not be answered", command.Counted(tally.Broken, "line"))
	}
	if tally.No > 0 {
		return command.ErrNo
	}
	return err
}

// isClosed reports whether an output was closed by its reader.
func isClosed(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
