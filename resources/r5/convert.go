package r5

import (
	"errors"
	"fmt"
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

var (
	// ErrUnsupportedType is the error of a resource whose type this package does not convert.
	ErrUnsupportedType = errors.New("unsupported resource type")
	// ErrUnknownElement is the error of a member that is not an element of its type.
	ErrUnknownElement = errors.New("unknown element")
	// ErrStructure is the error of a value that is not of the kind that its element has in JSON.
	ErrStructure = errors.New("unexpected structure")
	// ErrNoPlace is the error of an element that the other version can hold neither as an element
	// nor as an extension.
	ErrNoPlace = errors.New("no place in the other version")
)

// Supports reports whether resources of a type are converted.
func Supports(resourceType string) bool { return definitions.R5().IsResource(resourceType) }

// ToR4 returns an R5 resource as R4. It returns an error that wraps one of the errors of this
// package if the resource is not R5, and a *r4.SyntaxError if data is not JSON.
func ToR4(data []byte) ([]byte, error) {
	return convert(data, &conversion{from: definitions.R5(), to: definitions.R4(), own: prefixR5, other: prefixR4, toR4: true})
}

// FromR4 returns an R4 resource as R5. Its errors are those of ToR4.
func FromR4(data []byte) ([]byte, error) {
	return convert(data, &conversion{from: definitions.R4(), to: definitions.R5(), own: prefixR4, other: prefixR5})
}

// The urls of cross-version extensions begin with these, followed by the path of the element.
const (
	prefixR4 = "http://hl7.org/fhir/4.0/StructureDefinition/extension-"
	prefixR5 = "http://hl7.org/fhir/5.0/StructureDefinition/extension-"
)

// A conversion converts one document.
type conversion struct {
	from, to   *definitions.Tables
	own, other string // prefixes of extensions for the elements of from and of to
	toR4       bool

	attributes attributes // of the ConceptMap in work
	err        error      // the first error
}

func convert(data []byte, c *conversion) ([]byte, error) {
	doc, err := document.Parse(data, r4.DefaultLimits())
	if err != nil {
		return nil, err
	}
	if typ := doc.ResourceType(); doc.Root().Kind() != document.Object || !Supports(typ) {
		return nil, fmt.Errorf("%w %q", ErrUnsupportedType, cut(typ))
	}
	dst := c.resource(make([]byte, 0, len(data)+len(data)/4), doc.Root())
	if c.err != nil {
		return nil, c.err
	}
	return dst, nil
}

// fail records the first error, at a value.
func (c *conversion) fail(err error, v document.Value, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %w: %s", v.Path(v.Document().ResourceType()), err, fmt.Sprintf(format, args...))
	}
}

// resource appends a resource. Resources of types that only one version has in its tables are
// copied.
func (c *conversion) resource(dst []byte, v document.Value) []byte {
	typ := v.Get("resourceType").Text()
	from, to := c.from.Type(typ), c.to.Type(typ)
	if from == nil || to == nil || !c.from.IsResource(typ) {
		return append(dst, v.Raw()...)
	}
	outer := c.attributes
	c.attributes = attributes{}
	if typ == "ConceptMap" {
		c.attributes.read(c, v)
	}
	dst = c.object(dst, v, from, to)
	c.attributes = outer
	return dst
}

// value appends a value of a complex type, a backbone element or a resource.
func (c *conversion) value(dst []byte, v document.Value, from, to *definitions.Element) []byte {
	if v.Kind() != document.Object {
		c.fail(ErrStructure, v, "%s is an object", from.Path)
		return append(dst, "null"...)
	}
	if from.TypeCode == "Resource" {
		return c.resource(dst, v)
	}
	return c.object(dst, v, from.Type, to.Type)
}

// isPrimitive reports whether an element has a primitive type.
func isPrimitive(e *definitions.Element) bool { return e.Type.Kind == definitions.PrimitiveType }

// items returns the items of an array, or the value itself if it is none; nothing if it is absent.
func items(v document.Value) []document.Value {
	switch v.Kind() {
	case document.Absent:
		return nil
	case document.Array:
		return slices.Collect(v.Items())
	}
	return []document.Value{v}
}

// cut shortens text of a document for an error.
func cut(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
