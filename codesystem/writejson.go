package codesystem

import (
	"io"

	"github.com/roget-health/roget/resources/r4"
)

// writeChunk is how much JSON is collected before it is written.
const writeChunk = 64 << 10

// WriteJSON writes the whole CodeSystem as a FHIR resource: the header and all concepts. They are
// nested if their source nested them, else flat with parent properties. An edge that the source
// stated at the parent (child) is written at the child.
func (x *Index) WriteJSON(w io.Writer) error {
	c := conceptWriter{x: x, parent: x.parentProperty()}
	c.dst = x.header.AppendJSON(nil)
	c.dst = c.dst[:len(c.dst)-1]
	if x.n > 0 {
		if len(c.dst) > 1 {
			c.dst = append(c.dst, ',')
		}
		c.dst = append(c.dst, `"concept":[`...)
	}
	for o := range uint32(x.n) {
		if len(c.dst) >= writeChunk {
			if _, err := w.Write(c.dst); err != nil {
				return err
			}
			c.dst = c.dst[:0]
		}
		c.next(o)
	}
	c.closeBefore(uint32(x.n))
	if x.n > 0 {
		c.dst = append(c.dst, "\n]"...)
	}
	c.dst = append(c.dst, '}')
	_, err := w.Write(c.dst)
	return err
}

// AppendConceptJSON appends one concept as an element of CodeSystem.concept, without the concepts
// below it; its parents are properties.
func (x *Index) AppendConceptJSON(dst []byte, o Ord) []byte {
	c := conceptWriter{x: x, parent: x.parentProperty(), dst: dst}
	c.open(o, x.Parents(o), o)
	return append(c.dst, '}')
}

// parentProperty returns the property that states a parent in this system.
func (x *Index) parentProperty() string {
	rs := rolesOf(x.header)
	for _, p := range x.header.Property {
		if rs.of(p.Code) == roleParent {
			return p.Code
		}
	}
	if rs.of("parent") != roleParent {
		return "subsumedBy"
	}
	return "parent"
}

// conceptWriter appends concepts in order, and keeps track of open ones.
type conceptWriter struct {
	x      *Index
	parent string
	dst    []byte
	stack  []openConcept
	wrote  bool
}

// openConcept is a concept whose object is not closed: concepts nested in it follow.
type openConcept struct {
	o, end Ord
	nested bool
}

// next appends the next concept, after closing those that end before it.
func (c *conceptWriter) next(o Ord) {
	c.closeBefore(o)
	in := o
	if depth := len(c.stack); depth > 0 {
		top := &c.stack[depth-1]
		if in = top.o; !top.nested {
			c.dst = append(c.dst, `,"concept":[`...)
			top.nested = true
			c.wrote = false
		}
	}
	if c.wrote {
		c.dst = append(c.dst, ',')
	}
	c.dst = append(c.dst, '\n')
	c.open(o, c.x.Parents(o), in)
	if c.x.info.nested == 0 {
		c.dst = append(c.dst, '}')
		c.wrote = true
		return
	}
	end, _ := c.x.Interval(o)
	c.stack = append(c.stack, openConcept{o: o, end: end})
}

// closeBefore closes the concepts that end before o.
func (c *conceptWriter) closeBefore(o Ord) {
	for len(c.stack) > 0 {
		top := c.stack[len(c.stack)-1]
		if o < top.end {
			return
		}
		if top.nested {
			c.dst = append(c.dst, ']')
		}
		c.dst = append(c.dst, '}')
		c.stack = c.stack[:len(c.stack)-1]
		c.wrote = true
	}
}

// open appends a concept without its closing brace. Its parents, except the one it is nested in,
// are written as properties.
func (c *conceptWriter) open(o Ord, parents []Ord, in Ord) {
	x := c.x
	dst := append(c.dst, '{')
	extensions := x.Extensions(o)
	for i := range extensions {
		dst = append(dst, listStart(i == 0, `"extension":[`)...)
		dst = r4.AppendExtension(dst, &extensions[i])
	}
	if len(extensions) > 0 {
		dst = append(dst, "],"...)
	}
	dst = append(dst, `"code":`...)
	dst = r4.AppendString(dst, x.Code(o))
	if display := x.Display(o); display != "" {
		dst = r4.AppendString(append(dst, `,"display":`...), display)
	}
	if definition := x.Definition(o); definition != "" {
		dst = r4.AppendString(append(dst, `,"definition":`...), definition)
	}
	any := false
	for designation := range x.Designations(o) {
		dst = append(dst, listStart(!any, `,"designation":[`)...)
		any = true
		dst = r4.AppendDesignation(dst, &designation)
	}
	if any {
		dst = append(dst, ']')
	}
	any = false
	property := func(code string, v r4.Value) {
		dst = append(dst, listStart(!any, `,"property":[`)...)
		any = true
		dst = r4.AppendString(append(dst, `{"code":`...), code)
		if !v.IsZero() {
			dst = r4.AppendValue(append(dst, ','), "value", v)
		}
		dst = append(dst, '}')
	}
	for _, p := range parents {
		if p != in {
			property(c.parent, r4.Code(x.Code(p)))
		}
	}
	for p := range x.Properties(o) {
		property(p.Code, p.Value)
	}
	if any {
		dst = append(dst, ']')
	}
	c.dst = dst
}

// listStart returns what precedes an element: the start of the list, or a comma.
func listStart(first bool, start string) string {
	if first {
		return start
	}
	return ","
}
