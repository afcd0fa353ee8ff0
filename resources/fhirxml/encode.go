package fhirxml

import (
	"context"
	"fmt"
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// An encoder writes the XML of a document. Its methods do nothing after an error.
type encoder struct {
	ctx    context.Context
	types  *definitions.Tables
	doc    *document.Document
	root   string // the type of the outermost resource, for errors
	dst    []byte
	indent bool
	depth  int     // open elements
	count  int     // elements written
	fields []field // of all open objects
	items  []document.Value
	err    error
}

// A field is an element of an object: a member, or for a primitive type a member, the one with an
// underscore, or both.
type field struct {
	element        *definitions.Element
	value, sibling document.Value
}

// encoder returns an encoder that appends to dst.
func (c *Codec) encoder(ctx context.Context, dst, json []byte, style Style) (*encoder, error) {
	doc, err := document.Parse(json, c.limits)
	if err != nil {
		return nil, err
	}
	e := &encoder{ctx: ctx, types: c.types, doc: doc, dst: dst, indent: style == Indented, root: doc.ResourceType()}
	if e.err = ctx.Err(); e.err != nil {
		return nil, e.err
	}
	return e, nil
}

// result returns what was written, or dst and the error.
func (e *encoder) result(dst []byte) ([]byte, error) {
	if e.err != nil {
		return dst, e.err
	}
	return e.dst, nil
}

// fail records that a value has no XML form.
func (e *encoder) fail(v document.Value, format string, args ...any) {
	if e.err != nil {
		return
	}
	line, column := e.doc.Position(v.Offset())
	e.err = &r4.SyntaxError{
		Line: line, Column: column, Offset: int64(v.Offset()), Expression: v.Path(e.root),
		Msg: ErrNoXML.Error() + ": " + fmt.Sprintf(format, args...), Code: "not-supported", Err: ErrNoXML,
	}
}

// open writes the beginning of a start tag.
func (e *encoder) open(name string) {
	if e.indent {
		e.newline()
	}
	e.dst = append(append(e.dst, '<'), name...)
	e.depth++
	if e.count++; e.count%between == 0 && e.err == nil {
		e.err = e.ctx.Err()
	}
}

// close writes the end of an element.
func (e *encoder) close(name string) {
	e.depth--
	if e.indent {
		e.newline()
	}
	e.dst = append(append(append(e.dst, '<', '/'), name...), '>')
}

// empty ends a start tag of an element without content.
func (e *encoder) empty() {
	e.depth--
	e.dst = append(e.dst, '/', '>')
}

// newline begins a line of an indented document.
func (e *encoder) newline() {
	const blanks = "                                                                "
	e.dst = append(e.dst, '\n')
	for n := 2 * e.depth; n > 0; n -= len(blanks) {
		e.dst = append(e.dst, blanks[:min(n, len(blanks))]...)
	}
}

// resource writes a resource, with the declaration of the namespace if it is the outermost.
func (e *encoder) resource(v document.Value, outermost bool) {
	name := v.Get("resourceType")
	t := e.types.Type(name.Text())
	switch {
	case v.Kind() != document.Object:
		e.fail(v, "a resource must be an object, not %s", v.Kind())
	case !name.Exists():
		e.fail(v, "the resource has no resourceType")
	case name.Kind() != document.String || t == nil || !e.types.IsResource(t.Name):
		e.fail(name, "%.60q is not a resource type of this version of FHIR", name.Text())
	}
	if e.err != nil {
		return
	}
	base := e.collect(v, t)
	e.open(t.Name)
	if outermost {
		e.dst = append(e.dst, ` xmlns="`+namespace+`"`...)
	}
	e.content(t.Name, base)
}

// element writes an object as an element.
func (e *encoder) element(of *definitions.Element, v document.Value) {
	if e.err != nil {
		return
	}
	if v.Kind() != document.Object {
		e.fail(v, "%s must be an object, not %s", of.TypeCode, v.Kind())
		return
	}
	if of.Type.Kind == definitions.ResourceType {
		e.open(of.JSON)
		e.dst = append(e.dst, '>')
		e.resource(v, false)
		e.close(of.JSON)
		return
	}
	if v.Len() == 0 {
		e.fail(v, "an object must not be empty")
		return
	}
	base := e.collect(v, of.Type)
	e.open(of.JSON)
	e.content(of.JSON, base)
}

// collect appends the members of an object to fields, in the order of the definition of its type. It
// returns where they begin.
func (e *encoder) collect(v document.Value, t *definitions.Type) int {
	base := len(e.fields)
	for m := range v.Members() {
		name := m.Name()
		if t.Kind == definitions.ResourceType && name == "resourceType" {
			continue
		}
		sibling := len(name) > 1 && name[0] == '_'
		if sibling {
			name = name[1:]
		}
		of := t.Element(name)
		if of == nil || of.Max == 0 || sibling && of.Type.Kind != definitions.PrimitiveType {
			e.fail(m, "%s has no element with this name", t.Name)
			break
		}
		f := e.field(base, of, m)
		switch {
		case f == nil:
			return base
		case sibling:
			f.sibling = m
		default:
			f.value = m
		}
	}
	return base
}

// field returns the field of an element, which it inserts if the element is new, or nil if there is
// another variant of the same choice.
func (e *encoder) field(base int, of *definitions.Element, m document.Value) *field {
	at := len(e.fields)
	for i := len(e.fields) - 1; i >= base; i-- {
		f := &e.fields[i]
		switch {
		case f.element == of:
			return f
		case of.Choice && f.element.Name == of.Name:
			e.fail(m, "only one of %s is allowed, but there is also %s", of.Name, f.element.JSON)
			return nil
		case f.element.Order > of.Order:
			at = i
		}
	}
	e.fields = slices.Insert(e.fields, at, field{element: of})
	return &e.fields[at]
}

// content writes the fields from base as attributes and content of the element whose start tag is
// open, and its end. It removes them.
func (e *encoder) content(name string, base int) {
	attributes := 0
	for i := base; i < len(e.fields); i++ {
		if f := &e.fields[i]; f.element.Attribute {
			e.attribute(f)
			attributes++
		}
	}
	if len(e.fields)-base == attributes {
		e.empty()
		e.fields = e.fields[:base]
		return
	}
	e.dst = append(e.dst, '>')
	for i := base; i < len(e.fields) && e.err == nil; i++ {
		if f := e.fields[i]; !f.element.Attribute {
			e.children(f)
		}
	}
	e.fields = e.fields[:base]
	e.close(name)
}

// children writes the element or elements of a field.
func (e *encoder) children(f field) {
	primitive := f.element.Type.Kind == definitions.PrimitiveType
	switch {
	case f.element.Repeats():
		e.list(f)
	case primitive:
		e.primitive(f.element, f.value, f.sibling)
	default:
		e.element(f.element, f.value)
	}
}

// list writes the elements of arrays.
func (e *encoder) list(f field) {
	for _, v := range [...]document.Value{f.value, f.sibling} {
		if v.Exists() && (v.Kind() != document.Array || v.Len() == 0) {
			e.fail(v, "the element repeats and must be an array that is not empty")
			return
		}
	}
	if f.element.Type.Kind != definitions.PrimitiveType {
		for item := range f.value.Items() {
			e.element(f.element, item)
		}
		return
	}
	base := len(e.items)
	e.items = slices.AppendSeq(e.items, f.sibling.Items())
	siblings := len(e.items) - base
	switch {
	case !f.value.Exists():
		for i := range siblings {
			e.primitive(f.element, document.Value{}, e.items[base+i])
		}
	case siblings > 0 && siblings != f.value.Len():
		e.fail(f.sibling, "%s has %d items, but _%s has %d; they must correspond one to one", f.element.JSON, f.value.Len(), f.element.JSON, siblings)
	default:
		i := 0
		for item := range f.value.Items() {
			var sibling document.Value
			if siblings > 0 {
				sibling = e.items[base+i]
			}
			e.primitive(f.element, item, sibling)
			i++
		}
	}
	e.items = e.items[:base]
}
