package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
	"github.com/roget-health/roget/resources/r4"
)

// Options are how a view is run.
type Options struct {
	Format   string      // csv, ndjson, or json, which is an array
	NoHeader bool        // of CSV, which has the names of the columns
	Limit    int         // maximum number of rows, 0 for all
	Workers  int         // resources that are worked on at once, 0 for one for each processor
	Codes    Terminology // may be nil if the view does not ask for codes
	Bases    []string    // of the server; see fhirpath.Scope.SetBases
}

// A Source calls yield with resources as JSON, of any type, until it returns an error. They must not
// change afterwards.
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
	err       error // after those rows
	done      chan struct{}
}

// errLimit ends a run with enough rows.
var errLimit = errors.New("enough rows")

// Run writes the rows of the resources that a source yields. Source and w are used in this goroutine.
// Errors are *Error, and those of source, w and ctx.
func (v *View) Run(ctx context.Context, o Options, source Source, w io.Writer) error {
	if err := (&codes{ctx: ctx, terminology: o.Codes}).resolve(v.paths); err != nil {
		return err
	}
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	r := &run{o: &o, w: w, jobs: make(chan *batch, 2*o.Workers)}
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer close(r.jobs)
	defer cancel()
	for range o.Workers {
		working.Go(func() {
			f := newForm(ctx, v, &o)
			for b := range r.jobs {
				f.work(b)
				close(b.done)
			}
		})
	}
	if err := r.begin(v); err != nil {
		return err
	}
	current := &batch{}
	err := source(func(resource []byte) error {
		current.resources = append(current.resources, resource)
		if current.bytes += len(resource); current.bytes < batchBytes && len(current.resources) < batchCount {
			return nil
		}
		full := current
		current = &batch{}
		return errors.Join(ctx.Err(), r.submit(full, 2*o.Workers))
	})
	if err == nil {
		err = r.submit(current, 1)
	}
	if errors.Is(err, errLimit) {
		err = nil
	}
	if err == nil && o.Format == "json" {
		_, err = io.WriteString(w, "]\n")
	}
	return err
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
	head := ""
	if r.o.Format == "json" {
		head = "["
	} else if r.o.Format == "csv" && !r.o.NoHeader {
		for _, c := range v.columns {
			head += "," + c.name
		}
		head = head[1:] + "\n"
	}
	_, err := io.WriteString(r.w, head)
	return err
}

// submit gives a batch to the workers, and writes the rows of the first ones until less than ahead wait.
func (r *run) submit(b *batch, ahead int) error {
	b.done = make(chan struct{})
	r.jobs <- b
	for r.waiting = append(r.waiting, b); len(r.waiting) >= ahead; {
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
	out := b.out
	if left := r.o.Limit - r.rows; r.o.Limit > 0 && len(b.ends) >= left {
		out, b.err = out[:b.ends[left-1]], errLimit
	}
	if r.rows == 0 && r.o.Format == "json" {
		out = bytes.TrimPrefix(out, []byte(",\n"))
	}
	r.rows += len(b.ends)
	if _, err := r.w.Write(out); err != nil {
		return err
	}
	return b.err
}

// A form writes rows in a format.
type form struct {
	*runner
	o     *Options
	b     *batch
	space bytes.Buffer
}

func newForm(ctx context.Context, v *View, o *Options) *form {
	f := &form{o: o, runner: &runner{
		View: v, ctx: ctx, scope: fhirpath.NewScope(v.tables), cells: make([][]fhirpath.Item, len(v.columns)), codes: codes{ctx: ctx, terminology: o.Codes},
	}}
	f.scope.Answer(f.codes.answer)
	f.scope.SetBases(o.Bases)
	f.write = f.row
	return f
}

// work makes the rows of a batch.
func (f *form) work(b *batch) {
	f.b = b
	for _, resource := range b.resources {
		d, err := document.Parse(resource, r4.Limits{})
		if err != nil {
			b.err = fmt.Errorf("a resource is not JSON: %w", err)
		} else if b.err = f.ctx.Err(); b.err == nil {
			b.err = f.do(d.Root())
		}
		if b.err != nil {
			return
		}
	}
	b.resources = nil
}

// row writes a row: an object, or a line as RFC 4180 has it, with a line feed at its end. There, lists
// and objects are JSON, a text without characters has quotes, and null has none.
func (f *form) row() {
	b, csv := f.b, f.o.Format == "csv"
	before := byte('{')
	if f.o.Format == "json" {
		b.out = append(b.out, ",\n"...)
	}
	for i, items := range f.cells {
		c := &f.columns[i]
		if !csv {
			b.out = append(append(append(b.out, before, '"'), c.name...), `":`...)
		} else if i > 0 {
			b.out = append(b.out, ',')
		}
		before = ','
		from := len(b.out)
		switch {
		case c.collection:
			b.out = append(b.out, '[')
			for j := range items {
				if j > 0 {
					b.out = append(b.out, ',')
				}
				f.value(&items[j])
			}
			b.out = append(b.out, ']')
		case len(items) == 0 || isNull(&items[0]):
			if !csv {
				b.out = append(b.out, "null"...)
			}
		case csv && (items[0].Kind() != document.Object || items[0].Computed()):
			b.out = appendField(b.out, items[0].Text())
			continue
		default:
			f.value(&items[0])
		}
		if csv && len(b.out) > from && (b.out[from] == '[' || b.out[from] == '{') {
			b.out = appendField(b.out[:from], string(b.out[from:]))
		}
	}
	end := "\n"
	switch f.o.Format {
	case "json":
		end = "}"
	case "ndjson":
		end = "}\n"
	}
	b.out = append(b.out, end...)
	b.ends = append(b.ends, len(b.out))
}

// value appends a value as JSON.
func (f *form) value(item *fhirpath.Item) {
	b := f.b
	switch kind := item.Kind(); {
	case isNull(item):
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

func isNull(i *fhirpath.Item) bool {
	return i.Kind() == document.Absent || i.Kind() == document.Null
}

func appendField(dst []byte, text string) []byte {
	if text != "" && !strings.ContainsAny(text, ",\"\r\n") {
		return append(dst, text...)
	}
	return append(append(append(dst, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
}
