package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

var (
	// ErrType is returned for a document whose type has no search parameters.
	ErrType = errors.New("unknown resource type")
	// ErrTooManyValues is returned for a document with more entries than MaxEntries.
	ErrTooManyValues = errors.New("too many values for searches")
	// ErrTooMany is returned for a document with disproportionately many entries, such as thousands
	// of codings on both sides of a composite parameter.
	ErrTooMany = errors.New("too many combinations of values for a composite search parameter")
)

// MaxEntries is the number of entries of the index that a resource may have: its distinct values, and
// the distinct codes and urls among them once more. Other writers wait while they are written. A
// CodeSystem, ValueSet or ConceptMap may have MaxTerminologyEntries, because it is loaded rarely and
// has a code for each concept.
const (
	MaxEntries            = 50_000
	MaxTerminologyEntries = 1_000_000
)

func maxEntries(typ string) int {
	switch typ {
	case "CodeSystem", "ValueSet", "ConceptMap":
		return MaxTerminologyEntries
	}
	return MaxEntries
}

// tooManyValues returns the error for a document that exceeds maxEntries with a parameter.
func (x *Extractor) tooManyValues(typ string, parameter uint32) error {
	code, expression := "", ""
	for _, p := range x.tables.SearchParams(typ) {
		if p.Number == parameter {
			code, expression = p.Code, p.Expression
		}
	}
	return fmt.Errorf("%w: a resource of type %s may have %d entries in the index, and the values of %s (search parameter %s) exceed that; divide it into several resources",
		ErrTooManyValues, typ, maxEntries(typ), expression, code)
}

// An Extractor makes the Values of documents. It is safe for concurrent use.
type Extractor struct {
	tables   *definitions.Tables
	plans    map[string]func() (*plan, error)
	builders sync.Pool
	units    units
}

// NewExtractor returns an Extractor for the search parameters of tables. The parameters of a type
// are compiled when its first document is extracted.
func NewExtractor(t *definitions.Tables) *Extractor {
	x := &Extractor{tables: t, plans: map[string]func() (*plan, error){}}
	x.builders.New = func() any { return &builder{x: x, scope: fhirpath.NewScope(t)} }
	for _, typ := range t.Resources() {
		x.plans[typ] = sync.OnceValues(func() (*plan, error) { return newPlan(t, typ) })
	}
	return x
}

func (x *Extractor) plan(typ string) (*plan, error) {
	p := x.plans[typ]
	if p == nil {
		return nil, fmt.Errorf("%w: %q", ErrType, clip(typ))
	}
	return p()
}

// Field returns the index field of a search parameter.
func (x *Extractor) Field(p *definitions.SearchParam) Field {
	if plan, err := x.plan(p.Type); err == nil {
		if numbers := plan.fields[p.Number]; numbers != nil {
			f := NewField(numbers...)
			f.strings, f.phones = plan.loose[p.Number].strings, plan.loose[p.Number].phones
			return f
		}
	}
	return NewField(p.Number)
}

// Once reports whether a document has at most one date, number, quantity or reference for the
// parameter, so that the ranges of several criteria on it can be intersected.
func (x *Extractor) Once(p *definitions.SearchParam) bool {
	switch p.Kind {
	case definitions.Date, definitions.Number, definitions.Quantity, definitions.Reference:
		return once(x.tables, p)
	}
	return false
}

// Extract returns the values of all search parameters of a resource except _id and _lastUpdated,
// which are in its Record. It skips values that cannot be read, such as malformed dates. It returns
// ErrType, ErrTooMany, ErrTooManyValues, or the error of an expression.
func (x *Extractor) Extract(d *document.Document) (*Values, error) {
	p, err := x.plan(d.ResourceType())
	if err != nil {
		return nil, err
	}
	b := x.builders.Get().(*builder)
	defer x.builders.Put(b)
	return b.build(p, d)
}

// builder makes the Values of documents, one after the other.
type builder struct {
	x     *Extractor
	scope *fhirpath.Scope
	items []fhirpath.Item // of a parameter
	inner []fhirpath.Item // of a component
	area  []byte          // lists, each preceded by its length
	list  []byte
	sub   []byte
	rows  []row
	steps []listSpan // the list of each step of the plan
	lists []listSpan // each list in area

	quantities []measured // quantities that several parameters may share
}

// measured is the value of a quantity together with the ordinal of its element.
type measured struct {
	ordinal int
	value   Value
	ok      bool
}

// row is a parameter that has values.
type row struct{ number, offset uint32 }

// listSpan is a list in area, including its length; at is where the list begins after the length.
type listSpan struct{ from, at, end int }

func (b *builder) build(p *plan, d *document.Document) (*Values, error) {
	b.scope.Reset(d.Root())
	b.area, b.rows, b.steps, b.lists = b.area[:0], b.rows[:0], b.steps[:0], b.lists[:0]
	b.quantities = b.quantities[:0]
	w := entryWriter{arena: make([]byte, 0, 1024), entries: make([][]byte, 0, 24), terms: make([][]byte, 0, 8)}
	w.entries = append(w.entries, typeEntry(p.typ))
	for i := range p.steps {
		s := &p.steps[i]
		at, err := b.step(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.typ, err)
		}
		b.steps = append(b.steps, at)
		if at.end == at.at {
			continue
		}
		b.rows = append(b.rows, row{s.number, uint32(at.from)})
		if s.entries {
			if w.list(s.number, b.area[at.at:at.end]); w.pairs > maxPairs {
				return nil, fmt.Errorf("%s: %w", p.typ, ErrTooMany)
			}
			w.addTerms(s, b.area[at.at:at.end])
			if n := len(w.entries) + len(w.terms); n > maxEntries(p.typ) {
				return nil, b.x.tooManyValues(p.typ, s.number)
			}
		}
	}
	return &Values{data: b.bytes(), entries: w.entries, terms: w.terms}, nil
}

// bytes encodes the Values.
func (b *builder) bytes() []byte {
	data := make([]byte, 0, 3+8*len(b.rows)+len(b.area))
	data = append(data, valuesFormat)
	data = binary.LittleEndian.AppendUint16(data, uint16(len(b.rows)))
	for _, r := range b.rows {
		data = binary.LittleEndian.AppendUint32(data, r.number)
		data = binary.LittleEndian.AppendUint32(data, r.offset)
	}
	return append(data, b.area...)
}

// step returns the list of the values of a parameter.
func (b *builder) step(s *extraction) (listSpan, error) {
	if s.same >= 0 {
		return b.steps[s.same], nil
	}
	var err error
	if b.items, err = b.scope.Evaluate(b.items[:0], s.expression, b.scope.Root()); err != nil {
		return listSpan{}, err
	}
	if len(b.items) == 0 {
		return listSpan{}, nil
	}
	b.list = b.list[:0]
	for _, item := range b.items {
		if s.kind == definitions.Composite {
			err = b.composite(s, item)
		} else {
			b.list = b.convert(b.list, s.kind, item)
		}
		if err != nil {
			return listSpan{}, err
		}
	}
	clear(b.items)
	return b.place(), nil
}

// place reuses an equal list in the area, or appends the list to it.
func (b *builder) place() listSpan {
	if len(b.list) == 0 {
		return listSpan{}
	}
	for _, at := range b.lists {
		if bytes.Equal(b.area[at.at:at.end], b.list) {
			return at
		}
	}
	at := listSpan{from: len(b.area)}
	b.area = binary.AppendUvarint(b.area, uint64(len(b.list)))
	at.at = len(b.area)
	b.area = append(b.area, b.list...)
	at.end = len(b.area)
	b.lists = append(b.lists, at)
	return at
}

// composite appends the value of one element, if it has all components.
func (b *builder) composite(s *extraction, element fhirpath.Item) error {
	v := Value{Kind: Composite, components: b.sub[:0]}
	start := len(b.list)
	for _, c := range s.components {
		var err error
		if b.inner, err = b.scope.Evaluate(b.inner[:0], c.expression, element); err != nil {
			return err
		}
		for _, item := range b.inner {
			b.list = b.convert(b.list, c.kind, item)
		}
		clear(b.inner)
		if len(b.list) == start {
			return nil
		}
		v.components = appendBytes(v.components, b.list[start:])
		b.list = b.list[:start]
	}
	b.list = appendValue(b.list, &v)
	b.sub = v.components
	return nil
}
