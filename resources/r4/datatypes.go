package r4

import "encoding/json"

// A Coding is a code defined by a code system (R4 datatypes 2.24.0.7).
type Coding struct {
	System       string `json:"system,omitempty"`
	Version      string `json:"version,omitempty"`
	Code         string `json:"code,omitempty"`
	Display      string `json:"display,omitempty"`
	UserSelected *bool  `json:"userSelected,omitempty"`
}

// A CodeableConcept is a concept given by codings and text (R4 datatypes 2.24.0.8).
type CodeableConcept struct {
	Coding []Coding `json:"coding,omitempty"`
	Text   string   `json:"text,omitempty"`
}

// An Identifier is a business identifier (R4 datatypes 2.24.0.11).
type Identifier struct {
	Use    string `json:"use,omitempty"`
	System string `json:"system,omitempty"`
	Value  string `json:"value,omitempty"`
}

// Meta is the metadata of a resource (R4 resource 2.26.3.1).
type Meta struct {
	VersionID   string   `json:"versionId,omitempty"`
	LastUpdated string   `json:"lastUpdated,omitempty"`
	Profile     []string `json:"profile,omitempty"`
	Tag         []Coding `json:"tag,omitempty"`
}

// A Designation is another representation of a concept, with language and use (R4
// CodeSystem.concept.designation, ValueSet.compose.include.concept.designation).
type Designation struct {
	Language string  `json:"language,omitempty"`
	Use      *Coding `json:"use,omitempty"`
	Value    string  `json:"value"`
	// Extension are the extensions, such as the standards status.
	Extension Extensions `json:"extension,omitempty"`
}

// A Value is a value of a choice element (value[x]). Type is the suffix of the element name:
// "String", "Code", "Uri", "Url", "Canonical", "Boolean", "Integer", "Decimal", "Date", "DateTime",
// "Instant", "Id", "Markdown", "Coding", "CodeableConcept", or any other R4 type. The zero Value is
// absent.
type Value struct {
	Type string
	// Text is the literal of a primitive exactly as sent: "true", "1.50", "en".
	Text string
	// Coding is set for Type "Coding", Concept for Type "CodeableConcept".
	Coding  *Coding
	Concept *CodeableConcept
	// Raw is the JSON of any other complex type.
	Raw json.RawMessage
}

// IsZero reports whether there is no value.
func (v Value) IsZero() bool { return v.Type == "" }

// Constructors for the values that operations return.

// String returns a valueString.
func String(s string) Value { return Value{Type: "String", Text: s} }

// Code returns a valueCode.
func Code(s string) Value { return Value{Type: "Code", Text: s} }

// URI returns a valueUri.
func URI(s string) Value { return Value{Type: "Uri", Text: s} }

// Boolean returns a valueBoolean.
func Boolean(b bool) Value {
	if b {
		return Value{Type: "Boolean", Text: "true"}
	}
	return Value{Type: "Boolean", Text: "false"}
}

// ValidID reports whether a text is a logical id: 1 to 64 ASCII letters, digits, - and . (R4
// datatypes, id).
func ValidID(id string) bool {
	if len(id) < 1 || len(id) > 64 {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.':
		default:
			return false
		}
	}
	return true
}
