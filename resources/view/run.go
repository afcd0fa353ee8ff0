package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
	"github.com/roget-health/roget/resources/r4"
)

// Options are how a view is run.
type Options struct {
	// Format is "csv", "ndjson" or "json", which is an array.
	Format string
	// NoHeader leaves out the first line of CSV, which has the names of the columns.
	NoHeader bool
	// Limit is the maximum number of rows, 0 for all.
	Limit int
	// Workers is how many resources are worked on at once, 0 for one for each processor.
	Workers int
	// Codes may be nil if the view does not ask for codes.
	Codes Terminology
	// Bases are the addresses of the server, for references; see fhirpath.Scope.SetBases.
	Bases []string
}

// Formats are the possible values of Options.Format with their media types.
func Formats() map[string]string {
	return map[string]string{"csv": "text/csv", "ndjson": "application/x-ndjson", "json": "application/json"}
}

// A Source calls yield with resources as JSON, of any type, until it returns an error. What it passes
// must not change afterwards.
type Source func(yield func(resource []byte) error) error

// batchBytes and batchCount are the size of the work that a worker takes at a time.
const (
	batchBytes = 256 << 10
	batchCount = 256
)

// A batch is some resources, and the rows that are made of them.
type batch struct {
	resources [][]byte
	bytes     int
	out       []byte
	ends      []int // of the rows in out
	err       error // about the resource after those rows
	done      chan struct{}
}

// errLimit ends a run with enough rows.
var errLimit = errors.New("enough rows")

// Run writes the rows of the resources that a source yields, and returns their number. Source and w
// are used in this goroutine. Errors are *InvalidError, *EvaluationError, and those of source, w and
// ctx.
func (v *View) Run(ctx context.Context, o Options, source Source, w io.Writer) (rows int, err error) {
	if err := v.Resolve(ctx, o.Codes); err != nil {
		return 0, err
	}
	workers := o.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	run := &run{o: &o, w: w, jobs: make(chan *batch, 2*workers)}
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer close(run.jobs)
	defer cancel()
	for range workers {
		working.Go(func() {
			form := newForm(ctx, v, &o)
			for b := range run.jobs {
				form.work(b)
				close(b.done)
			}
		})
	}
	if err := run.begin(v); err != nil {
		return 0, err
	}
	current := &batch{}
	err = source(func(resource []byte) error {
		current.resources = append(current.resources, resource)
		if current.bytes += len(resource); current.bytes < batchBytes && len(current.resources) < batchCount {
			return nil
		}
		full := current
		current = &batch{}
		return errors.Join(ctx.Err(), run.submit(full, 2*workers))
	})
	if err == nil {
		err = run.submit(current, 0)
	}
	if err != nil && !errors.Is(err, errLimit) {
		return run.rows, err
	}
	if o.Format == "json" {
		_, err = io.WriteString(w, "]\n")
		return run.rows, err
	}
	return run.rows, nil
}

// run is a Run.
type run struct {
	o       *Options
	w       io.Writer
	jobs    chan *batch
	waiting []*batch // in their order
	rows    int
}

// begin writes what comes before the rows.
func (r *run) begin(v *View) error {
	var head []byte
	switch {
	case r.o.Format == "json":
		head = append(head, '[')
	case r.o.Format == "csv" && !r.o.NoHeader:
		for i, c := range v.Columns {
			if i > 0 {
				head = append(head, ',')
			}
			head = append(head, c.Name...)
		}
		head = append(head, '\n')
	}
	_, err := r.w.Write(head)
	return err
}

// submit gives a batch to the workers, and writes the rows of the first ones until at most ahead wait.
func (r *run) submit(b *batch, ahead int) error {
	b.done = make(chan struct{})
	r.jobs <- b
	for r.waiting = append(r.waiting, b); len(r.waiting) >= max(ahead, 1); {
		first := r.waiting[0]
		r.waiting = r.waiting[1:]
		<-first.done
		if err := r.write(first); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) write(b *batch) error {
	count := len(b.ends)
	limited := r.o.Limit > 0 && r.rows+count >= r.o.Limit
	if limited {
		if count = r.o.Limit - r.rows; count == 0 {
			return errLimit
		}
		b.out = b.out[:b.ends[count-1]]
	}
	out := b.out
	if r.rows == 0 && r.o.Format == "json" && len(out) > 0 {
		out = out[len(",\n"):] // before the first row
	}
	r.rows += count
	_, err := r.w.Write(out)
	switch {
	case err != nil:
		return err
	case limited:
		return errLimit
	}
	return b.err
}

// A form writes rows in a format.
type form struct {
	*runner
	o     *Options
	names [][]byte // of columns as JSON with what is before and after them
	b     *batch
	space bytes.Buffer
}

func newForm(ctx context.Context, v *View, o *Options) *form {
	f := &form{runner: newRunner(ctx, v, o), o: o}
	f.write = f.jsonRow
	if o.Format == "csv" {
		f.write = f.csvRow
	}
	for i, c := range v.Columns {
		before := ","
		if i == 0 {
			before = "{"
		}
		f.names = append(f.names, []byte(before+strconv.Quote(c.Name)+":"))
	}
	return f
}

// work makes the rows of a batch.
func (f *form) work(b *batch) {
	f.b = b
	for _, resource := range b.resources {
		d, err := document.Parse(resource, r4.Limits{})
		if err != nil {
			b.err = fmt.Errorf("a resource is not JSON: %w", err)
			return
		}
		if b.err = f.ctx.Err(); b.err == nil {
			b.err = f.do(d.Root())
		}
		if b.err != nil {
			if n := len(b.ends); n > 0 {
				b.out = b.out[:b.ends[n-1]]
			} else {
				b.out = nil
			}
			return
		}
	}
	b.resources = nil
}

func (f *form) jsonRow() {
	b := f.b
	if f.o.Format == "json" {
		b.out = append(b.out, ",\n"...)
	}
	for i, items := range f.cells {
		b.out = append(b.out, f.names[i]...)
		switch {
		case f.view.Columns[i].Collection:
			f.list(items)
		case len(items) == 0:
			b.out = append(b.out, "null"...)
		default:
			f.value(&items[0])
		}
	}
	if b.out = append(b.out, '}'); f.o.Format == "ndjson" {
		b.out = append(b.out, '\n')
	}
	b.ends = append(b.ends, len(b.out))
}

func (f *form) list(items []fhirpath.Item) {
	f.b.out = append(f.b.out, '[')
	for i := range items {
		if i > 0 {
			f.b.out = append(f.b.out, ',')
		}
		f.value(&items[i])
	}
	f.b.out = append(f.b.out, ']')
}

// value appends a value as JSON.
func (f *form) value(item *fhirpath.Item) {
	b := f.b
	switch kind := item.Kind(); {
	case kind == document.Absent || kind == document.Null:
		b.out = append(b.out, "null"...)
	case kind == document.String || item.Computed() && kind == document.Object: // a quantity
		b.out = r4.AppendString(b.out, item.Text())
	case kind == document.Object:
		f.space.Reset()
		if json.Compact(&f.space, item.Value.Raw()) == nil {
			b.out = append(b.out, f.space.Bytes()...)
		}
	default:
		b.out = append(b.out, item.Text()...)
	}
}

// csvRow writes a row as RFC 4180 has it, with a line feed at its end. Lists and objects are JSON. A
// text without characters has quotes, null has none.
func (f *form) csvRow() {
	b := f.b
	for i, items := range f.cells {
		if i > 0 {
			b.out = append(b.out, ',')
		}
		switch {
		case f.view.Columns[i].Collection || len(items) > 0 && items[0].Kind() == document.Object && !items[0].Computed():
			from := len(b.out)
			if f.view.Columns[i].Collection {
				f.list(items)
			} else {
				f.value(&items[0])
			}
			text := string(b.out[from:])
			b.out = appendField(b.out[:from], text)
		case len(items) > 0 && items[0].Kind() != document.Null && items[0].Kind() != document.Absent:
			b.out = appendField(b.out, items[0].Text())
		}
	}
	b.out = append(b.out, '\n')
	b.ends = append(b.ends, len(b.out))
}

func appendField(dst []byte, text string) []byte {
	if text != "" && !strings.ContainsAny(text, ",\"\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for part := range strings.SplitAfterSeq(text, `"`) {
		if dst = append(dst, part...); strings.HasSuffix(part, `"`) {
			dst = append(dst, '"')
		}
	}
	return append(dst, '"')
}
