package view

import (
	"context"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

// Limits of the rows of one resource.
const (
	maxRows     = 1_000_000
	maxRepeated = 100_000 // items of a repeat
	maxRepeats  = 1_000   // its depth
)

// An EvaluationError is a path of a view that a resource does not fit.
type EvaluationError struct {
	Path, Text string
	// Resource is the resource, such as Patient/1.
	Resource string
	Err      error // may be nil
}

// Error returns the path and the problem, without the resource.
func (e *EvaluationError) Error() string { return e.Path + ": " + e.Text }

// Unwrap returns Err.
func (e *EvaluationError) Unwrap() error { return e.Err }

// A runner makes the rows of resources. It is for one goroutine.
type runner struct {
	view     *View
	ctx      context.Context
	scope    *fhirpath.Scope
	codes    codes
	write    func() // writes cells as a row
	cells    [][]fhirpath.Item
	rows     int // of the resource
	resource document.Value
}

func newRunner(ctx context.Context, v *View, o *Options) *runner {
	r := &runner{view: v, ctx: ctx, scope: fhirpath.NewScope(v.tables), cells: make([][]fhirpath.Item, len(v.Columns))}
	r.codes = codes{ctx: ctx, terminology: o.Codes}
	r.scope.Answer(r.codes.answer)
	r.scope.SetBases(o.Bases)
	return r
}

// do writes the rows of a resource, or of the resources in a Bundle.
func (r *runner) do(resource document.Value) error {
	typ := resource.Get("resourceType")
	if typ.Is("Bundle") && r.view.Resource != "Bundle" {
		for entry := range resource.Get("entry").Items() {
			if err := r.do(entry.Get("resource")); err != nil {
				return err
			}
		}
		return nil
	}
	if !typ.Is(r.view.Resource) {
		return nil
	}
	r.scope.Reset(resource)
	r.resource, r.rows = resource, 0
	for _, w := range r.view.where {
		items, err := r.evaluate(nil, w.each[0], r.scope.Root(), 0)
		if err != nil {
			return err
		}
		if len(items) > 1 || len(items) == 1 && items[0].Kind() != document.Bool {
			return r.fail(w.each[0], nil, "a condition must be true, false or empty, not %d items or another value; end it with exists()", len(items))
		}
		if len(items) == 0 || items[0].Text() != "true" {
			return nil
		}
	}
	return r.join(r.view.selects, r.scope.Root(), 0, r.emit)
}

func (r *runner) fail(at compiled, err error, format string, args ...any) error {
	key := r.view.Resource + "/" + r.resource.Get("id").Text()
	return &EvaluationError{Path: at.place, Text: fmt.Sprintf(format, args...), Resource: key, Err: err}
}

func (r *runner) evaluate(dst []fhirpath.Item, e compiled, focus fhirpath.Item, row int) ([]fhirpath.Item, error) {
	r.scope.SetRow(row)
	items, err := r.scope.Evaluate(dst, e.Expression, focus)
	if err == nil {
		err = r.codes.err
	}
	if err != nil && r.ctx.Err() == nil {
		return nil, r.fail(e, err, "%v", err)
	}
	return items, r.ctx.Err()
}

func (r *runner) emit() error {
	if r.rows++; r.rows > maxRows {
		return r.fail(compiled{place: "ViewDefinition"}, nil, "a resource has more than %d rows", maxRows)
	}
	if r.rows%1024 == 0 && r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	r.write()
	return nil
}

// join calls then for each combination of the rows of selects.
func (r *runner) join(selects []*part, focus fhirpath.Item, row int, then func() error) error {
	if len(selects) == 0 {
		return then()
	}
	if len(selects) == 1 {
		return r.part(selects[0], focus, row, then)
	}
	return r.part(selects[0], focus, row, func() error { return r.join(selects[1:], focus, row, then) })
}

// part calls then for each row of a select.
func (r *runner) part(s *part, focus fhirpath.Item, row int, then func() error) error {
	var items []fhirpath.Item
	var err error
	switch {
	case s.each != nil:
		items, err = r.evaluate(nil, s.each[0], focus, row)
	case s.repeat != nil:
		err = r.repeat(s, focus, row, &items, 0)
	default:
		return r.body(s, focus, row, then)
	}
	if err != nil {
		return err
	}
	for i, item := range items {
		if err := r.body(s, item, i, then); err != nil {
			return err
		}
	}
	if len(items) > 0 || !s.orNull {
		return nil
	}
	for i := s.from; i < s.to; i++ {
		r.cells[i] = r.cells[i][:0]
	}
	if err := r.indexes(s); err != nil {
		return err
	}
	return then()
}

// indexes sets the columns of a select, and of those in it that repeat nothing, that are %rowIndex.
func (r *runner) indexes(s *part) (err error) {
	for i, c := range s.columns {
		if strings.TrimSpace(c.String()) == "%rowIndex" && err == nil {
			r.cells[s.from+i], err = r.evaluate(r.cells[s.from+i], c, r.scope.Root(), 0)
		}
	}
	for _, inner := range s.selects {
		if inner.each == nil && inner.repeat == nil && err == nil {
			err = r.indexes(inner)
		}
	}
	return err
}

// repeat collects what the paths of a select find, and what they find in that.
func (r *runner) repeat(s *part, focus fhirpath.Item, row int, found *[]fhirpath.Item, depth int) error {
	for _, path := range s.repeat {
		items, err := r.evaluate(nil, path, focus, row)
		if err != nil {
			return err
		}
		for _, item := range items {
			if *found = append(*found, item); len(*found) > maxRepeated || depth > maxRepeats {
				return r.fail(path, nil, "it repeats without end: more than %d items, or %d in each other", maxRepeated, maxRepeats)
			}
			if err := r.repeat(s, item, row, found, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// body calls then for each row of a select for one item.
func (r *runner) body(s *part, focus fhirpath.Item, row int, then func() error) error {
	for i, c := range s.columns {
		items, err := r.evaluate(r.cells[s.from+i][:0], c, focus, row)
		if err == nil {
			err = r.fits(&r.view.Columns[s.from+i], c, items)
		}
		if err != nil {
			return err
		}
		r.cells[s.from+i] = items
	}
	if s.union == nil {
		return r.join(s.selects, focus, row, then)
	}
	return r.join(s.selects, focus, row, func() error {
		for _, u := range s.union {
			if err := r.part(u, focus, row, then); err != nil {
				return err
			}
		}
		return nil
	})
}

// fits returns an error if the values of a cell are not what the column is for.
func (r *runner) fits(c *Column, at compiled, items []fhirpath.Item) error {
	if len(items) > 1 && !c.Collection {
		return r.fail(at, nil, "the column %s has %d values in a row; set collection, or choose one, as with first()", c.Name, len(items))
	}
	for i := range items {
		item := &items[i]
		switch kind := item.Kind(); {
		case kind == document.Object && !item.Computed():
			if c.Type == "" || c.kind != document.Absent || item.TypeName() != c.Type && (item.Type == nil || item.Type.Base != c.Type) {
				return r.fail(at, nil, "the column %s has a value of type %s, which the type of the column must be", c.Name, item.TypeName())
			}
		case c.Type != "" && kind != document.Null && kind != document.Absent && kind != c.kind && !item.Computed():
			return r.fail(at, nil, "the column %s has a value of type %s, and not %s", c.Name, item.TypeName(), c.Type)
		}
	}
	return nil
}
