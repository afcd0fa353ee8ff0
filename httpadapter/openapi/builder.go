package openapi

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
)

// Media types of bodies.
const (
	mediaJSON = "application/fhir+json"
	mediaXML  = "application/fhir+xml"
	mediaForm = "application/x-www-form-urlencoded"
)

// A Builder collects the components of a document. What is not asked for is not among them.
type Builder struct {
	tables *definitions.Tables
	spec   string   // where the pages of the types are
	any    []string // the types of any resource, nil if there may be others
	made   map[string]bool

	Components
}

// NewBuilder returns a Builder for the types of tables, whose pages are below spec, such as
// https://hl7.org/fhir/R4. any lists the types that a resource in a Bundle and the like may have; nil
// means that it may also have types that are not in the tables.
func NewBuilder(tables *definitions.Tables, spec string, any []string) *Builder {
	return &Builder{tables: tables, spec: spec, any: any, made: map[string]bool{}}
}

// Finish sorts the components by name and returns them.
func (b *Builder) Finish() Components {
	b.Schemas.Sort()
	b.Responses.Sort()
	b.Parameters.Sort()
	b.RequestBodies.Sort()
	b.Headers.Sort()
	return b.Components
}

// once reports whether a component is to be made: the first time that it is asked for.
func (b *Builder) once(kind, name string) bool {
	key := kind + " " + name
	if b.made[key] {
		return false
	}
	b.made[key] = true
	return true
}

// Schema refers to the schema of a name, which make makes the first time.
func (b *Builder) Schema(name string, make func() *Schema) *Schema {
	if b.once("schema", name) {
		b.Schemas.Add(name, make())
	}
	return RefSchema(name)
}

// Parameter refers to the parameter of a name, which make makes the first time.
func (b *Builder) Parameter(name string, make func() *Parameter) *Parameter {
	if b.once("parameter", name) {
		b.Parameters.Add(name, make())
	}
	return RefParameter(name)
}

// Response refers to the response of a name, which make makes the first time.
func (b *Builder) Response(name string, make func() *Response) *Response {
	if b.once("response", name) {
		b.Responses.Add(name, make())
	}
	return RefResponse(name)
}

// Body refers to the body of a request of a name, which make makes the first time.
func (b *Builder) Body(name string, make func() *RequestBody) *RequestBody {
	if b.once("body", name) {
		b.RequestBodies.Add(name, make())
	}
	return RefBody(name)
}

// Header refers to the header of a name, which make makes the first time.
func (b *Builder) Header(name string, make func() *Header) *Header {
	if b.once("header", name) {
		b.Headers.Add(name, make())
	}
	return RefHeader(name)
}

// Content returns a resource in JSON and XML. The schema describes the JSON.
func (b *Builder) Content(schema *Schema) Map[Media] {
	return Map[Media]{{mediaJSON, Media{Schema: schema}}, {mediaXML, Media{Schema: b.XML()}}}
}

// XML refers to the schema of a resource in XML, which JSON Schema cannot describe.
func (b *Builder) XML() *Schema {
	return b.Schema("XML", func() *Schema {
		return &Schema{Type: "string", Description: "A resource in the XML format of FHIR.", ExternalDocs: &ExternalDocs{URL: b.spec + "/xml.html"}}
	})
}

// Type refers to the schema of a type of FHIR: "Patient", "HumanName", "Patient.contact", "uri", or
// "Resource" for any resource.
func (b *Builder) Type(name string) *Schema {
	return b.Schema(name, func() *Schema {
		switch t := b.tables.Type(name); {
		case name == "Resource":
			return b.anyResource()
		case t.Kind == definitions.PrimitiveType:
			return primitive(name)
		default:
			return b.object(t)
		}
	})
}

// openResource returns the schema of a resource of any type, without the elements of the types.
func openResource() *Schema {
	return &Schema{
		Description: "A resource of any type.", Type: "object", Required: []string{"resourceType"},
		Properties: Map[*Schema]{{"resourceType", &Schema{Type: "string"}}},
	}
}

// anyResource returns the schema of a resource of any type.
func (b *Builder) anyResource() *Schema {
	if b.any == nil {
		return openResource()
	}
	s := &Schema{Description: "A resource of any type.", Discriminator: &Discriminator{"resourceType"}}
	for _, name := range b.any {
		s.OneOf = append(s.OneOf, b.Type(name))
	}
	return s
}

// object returns the schema of a type with elements.
func (b *Builder) object(t *definitions.Type) *Schema {
	s := &Schema{Type: "object", AdditionalProperties: Closed()}
	if t.Kind == definitions.ResourceType {
		s.ExternalDocs = &ExternalDocs{URL: b.spec + "/" + strings.ToLower(t.Name) + ".html"}
		s.Required = append(s.Required, "resourceType")
		s.Properties.Add("resourceType", &Schema{Type: "string", Const: t.Name})
	}
	for _, e := range t.Elements {
		if e.Max == 0 {
			continue
		}
		if e.Min > 0 && !e.Choice {
			s.Required = append(s.Required, e.JSON)
		}
		s.Properties.Add(e.JSON, b.element(e))
		if hasExtensions(t, e) {
			s.Properties.Add("_"+e.JSON, b.extensions(e))
		}
	}
	return s
}

// hasExtensions reports whether a member with an underscore holds the id and the extensions of the
// value of an element (https://hl7.org/fhir/R4/json.html#primitive).
func hasExtensions(t *definitions.Type, e *definitions.Element) bool {
	return e.Type.Kind == definitions.PrimitiveType && !e.Attribute && e.TypeCode != "xhtml" &&
		(e.JSON != "id" || t.Kind != definitions.ResourceType)
}

// extensions returns the schema of the member with the extensions of an element.
func (b *Builder) extensions(e *definitions.Element) *Schema {
	if !e.Repeats() {
		return b.Type("Element")
	}
	return b.Schema("Elements", func() *Schema {
		return ArrayOf(&Schema{AnyOf: []*Schema{b.Type("Element"), Null()}})
	})
}

// element returns the schema of an element.
func (b *Builder) element(e *definitions.Element) *Schema {
	one := b.value(e)
	one.References = slices.Clone(e.Targets)
	if e.Choice {
		one.Choice = e.Name
	}
	if !e.Repeats() {
		return one
	}
	if e.Type.Kind == definitions.PrimitiveType { // null where there are extensions only
		one = &Schema{AnyOf: []*Schema{one, Null()}}
	}
	list := ArrayOf(one)
	list.MinItems = min(e.Min, 1)
	return list
}

// value returns the schema of one value of an element.
func (b *Builder) value(e *definitions.Element) *Schema {
	if e.JSON == "contained" { // with all types in it each type would lead to all others, which generators of clients take minutes for
		return b.Schema("ContainedResource", openResource)
	}
	if e.Binding == nil || e.Type.Kind != definitions.PrimitiveType {
		return b.Type(e.Type.Name)
	}
	name := e.Binding.URL[strings.LastIndexByte(e.Binding.URL, '/')+1:]
	return b.Schema("codes."+name, func() *Schema {
		return &Schema{Type: "string", Enum: e.Binding.Codes(), ExternalDocs: &ExternalDocs{URL: e.Binding.URL}}
	})
}
