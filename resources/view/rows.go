package view

import (
	"bytes"
	"context"
	"fmt"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

// Limits of a resource: rows, items of a repeat, and how deep they are in each other.
const (
	maxRows     = 1_000_000
	maxRepeated = 100_000
	maxRepeats  = 1_000
)

// A runner makes the rows of resources. It is for one goroutine.
type runner struct {
	*View
	o     *Options
	ctx   context.Context
	scope *fhirpath.Scope
	codes codes
	cells [][]fhirpath.Item // of a row
	rows  int               // of the resource
	b     *batch
	space bytes.Buffer
}

// do writes the rows of a resource, or of the resources in a Bundle.
func (r *runner) do(resource document.Value) error {
	typ := resource.Get("resourceType")
	if typ.Is("Bundle") && r.Resource != "Bundle" {
		for entry := range resource.Get("entry").Items() {
			if err := r.do(entry.Get("resource")); err != nil {
				return err
			}
		}
		return nil
	}
	if !typ.Is(r.Resource) {
		return nil
	}
	r.scope.Reset(resource)
	r.rows = 0
	for _, w := range r.where {
		items, err := r.evaluate(nil, w, r.scope.Root(), 0)
		if err == nil && (len(items) > 1 || len(items) == 1 && items[0].Kind() != document.Bool) {
			err = r.fail(w.place, nil, "a condition must be true, false or empty; end it with exists()")
		}
		if err != nil || len(items) == 0 || items[0].Text() != "true" {
			return err
		}
	}
	return r.join(r.selects, r.scope.Root(), 0, r.emit)
}

func (r *runner) fail(place string, err error, format string, args ...any) error {
	return &Error{Path: place, Text: fmt.Sprintf(format, args...), Resource: r.Resource + "/" + r.scope.Root().Value.Get("id").Text(), Err: err}
}

func (r *runner) evaluate(dst []fhirpath.Item, e compiled, focus fhirpath.Item, row int) ([]fhirpath.Item, error) {
	r.scope.SetRow(row)
	items, err := r.scope.Evaluate(dst, e.Expression, focus)
	if err == nil {
		err = r.codes.err
	}
	if err != nil && r.ctx.Err() == nil {
		err = r.fail(e.place, err, "%v", err)
	}
	return items, err
}

func (r *runner) emit() error {
	if r.rows++; r.rows > maxRows {
		return r.fail("ViewDefinition", nil, "a resource has more than %d rows", maxRows)
	}
	r.row()
	return r.ctx.Err()
}

// join calls then for each combination of the rows of selects.
func (r *runner) join(selects []*part, focus fhirpath.Item, row int, then func() error) error {
	if len(selects) == 0 {
		return then()
	}
	return r.part(selects[0], focus, row, func() error { return r.join(selects[1:], focus, row, then) })
}

// part calls then for each row of a select.
func (r *runner) part(s *part, focus fhirpath.Item, row int, then func() error) error {
	if s.each == nil && s.repeat == nil {
		return r.body(s, focus, row, then)
	}
	var items []fhirpath.Item
	err := r.repeat(s.repeat, focus, row, &items, 0)
	if s.each != nil {
		items, err = r.evaluate(nil, s.each[0], focus, row)
	}
	for i := 0; i < len(items) && err == nil; i++ {
		err = r.body(s, items[i], i, then)
	}
	if err != nil || len(items) > 0 || !s.orNull {
		return err
	}
	for i := s.from; i < s.to; i++ {
		r.cells[i] = r.cells[i][:0]
	}
	if err = r.indexes(s); err == nil {
		err = then()
	}
	return err
}

// indexes sets the columns of a select, and of those in it that repeat nothing, that are %rowIndex.
func (r *runner) indexes(s *part) (err error) {
	for i, c := range s.columns {
		if c.String() == "%rowIndex" && err == nil {
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

// repeat collects what paths find, and what they find in that.
func (r *runner) repeat(paths []compiled, focus fhirpath.Item, row int, found *[]fhirpath.Item, depth int) error {
	for _, path := range paths {
		items, err := r.evaluate(nil, path, focus, row)
		for _, item := range items {
			if *found = append(*found, item); len(*found) > maxRepeated || depth > maxRepeats {
				return r.fail(path.place, nil, "it repeats without end: more than %d items, or %d in each other", maxRepeated, maxRepeats)
			}
			if err == nil {
				err = r.repeat(paths, item, row, found, depth+1)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// body calls then for each row of a select for one item.
func (r *runner) body(s *part, focus fhirpath.Item, row int, then func() error) error {
	for i, c := range s.columns {
		items, err := r.evaluate(r.cells[s.from+i][:0], c, focus, row)
		if err == nil {
			err = r.fits(&r.columns[s.from+i], c.place, items)
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
func (r *runner) fits(c *column, place string, items []fhirpath.Item) error {
	if len(items) > 1 && !c.collection {
		return r.fail(place, nil, "the column %s has %d values in a row; set collection, or choose one, as with first()", c.name, len(items))
	}
	for i := range items {
		item := &items[i]
		kind := item.Kind()
		wrong := c.typ != "" && kind != document.Null && kind != document.Absent && kind != c.kind
		if kind == document.Object {
			wrong = c.typ == "" || item.TypeName() != c.typ && (item.Type == nil || item.Type.Base != c.typ)
		}
		if wrong && !item.Computed() {
			return r.fail(place, nil, "the column %s has a value of type %s, which is not that of the column", c.name, item.TypeName())
		}
	}
	return nil
}
