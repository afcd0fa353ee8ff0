package fhirxml

import (
	"context"
	"errors"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/r4"
)

// Namespaces of elements, and of attributes that are skipped.
const (
	namespace       = "http://hl7.org/fhir"
	xhtmlNamespace  = "http://www.w3.org/1999/xhtml"
	schemaNamespace = "http://www.w3.org/2001/XMLSchema-instance"
	xmlNamespace    = "http://www.w3.org/XML/1998/namespace"
	xmlnsNamespace  = "http://www.w3.org/2000/xmlns/"
)

// ErrNoXML is wrapped by the errors of AppendXML and AppendElement for well-formed JSON that has no
// XML form: it has elements that FHIR does not define, or values that XML cannot express.
var ErrNoXML = errors.New("the resource has no XML form")

// maxAttributes is the maximum number of attributes of an element.
const maxAttributes = 64

// between is the number of elements that are converted before the context is looked at again.
const between = 1024

// A Codec converts resources of one version of FHIR. It is safe for concurrent use.
type Codec struct {
	types  *definitions.Tables
	limits r4.Limits
}

// New returns a Codec for the types of a version of FHIR. The limits bound input: MaxBytes its size,
// MaxToken a value of an attribute, and MaxDepth the nesting of JSON; XML may be nested half as
// deeply, because its elements are both objects and arrays in JSON. Zero limits are those of
// r4.DefaultLimits.
func New(types *definitions.Tables, limits r4.Limits) *Codec {
	defaults := r4.DefaultLimits()
	if limits.MaxBytes <= 0 {
		limits.MaxBytes = defaults.MaxBytes
	}
	if limits.MaxDepth <= 0 {
		limits.MaxDepth = defaults.MaxDepth
	}
	if limits.MaxToken <= 0 {
		limits.MaxToken = defaults.MaxToken
	}
	return &Codec{types: types, limits: limits}
}

// Style is how AppendXML lays out a document.
type Style uint8

// The styles. Indented puts each element on a line of its own, except those of narratives.
const (
	Compact Style = iota
	Indented
)

// AppendXML appends the XML of a resource in JSON, with an XML declaration. Elements are written in
// the order of their definition. Errors are *r4.SyntaxError with the place in the JSON, or that of
// ctx. If the JSON is well-formed they wrap ErrNoXML.
func (c *Codec) AppendXML(ctx context.Context, dst, json []byte, style Style) ([]byte, error) {
	e, err := c.encoder(ctx, dst, json, style)
	if err != nil {
		return dst, err
	}
	e.dst = append(e.dst, `<?xml version="1.0" encoding="UTF-8"?>`...)
	if style == Compact {
		e.dst = append(e.dst, '\n')
	}
	e.resource(e.doc.Root(), true)
	if style == Indented {
		e.dst = append(e.dst, '\n')
	}
	return e.result(dst)
}

// AppendElement appends the XML of one element of a resource, without a declaration of its
// namespace: an entry of a Bundle by AppendElement(ctx, dst, "Bundle", "entry", json). A writer that
// streams a Bundle appends its entries in this way after the start of the Bundle. Errors are those
// of AppendXML.
func (c *Codec) AppendElement(ctx context.Context, dst []byte, typ, name string, json []byte, style Style) ([]byte, error) {
	e, err := c.encoder(ctx, dst, json, style)
	if err != nil {
		return dst, err
	}
	t := c.types.Type(typ)
	if t == nil || t.Element(name) == nil || t.Element(name).Type.Kind == definitions.PrimitiveType {
		e.fail(e.doc.Root(), "%.60s has no element with the name %.60q and members", typ, name)
		return e.result(dst)
	}
	e.depth = 1
	e.element(t.Element(name), e.doc.Root())
	return e.result(dst)
}

// AppendJSON appends the JSON of a resource in XML. Errors are *r4.SyntaxError with the place in the
// XML and the FHIRPath of the element, or that of ctx.
func (c *Codec) AppendJSON(ctx context.Context, dst, xml []byte) ([]byte, error) {
	d := newDecoder(ctx, c, dst, xml)
	d.document()
	if d.err != nil {
		return dst, d.err
	}
	return d.dst, nil
}
