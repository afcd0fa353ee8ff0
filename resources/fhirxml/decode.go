package fhirxml

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/r4"
)

// A decoder writes the JSON of an XML document. Its methods do nothing after an error.
type decoder struct {
	ctx    context.Context
	codec  *Codec
	src    []byte
	in     *xml.Decoder
	at     int // where the current token begins in src
	dst    []byte
	values []byte // the values of repeating primitive elements that are open
	path   []step
	depth  int
	count  int
	err    error
}

// A step is an element on the way to the current one.
type step struct {
	element *definitions.Element // nil for a resource
	name    string
	index   int // among the repetitions
}

func newDecoder(ctx context.Context, c *Codec, dst, src []byte) *decoder {
	d := &decoder{ctx: ctx, codec: c, dst: dst, src: bytes.TrimPrefix(src, []byte("\uFEFF"))}
	d.err = ctx.Err()
	if int64(len(src)) > c.limits.MaxBytes {
		d.failAs("too-long", "the document exceeds %d bytes", c.limits.MaxBytes)
	}
	d.in = xml.NewDecoder(bytes.NewReader(d.src))
	return d
}

// fail records an error at the current token.
func (d *decoder) fail(format string, args ...any) { d.failAs("structure", format, args...) }

func (d *decoder) failAs(code, format string, args ...any) {
	if d.err == nil {
		d.err = d.syntaxError(d.at, code, fmt.Sprintf(format, args...))
	}
}

func (d *decoder) syntaxError(at int, code, text string) error {
	before := d.src[:min(at, len(d.src))]
	return &r4.SyntaxError{
		Line: bytes.Count(before, []byte{'\n'}) + 1, Column: len(before) - bytes.LastIndexByte(before, '\n'), Offset: int64(at),
		Expression: d.expression(), Msg: text, Code: code,
	}
}

// expression returns the FHIRPath of the current element.
func (d *decoder) expression() string {
	var b strings.Builder
	for i, s := range d.path {
		if s.element == nil {
			if i == 0 {
				b.WriteString(s.name)
			}
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s.name)
		if s.element.Repeats() {
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		}
	}
	return b.String()
}

// next returns the next start tag or end tag, nil at the end of the document and after an error. It
// skips white space, comments and processing instructions.
func (d *decoder) next() xml.Token {
	for {
		switch t := d.token().(type) {
		case nil:
			return nil
		case xml.StartElement:
			d.normalize(t)
			return t
		case xml.EndElement:
			return t
		case xml.CharData:
			if text := bytes.TrimSpace(t); len(text) > 0 {
				d.fail("there is text %.40q, but FHIR has text only in the attribute value", text)
			}
		}
	}
}

// token returns the next token, nil at the end of the document and after an error.
func (d *decoder) token() xml.Token {
	d.at = int(d.in.InputOffset())
	if d.err != nil || !d.checkTag() {
		return nil
	}
	if d.count++; d.count%between == 0 {
		if d.err = d.ctx.Err(); d.err != nil {
			return nil
		}
	}
	token, err := d.in.Token()
	if err != nil {
		d.explain(err)
		return nil
	}
	if problem := malformed(token, d.src[d.at:d.in.InputOffset()]); problem != "" {
		d.fail("malformed XML: %s", problem)
		return nil
	}
	switch t := token.(type) {
	case xml.StartElement:
		if name := repeated(t); name != "" {
			d.fail("the attribute %.60q is repeated", name)
			return nil
		}
	case xml.Directive:
		d.fail("a document type declaration is not allowed")
		return nil
	case xml.ProcInst:
		if t.Target == "xml" && d.at > 0 {
			d.fail("an XML declaration is allowed only at the beginning")
			return nil
		}
	}
	return token
}

// explain records an error of the XML decoder.
func (d *decoder) explain(err error) {
	var syntax *xml.SyntaxError
	at := int(d.in.InputOffset())
	switch {
	case errors.Is(err, io.EOF):
		if len(d.path) > 0 || len(d.src) == 0 || d.depth > 0 {
			d.err = d.syntaxError(at, "structure", "the document ends too early")
		}
	case errors.As(err, &syntax):
		d.err = d.syntaxError(at, "structure", "malformed XML: "+syntax.Msg)
	case strings.Contains(err.Error(), "CharsetReader"):
		d.err = d.syntaxError(at, "structure", "the XML declares another encoding than UTF-8; send it in UTF-8")
	default:
		d.err = d.syntaxError(at, "structure", "malformed XML: "+strings.TrimPrefix(err.Error(), "xml: "))
	}
}

// document converts the whole document.
func (d *decoder) document() {
	start, found := d.nextChild()
	if !found {
		if d.err == nil {
			d.fail("the document has no element")
		}
		return
	}
	d.resource(start)
	if d.next() != nil {
		d.fail("there is a second element after the resource")
	}
}

// resource writes the resource whose start tag was read.
func (d *decoder) resource(start xml.StartElement) {
	name := start.Name.Local
	d.path = append(d.path, step{name: name})
	t := d.codec.types.Type(name)
	switch {
	case start.Name.Space != namespace:
		d.fail("the element %.60q is in the namespace %.60q; a resource is in %s", name, start.Name.Space, namespace)
	case t == nil || !d.codec.types.IsResource(name):
		d.fail("%.60q is not a resource type of this version of FHIR", name)
	}
	if d.err != nil {
		return
	}
	d.enter()
	d.dst = append(d.dst, `{"resourceType":"`...)
	d.dst = append(append(d.dst, t.Name...), '"')
	d.attributes(t, start, nil)
	d.content(t)
	d.dst = append(d.dst, '}')
	d.leave()
}

// enter and leave count nested elements.
func (d *decoder) enter() {
	if d.depth++; d.depth > d.codec.limits.MaxDepth/2 {
		d.failAs("too-long", "elements nest deeper than %d", d.codec.limits.MaxDepth/2)
	}
}

func (d *decoder) leave() {
	d.depth--
	d.path = d.path[:len(d.path)-1]
}

// container writes the only resource in the element whose start tag was read.
func (d *decoder) container(start xml.StartElement) {
	d.enter()
	d.attributes(nil, start, nil)
	inner, found := d.nextChild()
	if !found {
		d.fail("it contains no resource")
		return
	}
	d.resource(inner)
	if _, more := d.nextChild(); more {
		d.fail("it contains more than one resource")
	}
	d.depth--
}

// object writes the element of a complex type whose start tag was read.
func (d *decoder) object(t *definitions.Type, start xml.StartElement) {
	d.enter()
	begin := len(d.dst)
	d.dst = append(d.dst, '{')
	d.attributes(t, start, nil)
	d.content(t)
	if len(d.dst) == begin+1 {
		d.fail("the element is empty")
	}
	d.dst = append(d.dst, '}')
	d.depth--
}

// content writes the child elements of an element of type t, up to its end tag.
func (d *decoder) content(t *definitions.Type) {
	start, more := d.nextChild()
	d.children(t, start, more)
}

// nextChild returns the next start tag, or false at an end tag.
func (d *decoder) nextChild() (start xml.StartElement, more bool) {
	start, more = d.next().(xml.StartElement)
	return start, more
}

// children is content whose first start tag was read, if there is one.
func (d *decoder) children(t *definitions.Type, start xml.StartElement, more bool) {
	var list list
	var last *definitions.Element
	for ; ; start, more = d.nextChild() {
		if !more || d.err != nil {
			list.end(d)
			return
		}
		of := d.child(t, start, last)
		if of == nil {
			return
		}
		if of != last {
			list.end(d)
			list.begin(d, of)
		}
		d.path = append(d.path, step{of, of.JSON, list.count})
		list.add(d, start)
		last = of
		if d.err != nil {
			return
		}
		d.path = d.path[:len(d.path)-1]
	}
}

// child returns the element of a start tag within an element of type t, after the element last.
func (d *decoder) child(t *definitions.Type, start xml.StartElement, last *definitions.Element) *definitions.Element {
	name := start.Name.Local
	of := t.Element(name)
	space := namespace
	if of != nil && of.Type.Name == "xhtml" {
		space = xhtmlNamespace
	}
	d.path = append(d.path, step{element: &definitions.Element{}, name: printable(name)})
	switch {
	case start.Name.Space != space:
		d.fail("the element is in the namespace %.60q, not in %s", start.Name.Space, space)
	case of == nil || of.Max == 0 || of.Attribute:
		d.fail("unknown element: %s has no element with this name", t.Name)
	case last == nil:
	case of == last && !of.Repeats():
		d.fail("the element does not repeat")
	case of != last && of.Choice && of.Name == last.Name:
		d.fail("only one of %s is allowed, but there is also %s", of.Name, last.JSON)
	case of.Order < last.Order:
		d.fail("the element must come before %s; FHIR defines the order of elements", last.JSON)
	}
	if d.err != nil {
		return nil
	}
	d.path = d.path[:len(d.path)-1]
	return of
}

// printable shortens a name with arbitrary content.
func printable(name string) string {
	const limit = 64
	if len(name) > limit {
		return strings.ToValidUTF8(name[:limit], "") + "…"
	}
	return name
}
