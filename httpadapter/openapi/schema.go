package openapi

// A Schema is a schema of JSON Schema 2020-12, with the keywords that this project uses.
type Schema struct {
	Ref                  string         `json:"$ref,omitempty"`
	Title                string         `json:"title,omitempty"`
	Description          string         `json:"description,omitempty"`
	ExternalDocs         *ExternalDocs  `json:"externalDocs,omitempty"`
	Type                 string         `json:"type,omitempty"`
	Format               string         `json:"format,omitempty"`
	Const                string         `json:"const,omitempty"`
	Enum                 []string       `json:"enum,omitempty"`
	Default              any            `json:"default,omitempty"`
	Pattern              string         `json:"pattern,omitempty"`
	MinLength            int            `json:"minLength,omitempty"`
	MaxLength            int            `json:"maxLength,omitempty"`
	Minimum              *int           `json:"minimum,omitempty"`
	Maximum              *int           `json:"maximum,omitempty"`
	ContentEncoding      string         `json:"contentEncoding,omitempty"`
	MinItems             int            `json:"minItems,omitempty"`
	Items                *Schema        `json:"items,omitempty"`
	Required             []string       `json:"required,omitempty"`
	Properties           Map[*Schema]   `json:"properties,omitempty"`
	AdditionalProperties any            `json:"additionalProperties,omitempty"` // *Schema or Closed
	AllOf                []*Schema      `json:"allOf,omitempty"`
	AnyOf                []*Schema      `json:"anyOf,omitempty"`
	OneOf                []*Schema      `json:"oneOf,omitempty"`
	Discriminator        *Discriminator `json:"discriminator,omitempty"`

	// References are the resource types that a Reference may refer to, and Choice is the name of the
	// choice of which an element is a variant. Cardinality says how often a parameter may be there, and
	// ValueType is its type in FHIR.
	References  []string `json:"x-references,omitempty"`
	Choice      string   `json:"x-choice,omitempty"`
	Cardinality string   `json:"x-cardinality,omitempty"`
	ValueType   string   `json:"x-type,omitempty"`
}

// A Discriminator names the property that tells which of several schemas applies.
type Discriminator struct {
	PropertyName string `json:"propertyName"`
}

// Closed is the value of Schema.AdditionalProperties of an object that has no other properties. It
// is a pointer, as encoding/json leaves out false.
func Closed() *bool { return new(bool) }

// ArrayOf returns the schema of an array.
func ArrayOf(items *Schema) *Schema { return &Schema{Type: "array", Items: items} }

// Null is the schema of null.
func Null() *Schema { return &Schema{Type: "null"} }

// ref returns the reference to a component.
func ref(kind, name string) string { return "#/components/" + kind + "/" + name }

// RefSchema refers to a schema.
func RefSchema(name string) *Schema { return &Schema{Ref: ref("schemas", name)} }

// RefParameter refers to a parameter.
func RefParameter(name string) *Parameter { return &Parameter{Ref: ref("parameters", name)} }

// RefResponse refers to a response.
func RefResponse(name string) *Response { return &Response{Ref: ref("responses", name)} }

// RefBody refers to the body of a request.
func RefBody(name string) *RequestBody { return &RequestBody{Ref: ref("requestBodies", name)} }

// RefHeader refers to a header.
func RefHeader(name string) *Header { return &Header{Ref: ref("headers", name)} }
