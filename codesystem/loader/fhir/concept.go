package fhir

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// A span is a text in the arena of a node.
type span struct{ from, to int }

// A node collects the elements of a concept. There is one for each level of nesting, which is
// reused: a concept costs one allocation, for all its texts.
type node struct {
	arena                     []byte
	code, display, definition span
	where                     span
	designations              []designation
	properties                []property
	extensions                r4.Extensions
	children                  []int

	// The concept that is passed to the builder.
	concept codesystem.Concept
	codings []r4.Coding
}

type designation struct {
	language, value span
	use             coding
	extensions      r4.Extensions
}

type property struct {
	code span
	kind string // the type of the value, "" when it has none
	text span
	use  coding
}

// A coding is the spans of a Coding; set reports whether there is one.
type coding struct {
	set                            bool
	system, version, code, display span
}

// text reads a string into the arena.
func (n *node) text(s *r4.Scanner) span { return n.keep(s.Text()) }

func (n *node) keep(b []byte) span {
	from := len(n.arena)
	n.arena = append(n.arena, b...)
	return span{from, len(n.arena)}
}

// concepts reads an array of concepts into the builder. It appends their numbers to the children
// of the concept around them, if there is one.
func (l *reader) concepts(b *codesystem.Builder, level int, parent *node) {
	s := l.scanner
	if level >= l.limits.MaxNesting {
		s.Fail("too-long", "concepts nested deeper than %d levels", l.limits.MaxNesting)
		return
	}
	if !s.Array() {
		return
	}
	for len(l.nodes) <= level {
		l.nodes = append(l.nodes, new(node))
	}
	n := l.nodes[level]
	for s.Element() {
		l.concept(b, level, n)
		if s.Err() != nil {
			return
		}
		number, err := b.Add(n.finish())
		for i := 0; i < len(n.children) && err == nil; i++ {
			err = b.Nest(n.children[i], number)
		}
		if err != nil {
			s.FailWith("invalid", placed{err, n.concept.Where})
			return
		}
		if parent != nil {
			parent.children = append(parent.children, number)
		}
		l.reading.Count(1, 0, 0)
	}
}

// concept reads one concept into n. Nested concepts are added to the builder before it, because
// elements of it may follow them.
func (l *reader) concept(b *codesystem.Builder, level int, n *node) {
	s := l.scanner
	n.reset()
	if !s.Object() {
		return
	}
	n.place(s.Line())
	for s.Member() {
		switch string(s.Name()) {
		case "code":
			n.code = n.text(s)
		case "display":
			n.display = n.text(s)
		case "definition":
			n.definition = n.text(s)
		case "designation":
			if s.Array() {
				for s.Element() {
					n.designation(s)
				}
			}
		case "property":
			if s.Array() {
				for s.Element() {
					n.property(s, l.declared)
				}
			}
		case "extension":
			readExtensions(s, &n.extensions)
		case "concept":
			l.concepts(b, level+1, n)
		default:
			s.Skip()
		}
	}
}

func (n *node) reset() {
	n.arena = n.arena[:0]
	n.code, n.display, n.definition, n.where = span{}, span{}, span{}, span{}
	n.designations = n.designations[:0]
	n.properties = n.properties[:0]
	n.extensions = nil
	n.children = n.children[:0]
}

func (n *node) place(line int) {
	from := len(n.arena)
	n.arena = append(n.arena, "line "...)
	n.arena = strconv.AppendInt(n.arena, int64(line), 10)
	n.where = span{from, len(n.arena)}
}

// readExtensions reads an array of extensions. Few concepts have any, so they do not go into the
// arena.
func readExtensions(s *r4.Scanner, list *r4.Extensions) {
	if !s.Array() {
		return
	}
	for s.Element() {
		var x r4.Extension
		r4.ReadExtension(s, &x)
		*list = append(*list, x)
	}
}

// designation reads one designation.
func (n *node) designation(s *r4.Scanner) {
	var d designation
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "language":
			d.language = n.text(s)
		case "use":
			d.use = n.coding(s)
		case "value":
			d.value = n.text(s)
		case "extension":
			readExtensions(s, &d.extensions)
		default:
			s.Skip()
		}
	}
	if d.value.from < d.value.to {
		n.designations = append(n.designations, d)
	}
}

// placed is an error of the builder without the place at its beginning, for which an error of the
// scanner has a better one.
type placed struct {
	err   error
	where string
}

func (p placed) Error() string { return strings.TrimPrefix(p.err.Error(), p.where+": ") }
func (p placed) Unwrap() error { return p.err }

// property reads one property. Its value must have one of the types that R4 allows here, and the
// declared type, as far as declarations came before. (The builder checks later ones.)
func (n *node) property(s *r4.Scanner, declared map[string]string) {
	var p property
	if !s.Object() {
		return
	}
	for s.Member() {
		name := s.Name()
		if string(name) == "code" {
			p.code = n.text(s)
			continue
		}
		suffix, isValue := bytes.CutPrefix(name, []byte("value"))
		if !isValue {
			s.Skip()
			continue
		}
		if p.kind != "" {
			s.Fail("structure", "the property has a value already: value%s", p.kind)
			return
		}
		switch string(suffix) {
		case "Code":
			p.kind, p.text = "Code", n.text(s)
		case "String":
			p.kind, p.text = "String", n.text(s)
		case "DateTime":
			p.kind, p.text = "DateTime", n.text(s)
		case "Boolean":
			p.kind = "Boolean"
			if s.Boolean() {
				p.text = n.keep([]byte("true"))
			} else {
				p.text = n.keep([]byte("false"))
			}
		case "Integer":
			literal := s.Number()
			if _, err := strconv.ParseInt(string(literal), 10, 32); err != nil {
				s.Fail("value", "expected an integer, found %.40s", literal)
			}
			p.kind, p.text = "Integer", n.keep(literal)
		case "Decimal":
			p.kind, p.text = "Decimal", n.keep(s.Number())
		case "Coding":
			p.kind, p.use = "Coding", n.coding(s)
		default:
			s.Fail("structure", "a concept property has no value of this type")
			return
		}
	}
	if s.Err() != nil {
		return
	}
	code := n.arena[p.code.from:p.code.to]
	if len(code) == 0 {
		s.Fail("required", "the property has no code")
	}
	if kind := declared[string(code)]; kind != "" && p.kind != "" && kind != p.kind {
		s.FailWith("invalid", fmt.Errorf("%w: value%s of property %q, declared with value%s", codesystem.ErrBadProperty, p.kind, code, kind))
	}
	// A value may be absent, with an extension that states the reason.
	if p.kind != "" {
		n.properties = append(n.properties, p)
	}
}

// coding reads a Coding.
func (n *node) coding(s *r4.Scanner) coding {
	c := coding{set: true}
	if !s.Object() {
		return c
	}
	for s.Member() {
		switch string(s.Name()) {
		case "system":
			c.system = n.text(s)
		case "version":
			c.version = n.text(s)
		case "code":
			c.code = n.text(s)
		case "display":
			c.display = n.text(s)
		default:
			s.Skip()
		}
	}
	return c
}

// finish returns the collected concept. It is valid until the node is used again; its strings stay
// valid.
func (n *node) finish() *codesystem.Concept {
	texts := string(n.arena)
	cut := func(s span) string { return texts[s.from:s.to] }
	needed := len(n.designations) + len(n.properties)
	if cap(n.codings) < needed {
		n.codings = make([]r4.Coding, 0, 2*needed)
	}
	n.codings = n.codings[:0]
	coding := func(c *coding) *r4.Coding {
		if !c.set {
			return nil
		}
		n.codings = append(n.codings, r4.Coding{System: cut(c.system), Version: cut(c.version), Code: cut(c.code), Display: cut(c.display)})
		return &n.codings[len(n.codings)-1]
	}
	c := &n.concept
	c.Code, c.Display, c.Definition, c.Where = cut(n.code), cut(n.display), cut(n.definition), cut(n.where)
	c.Parent = -1
	c.Extensions = n.extensions
	c.Designations = c.Designations[:0]
	for i := range n.designations {
		d := &n.designations[i]
		c.Designations = append(c.Designations, r4.Designation{Language: cut(d.language), Use: coding(&d.use), Value: cut(d.value), Extension: d.extensions})
	}
	c.Properties = c.Properties[:0]
	for i := range n.properties {
		p := &n.properties[i]
		c.Properties = append(c.Properties, codesystem.Property{
			Code:  cut(p.code),
			Value: r4.Value{Type: p.kind, Text: cut(p.text), Coding: coding(&p.use)},
		})
	}
	return c
}
