package definitions

import (
	"slices"
	"strings"
)

// ParamKind is the type of a search parameter.
type ParamKind uint8

// The types of search parameters (https://hl7.org/fhir/R4/search.html#ptypes).
const (
	Token ParamKind = iota + 1
	String
	Date
	Reference
	Quantity
	Number
	URI
	Composite
	Special
)

// kindNames are the codes of search-param-type, by kind.
var kindNames = [...]string{Token: "token", String: "string", Date: "date", Reference: "reference", Quantity: "quantity", Number: "number", URI: "uri", Composite: "composite", Special: "special"}

// String returns the code of search-param-type: "token".
func (k ParamKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// SearchParam is a search parameter of one resource type: where R4 defines one for many
// types, each has its own, with the part of the expression that is about it.
type SearchParam struct {
	// Number identifies the parameter for good: ParamNumber(Type, Code). It is never 0, and no
	// two parameters of the tables have the same.
	Number uint32
	// Type is the resource type it is for: "Patient", or "Resource" for those of a search
	// over all types.
	Type string
	// Code is its name in a search: "birthdate".
	Code string
	Kind ParamKind
	// Expression is the FHIRPath of its values from the resource: "Patient.birthDate"; "" for
	// those that are no values of the document (_text, _content, _query).
	Expression string
	// Targets are the resource types a Reference may lead to, nil for any.
	Targets []string
	// Components are the parts of a Composite; their expressions start at each item of Expression.
	Components []Component
	// Alternative is another parameter of the same type that is meant when the value has
	// its form: one that holds '$' where Alternative is a Composite, one that holds '|'
	// where it is a Token and this a String, one without '$' where this is a Composite.
	Alternative *SearchParam
	// Definition is the canonical url of the SearchParameter, "" for our own.
	Definition string
	// Own is set for those that R4 does not have, or has otherwise.
	Own bool
}

// Component is a part of a composite parameter.
type Component struct {
	Param      *SearchParam // tells kind and targets
	Expression string       // "value.as(Quantity)"
}

// ParamNumber returns the number of a parameter: 32-bit FNV-1a of "Type.code".
func ParamNumber(typ, code string) uint32 {
	h := uint32(2166136261)
	for _, s := range [...]string{typ, ".", code} {
		for i := range len(s) {
			h = (h ^ uint32(s[i])) * 16777619
		}
	}
	return h
}

// SearchParams returns the parameters of a resource type by code, those of all resources
// (_id, _tag) among them; those alone for "Resource"; nil for a name that is no type. The
// list is shared.
func (t *Tables) SearchParams(typ string) []*SearchParam { return t.params[typ] }

// SearchParam returns a parameter of a resource type; nil when it has none of that code.
func (t *Tables) SearchParam(typ, code string) *SearchParam {
	list := t.params[typ]
	i, found := slices.BinarySearchFunc(list, code, func(p *SearchParam, code string) int { return strings.Compare(p.Code, code) })
	if !found {
		return nil
	}
	return list[i]
}
