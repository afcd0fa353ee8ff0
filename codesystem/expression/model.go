package expression

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Concepts of the concept model.
const (
	linkage         = "106237007"
	anyAttribute    = "410662002"
	objectAttribute = "762705008"
	dataAttribute   = "762706009"
)

// propertyDefined is the property of concepts that their attributes define.
const propertyDefined = "sufficientlyDefined"

// noConcept stands for the concept of a property that is none.
const noConcept = ^codesystem.Ord(0)

// A Model is an edition as expressions see it. It is immutable.
type Model struct {
	x          *codesystem.Index
	attributes []codesystem.Ord // by property number
	defined    *roaring.Bitmap
}

// NewModel returns the model of an index. Errors: codesystem.ErrDamaged.
func NewModel(ctx context.Context, x *codesystem.Index) (*Model, error) {
	m := &Model{x: x, defined: roaring.New()}
	for _, name := range x.PropertyNames() {
		o, ok := x.Find(name)
		if !ok {
			o = noConcept
		}
		m.attributes = append(m.attributes, o)
	}
	if prop, ok := x.PropertyNumber(propertyDefined); ok {
		for lo, hi := x.PairRange(prop); lo < hi; lo++ {
			if v := x.PairValue(lo); v.Text == "true" {
				set, err := x.PairHolders(ctx, []uint32{lo})
				if err != nil {
					return nil, err
				}
				m.defined = set
			}
		}
	}
	return m, nil
}

// A Meaning is an expression in an edition, or a concept as one. It is immutable.
type Meaning struct {
	model     *Model
	primitive bool
	focus     []codesystem.Ord
	written   []Group // its own attributes
	groups    []Group // with those of the focus, none implied by another
	above     map[codesystem.Ord]bool
	parents   []codesystem.Ord
	same      codesystem.Ord // the equivalent concept, or noConcept
	text      string         // the normal form, without terms
}

// A Group is attributes that hold together.
type Group []Attribute

// An Attribute is an attribute with its value.
type Attribute struct {
	Name  codesystem.Ord
	Value Value
}

// A Value is a literal, a nested expression, or else a concept.
type Value struct {
	Concept codesystem.Ord
	Nested  *Meaning
	Literal *r4.Value
}

// Bind checks the concepts of an expression and places it in the hierarchy. The error is a
// *BindError, or that of ctx.
func (m *Model) Bind(ctx context.Context, e *Expression) (*Meaning, error) {
	return m.bind(ctx, &e.sub, e.Primitive)
}

func (m *Model) bind(ctx context.Context, s *sub, primitive bool) (*Meaning, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := &Meaning{model: m, primitive: primitive}
	for _, r := range s.focus {
		o, err := m.find(r)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(n.focus, o) {
			n.focus = append(n.focus, o)
		}
	}
	for _, g := range s.groups {
		var list Group
		for _, a := range g.attributes {
			name, err := m.attribute(&a)
			if err != nil {
				return nil, err
			}
			v := Value{Literal: a.value.literal}
			switch {
			case a.value.concept != nil:
				v.Concept, err = m.find(*a.value.concept)
			case a.value.nested != nil:
				if v.Nested, err = m.bind(ctx, a.value.nested, false); err == nil && v.Nested.same != noConcept {
					v = Value{Concept: v.Nested.same}
				}
			}
			if err != nil {
				return nil, err
			}
			list = append(list, Attribute{name, v})
			if !g.braced {
				n.written, list = append(n.written, list), nil
			}
		}
		if g.braced {
			n.written = append(n.written, list)
		}
	}
	m.place(n)
	return n, nil
}

// find returns an active concept.
func (m *Model) find(r Reference) (codesystem.Ord, error) {
	o, ok := m.x.Find(r.Code)
	switch {
	case !ok:
		return 0, &BindError{r.Offset, r.Code, ErrUnknownConcept}
	case m.x.Inactive(o):
		return 0, &BindError{r.Offset, r.Code, ErrInactive}
	}
	return o, nil
}

// attribute returns the concept of an attribute. An edition without the model's concepts has those
// attributes that its concepts use.
func (m *Model) attribute(a *attribute) (codesystem.Ord, error) {
	o, err := m.find(a.name)
	if err != nil {
		return 0, err
	}
	below := func(code string) (is, known bool) {
		top, known := m.x.Find(code)
		return known && m.x.IsAncestor(top, o), known
	}
	is, known := below(anyAttribute)
	if !known {
		is, known = below(linkage)
	}
	if !known {
		is = slices.Contains(m.attributes, o)
	}
	if !is {
		return 0, &BindError{a.name.Offset, a.name.Code, ErrNotAttribute}
	}
	object, _ := below(objectAttribute)
	data, _ := below(dataAttribute)
	if data && a.value.literal == nil || object && a.value.literal != nil {
		return 0, &BindError{a.name.Offset, a.name.Code, ErrValueKind}
	}
	return o, nil
}

// Of returns the meaning of a concept of the edition.
func (m *Model) Of(o codesystem.Ord) *Meaning {
	n := &Meaning{model: m, focus: []codesystem.Ord{o}, parents: m.x.Parents(o), same: o, above: map[codesystem.Ord]bool{o: true}}
	for _, a := range m.x.Ancestors(o) {
		n.above[a] = true
	}
	n.groups = m.groupsOf(nil, o)
	return n
}

// groupsOf appends the groups of attributes of a concept.
func (m *Model) groupsOf(dst []Group, o codesystem.Ord) []Group {
	var numbers [16]int
	known := numbers[:0]
	first := len(dst)
	for a := range m.x.Attributes(o) {
		name := m.attributes[a.Property]
		if name == noConcept {
			continue
		}
		one := Attribute{Name: name}
		if target, ok := m.x.PairTarget(a.Pair); ok {
			one.Value.Concept = target
		} else {
			v := m.x.PairValue(a.Pair)
			one.Value.Literal = &v
		}
		if at := slices.Index(known, a.Group); at >= 0 && a.Group != 0 {
			dst[first+at] = append(dst[first+at], one)
			continue
		}
		known = append(known, a.Group)
		dst = append(dst, Group{one})
	}
	return dst
}
