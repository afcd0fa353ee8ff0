package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// openAPIPaths are the possible paths of the OpenAPI document, in order of precedence.
var openAPIPaths = [...]string{"/api/openapi/openapi.json", "/api/openapi.json"}

// maxDepth limits the nesting of schemas.
const maxDepth = 16

// A node has the used members of a schema in an OpenAPI document.
type node struct {
	Ref                  string                     `json:"$ref"`
	Type                 json.RawMessage            `json:"type"` // a name, or names
	Format               string                     `json:"format"`
	Enum                 []json.RawMessage          `json:"enum"`
	Items                json.RawMessage            `json:"items"`
	Properties           map[string]json.RawMessage `json:"properties"`
	AdditionalProperties json.RawMessage            `json:"additionalProperties"`
	Required             []string                   `json:"required"`
	AllOf                []json.RawMessage          `json:"allOf"`
	OneOf                []json.RawMessage          `json:"oneOf"`
	AnyOf                []json.RawMessage          `json:"anyOf"`
	Nullable             bool                       `json:"nullable"`
	Description          string                     `json:"description"`
}

// A document is an OpenAPI document that is being converted. Components and the values of enumerations are
// read once, however often they are referred to.
type document struct {
	components map[string]*node
	enums      map[string]string
	fields     int // remaining limit of fields
	work       int // remaining limit of bytes that are read again or written
}

// FromOpenAPI converts an OpenAPI document of at most 64 MiB. Every component becomes a type. A dangling
// reference becomes its name, circular references end, and members of an unexpected kind count as
// absent. Platform toolkit, section 4.5.
func FromOpenAPI(doc []byte) ([]Type, error) { return fromOpenAPI(doc, maxFields) }

func fromOpenAPI(doc []byte, fields int) ([]Type, error) {
	if err := checkSize(doc, maxDocument); err != nil {
		return nil, err
	}
	var envelope struct {
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
	}
	if err := lenient(doc, &envelope); err != nil {
		return nil, fmt.Errorf("catalogue: the OpenAPI document of the server is not JSON: %w", err)
	}
	schemas := envelope.Components.Schemas
	switch {
	case schemas == nil:
		return nil, errors.New("catalogue: the OpenAPI document has no components.schemas")
	case len(schemas) > maxTypes:
		return nil, fmt.Errorf("%w: %d components, at most %d", ErrLimit, len(schemas), maxTypes)
	}
	d := &document{components: make(map[string]*node, len(schemas)), enums: map[string]string{}, fields: fields, work: 4 * maxDocument}
	for name, raw := range schemas {
		d.components[name] = read(raw)
	}
	types := make([]Type, 0, len(schemas))
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		t := Type{Name: name, Fields: d.fieldsOf(d.components[name])}
		if d.fields < 0 || d.work < 0 {
			return nil, fmt.Errorf("%w: components with more than %d fields, or references to more than %d bytes", ErrLimit, fields, 4*maxDocument)
		}
		types = append(types, t)
	}
	return normalise(types)
}

// read reads a schema. Anything else is an empty schema.
func read(raw json.RawMessage) *node {
	n := &node{}
	if lenient(raw, n) != nil {
		return &node{}
	}
	return n
}

// fieldsOf returns the fields of a component sorted by name, including the fields of the components that
// it combines.
func (d *document) fieldsOf(n *node) []Field {
	properties := map[string]json.RawMessage{}
	required := map[string]bool{}
	d.gather(n, properties, required, map[*node]bool{}, 0)
	fields := make([]Field, 0, len(properties))
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !named(name) {
			continue
		}
		if d.work -= len(properties[name]); d.work < 0 {
			break
		}
		p := read(properties[name])
		rendered := d.rendered(p, 0)
		if !required[name] && !strings.HasSuffix(rendered, orNone) {
			rendered += orNone
		}
		f := Field{Name: name, Type: rendered, Required: required[name], Description: described(p.Description)}
		d.work -= len(f.Type) + len(f.Text())
		fields = append(fields, f)
	}
	return fields
}

// gather collects the properties of a schema and of the schemas that it combines. The first property of a
// name wins.
func (d *document) gather(n *node, properties map[string]json.RawMessage, required map[string]bool, seen map[*node]bool, depth int) {
	if n.Ref != "" {
		if n = d.components[refersTo(n.Ref)]; n == nil {
			return
		}
	}
	d.fields -= 1 + len(n.Properties)
	if seen[n] || depth > maxDepth || d.fields < 0 {
		return
	}
	seen[n] = true
	for name, raw := range n.Properties {
		if properties[name] == nil {
			properties[name] = raw
		}
	}
	for _, name := range n.Required {
		required[name] = true
	}
	for _, part := range n.AllOf {
		if d.work -= len(part); d.work < 0 {
			return
		}
		d.gather(read(part), properties, required, seen, depth+1)
	}
}

// refersTo returns the component that a reference such as "#/components/schemas/User" names.
func refersTo(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }
