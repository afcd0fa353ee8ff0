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

// A SearchParam is a search parameter of one resource type. If R4 defines one for several types,
// each type has its own, with its part of the expression.
type SearchParam struct {
	// Number identifies the parameter permanently: ParamNumber(Type, Code). It is never 0 and
	// unique in the tables.
	Number uint32
	// Type is the resource type: "Patient", or "Resource" for parameters of a search over all
	// types.
	Type string
	// Code is the name in a search: "birthdate".
	Code string
	Kind ParamKind
	// Expression is the FHIRPath of the values, evaluated on the resource: "Patient.birthDate"; ""
	// for parameters that are not about values of the document (_text, _content, _query).
	Expression string
	// Targets are the resource types that a Reference may refer to, nil for any.
	Targets []string
	// Components are the parts of a Composite. Their expressions are evaluated on each item of
	// Expression.
	Components []Component
	// Alternative is another parameter of the same type, used for values of its form: values with
	// '$' if Alternative is a Composite, values with '|' if it is a Token and this is a String, and
	// values without '$' if this is a Composite.
	Alternative *SearchParam
	// Definition is the canonical URL of the SearchParameter, "" for parameters of this project.
	Definition string
	// Own is set for parameters that R4 lacks or defines differently.
	Own bool
}

// A Component is a part of a composite parameter.
type Component struct {
	Param      *SearchParam // has the kind and the targets
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

// SearchParams returns the parameters of a resource type by code, including those of all resources
// (_id, _tag). For "Resource" it returns only the latter, and nil for an unknown type. The list is
// shared.
func (t *Tables) SearchParams(typ string) []*SearchParam { return t.params[typ] }

// SearchParam returns a parameter of a resource type, nil if there is none with the code.
func (t *Tables) SearchParam(typ, code string) *SearchParam {
	list := t.params[typ]
	i, found := slices.BinarySearchFunc(list, code, func(p *SearchParam, code string) int { return strings.Compare(p.Code, code) })
	if !found {
		return nil
	}
	return list[i]
}
