package fhirpath

import (
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
)

// maxSteps is how many items one evaluation may examine.
const maxSteps = 20_000_000

// maxItems is how many items one evaluation may keep.
const maxItems = 1_000_000

// maxReused is how many items of memory a Scope reuses for the next resource.
const maxReused = 256

var errSteps = errors.New("the evaluation takes too many steps or items")

// A Scope is where expressions are evaluated: a resource, and memory that is reused. It is for one
// goroutine.
type Scope struct {
	tables  *definitions.Tables
	root    Item
	within  Item   // %resource
	context Item   // %context
	total   []Item // $total
	stack   []Item // results so far: those of a node are above those of its caller
	steps   int    // items examined
	limit   int    // of steps
	ask     Ask

	position int // $index
	row      int // %rowIndex
	bases    []string
}

// An Ask answers the functions that need more than the resource: memberOf, conformsTo, subsumes and
// subsumedBy with their argument, htmlChecks with no item. The result of the function is empty if the
// answer is not known.
type Ask func(function string, item, argument Item) (yes, known bool)

// Answer sets who answers the functions that need more than the resource. Without it their result is
// empty.
func (s *Scope) Answer(ask Ask) { s.ask = ask }

// SetRow sets %rowIndex.
func (s *Scope) SetRow(row int) { s.row = row }

// SetBases sets the addresses of this server, without a slash at the end. getReferenceKey() takes
// absolute references that begin with one of them for relative ones.
func (s *Scope) SetBases(bases []string) { s.bases = bases }

// NewScope returns a Scope without a resource; Reset sets one.
func NewScope(t *definitions.Tables) *Scope { return &Scope{tables: t, limit: maxSteps} }

// Reset sets the resource of the scope, which is %resource and %rootResource, and in which resolve()
// finds contained resources.
func (s *Scope) Reset(resource document.Value) {
	s.root = s.resource(resource)
	s.within = s.root
	if cap(s.stack) > maxReused {
		s.stack = nil
	}
	clear(s.stack[:cap(s.stack)])
}

// Enter sets %resource, which may be a contained resource of the one that Reset has set.
func (s *Scope) Enter(resource document.Value) { s.within = s.resource(resource) }

// Root returns the resource as an item.
func (s *Scope) Root() Item { return s.root }

// Evaluate appends the results of an expression on an item, such as Root, in their order. Errors
// wrap ErrEvaluate.
func (s *Scope) Evaluate(dst []Item, e *Expression, focus Item) ([]Item, error) {
	s.stack, s.steps, s.context = s.stack[:0], 0, focus
	err := s.eval(e.root, focus)
	if err == nil && s.steps > s.limit {
		err = errSteps
	}
	if err != nil {
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
	if i.moment {
		m, _ := parseMoment(i.text)
		switch {
		case m.clock:
			return name == "Time"
		case i.dateTime, m.count > 3:
			return name == "DateTime"
		}
		return name == "Date"
	}
	switch i.kind {
	case document.Object:
		return name == "Quantity"
	case document.Bool:
		return name == "Boolean"
	case document.String:
		return name == "String"
	case document.Number:
		return name == "Decimal" || name == "Integer" && !strings.Contains(i.text, ".")
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

// members pushes the elements of an item onto the stack, in the order of the document.
func (s *Scope) members(i Item) {
	v := i.Value
	if v.Kind() != document.Object {
		if i.Computed() || i.none {
			return
		}
		v = i.Beside()
	}
	for m := range v.Members() {
		name := m.Name()
		if name == "resourceType" {
			continue
		}
		aside := len(name) > 1 && name[0] == '_'
		if aside {
			name = name[1:]
		}
		var e *definitions.Element
		if i.Type != nil {
			if e = i.Type.Element(name); e == nil {
				continue
			}
		}
		switch {
		case !aside:
			s.values(m, e)
		case e != nil && !v.Get(name).Exists():
			s.asides(m, e)
		}
	}
}

// below pushes the descendants of the input of a node, or only the elements of them that child
// selects.
func (s *Scope) below(n *node, this Item, child *node) error {
	from := len(s.stack)
	if err := s.input(n, this); err != nil {
		return err
	}
	to := len(s.stack)
	for i := from; i < to; i++ {
		if item := s.stack[i]; !item.Computed() {
			s.descend(item, child)
		}
		if s.steps > s.limit || len(s.stack) > maxItems {
			return errSteps
		}
	}
	s.drop(from, to)
	return nil
}

func (s *Scope) descend(i Item, child *node) {
	from := len(s.stack)
	s.members(i)
	to := len(s.stack)
	for j := from; j < to && s.steps <= s.limit && len(s.stack) <= maxItems; j++ {
		s.steps++
		item := s.stack[j]
		if child == nil {
			s.put(item)
		} else {
			s.children(item, child)
		}
		s.descend(item, child)
	}
	s.drop(from, to)
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
