package fhirpath

import (
	"fmt"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// maxSteps is how many items one evaluation may examine.
const maxSteps = 20_000_000

// maxReused is how many items of memory a Scope reuses for the next resource.
const maxReused = 256

// A Scope is where expressions are evaluated: a resource, and memory that is reused. It is for one
// goroutine.
type Scope struct {
	tables *definitions.Tables
	root   Item
	stack  []Item // results so far: those of a node are above those of its caller
	steps  int    // items examined
	limit  int    // of steps
}

// NewScope returns a Scope without a resource; Reset sets one.
func NewScope(t *definitions.Tables) *Scope { return &Scope{tables: t, limit: maxSteps} }

// Reset sets the resource of the scope, which is %resource, and in which resolve() finds contained
// resources.
func (s *Scope) Reset(resource document.Value) {
	s.root = s.resource(resource)
	if cap(s.stack) > maxReused {
		s.stack = nil
	}
	clear(s.stack[:cap(s.stack)])
	s.stack = s.stack[:0]
}

// Root returns the resource as an item.
func (s *Scope) Root() Item { return s.root }

// Evaluate appends the results of an expression on an item, such as Root, in their order. Errors
// wrap ErrEvaluate.
func (s *Scope) Evaluate(dst []Item, e *Expression, focus Item) ([]Item, error) {
	s.stack, s.steps = s.stack[:0], 0
	if err := s.eval(e.root, focus); err != nil {
		return dst, fmt.Errorf("%w: %q: %w", ErrEvaluate, e.text, err)
	}
	return append(dst, s.stack...), nil
}

// Evaluate returns the results of the expression on a resource. Callers with many expressions
// should use a Scope.
func (e *Expression) Evaluate(t *definitions.Tables, resource document.Value) ([]Item, error) {
	s := NewScope(t)
	s.Reset(resource)
	return s.Evaluate(nil, e, s.root)
}

// resource returns a resource as an item.
func (s *Scope) resource(v document.Value) Item {
	return Item{Value: v, Type: s.tables.Type(v.Get("resourceType").Text())}
}

// isA reports whether a type has a name or specialises the type with that name. Names of primitives
// may begin with a capital letter.
func (s *Scope) isA(t *definitions.Type, name string) bool {
	for t != nil {
		if t.Name == name || t.Kind == definitions.PrimitiveType && len(name) == len(t.Name) &&
			name[0]|0x20 == t.Name[0] && name[1:] == t.Name[1:] {
			return true
		}
		t = s.tables.Type(t.Base)
	}
	return false
}

// has reports whether an item is of a type. A computed item is of a System type.
func (s *Scope) has(i Item, name string) bool {
	switch i.kind {
	case document.Bool:
		return name == "Boolean" || name == "boolean"
	case document.String:
		return name == "String" || name == "string"
	case document.Number:
		return name == "Integer" || name == "Decimal" || name == "integer" || name == "decimal"
	}
	return s.isA(i.Type, name)
}

// children pushes the elements of an item with a name onto the stack.
func (s *Scope) children(i Item, n *node) {
	s.steps++
	v := i.Value
	if v.Kind() != document.Object {
		if i.Type != nil && i.Type.Kind == definitions.PrimitiveType && (n.name == "extension" || n.name == "id") {
			s.values(i.Beside().Get(n.name), i.Type.Element(n.name))
		}
		return
	}
	if i.Type == nil {
		s.values(v.Get(n.name), nil)
		return
	}
	if e := i.Type.Element(n.name); e != nil && !e.Choice {
		value := v.Get(n.name)
		if value.Exists() {
			s.values(value, e)
		} else if e.Type != nil && e.Type.Kind == definitions.PrimitiveType {
			s.asides(v.Get(n.beside), e)
		}
		return
	}
	// For a choice, find the member whose name continues with a type.
	for m := range v.Members() {
		name := m.Name()
		if len(name) <= len(n.name) {
			continue
		}
		if name[0] == '_' {
			if len(name) > len(n.beside) && name[:len(n.beside)] == n.beside && !v.Get(name[1:]).Exists() {
				if e := i.Type.Element(name[1:]); e != nil && e.Choice && e.Name[:len(e.Name)-len("[x]")] == n.name {
					s.asides(m, e)
				}
			}
			continue
		}
		if name[:len(n.name)] != n.name {
			continue
		}
		if e := i.Type.Element(name); e != nil && e.Choice && e.Name[:len(e.Name)-len("[x]")] == n.name {
			s.values(m, e)
		}
	}
}

// values pushes a value, or the items of an array, onto the stack.
func (s *Scope) values(v document.Value, e *definitions.Element) {
	switch v.Kind() {
	case document.Absent:
	case document.Array:
		for item := range v.Items() {
			s.steps++
			s.push(item, e)
		}
	default:
		s.push(v, e)
	}
}

func (s *Scope) push(v document.Value, e *definitions.Element) {
	item := Item{Value: v, Element: e}
	if e != nil {
		item.Type = e.Type
	}
	if item.Type == nil || item.Type.Abstract {
		if typ := s.tables.Type(v.Get("resourceType").Text()); typ != nil {
			item.Type, item.Element = typ, nil
		}
	}
	s.stack = append(s.stack, item)
}

// asides pushes primitives without value but with extensions onto the stack.
func (s *Scope) asides(v document.Value, e *definitions.Element) {
	switch v.Kind() {
	case document.Object:
		s.stack = append(s.stack, Item{Type: e.Type, Element: e, aside: v})
	case document.Array:
		for item := range v.Items() {
			s.steps++
			if item.Kind() == document.Object {
				s.stack = append(s.stack, Item{Type: e.Type, Element: e, aside: item})
			}
		}
	}
}
