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
			f := runner{View: v, o: &o, ctx: ctx, scope: fhirpath.NewScope(v.tables), cells: make([][]fhirpath.Item, len(v.columns)), codes: codes{ctx: ctx, terminology: o.Codes}}
			f.scope.Answer(f.codes.answer)
			f.scope.SetBases(o.Bases)
			for f.b = range r.jobs {
				f.work()
				close(f.b.done)
			}
		})
	}
	if _, err := io.WriteString(w, r.head(v)); err != nil {
		return err
	}
	current := &batch{}
	err := source(func(resource []byte) error {
		current.resources = append(current.resources, resource)
		if current.bytes += len(resource); current.bytes < 256<<10 && len(current.resources) < 256 {
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

type run struct {
	o       *Options
	w       io.Writer
	jobs    chan *batch
	waiting []*batch // in their order
	rows    int
}

// head is what comes before the rows.
func (r *run) head(v *View) (head string) {
	if r.o.Format == "json" {
		return "["
	}
	if r.o.Format != "csv" || r.o.NoHeader {
		return ""
	}
	for _, c := range v.columns {
		head += "," + c.name
	}
	return head[1:] + "\n"
}

// submit hands a batch to the workers, and writes the rows of earlier ones until fewer than ahead wait.
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

// work makes the rows of the batch.
func (r *runner) work() {
	b := r.b
	for _, resource := range b.resources {
		d, err := document.Parse(resource, r4.Limits{})
		if err != nil {
			b.err = fmt.Errorf("a resource is not JSON: %w", err)
		} else if b.err = r.ctx.Err(); b.err == nil {
			b.err = r.do(d.Root())
		}
		if b.err != nil {
			return
		}
	}
	b.resources = nil
}

// row appends a row: an object, or a line of RFC 4180. There, lists and objects are JSON, and a text
// without characters has quotes, which null has not.
func (r *runner) row() {
	b, csv := r.b, r.o.Format == "csv"
	before := byte('{')
	if r.o.Format == "json" {
		b.out = append(b.out, ",\n"...)
	}
	for i, items := range r.cells {
		c := &r.columns[i]
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
				r.value(&items[j])
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
			r.value(&items[0])
		}
		if csv && len(b.out) > from && (b.out[from] == '[' || b.out[from] == '{') {
			b.out = appendField(b.out[:from], string(b.out[from:]))
		}
	}
	end := "\n"
	switch r.o.Format {
	case "json":
		end = "}"
	case "ndjson":
		end = "}\n"
	}
	b.out = append(b.out, end...)
	b.ends = append(b.ends, len(b.out))
}

// value appends a value as JSON.
func (r *runner) value(item *fhirpath.Item) {
	b := r.b
	switch kind := item.Kind(); {
	case isNull(item):
		b.out = append(b.out, "null"...)
	case kind == document.String || item.Computed() && !json.Valid([]byte(item.Text())): // 4 days, 007
		b.out = r4.AppendString(b.out, item.Text())
	case kind == document.Object:
		r.space.Reset()
		if json.Compact(&r.space, item.Value.Raw()) == nil {
			b.out = append(b.out, r.space.Bytes()...)
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
