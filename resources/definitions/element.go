package definitions

import "github.com/roget-health/roget/resources/r4"

// TypeKind is the kind of a Type.
type TypeKind uint8

// The kinds of types.
const (
	PrimitiveType TypeKind = iota + 1 // "string": a JSON string, number or boolean, with id and extension beside it
	ComplexType                       // "HumanName"
	ResourceType                      // "Patient"
	BackboneType                      // "Patient.contact", "Timing.repeat": defined inside another type
)

// A Type is a type of R4 with its elements (https://hl7.org/fhir/R4/datatypes.html).
type Type struct {
	// Name is the name in FHIR: "Patient", "HumanName", "code", "Patient.contact".
	Name string
	Kind TypeKind
	// Abstract is set for Resource, DomainResource, Element and BackboneElement.
	Abstract bool
	// Base is the type that this type specialises: "DomainResource", "Element", "Quantity" for Age,
	// "uri" for canonical; "" for Element and Resource.
	Base string
	// Value is the kind of the values of a primitive type in JSON: r4.KindString, r4.KindNumber or
	// r4.KindBoolean; r4.KindNone for other types.
	Value r4.Kind
	// Elements are in the order of the definition, including inherited ones. A choice has one
	// variant for each type; those of value[x] follow each other. A primitive type has id and
	// extension, but not its value.
	Elements []*Element

	byJSON   map[string]*Element
	required []*Element
}

// Element returns the element with a JSON name: "birthDate", "valueQuantity". It returns nil if
// there is none, and for "value[x]" and "_birthDate".
func (t *Type) Element(json string) *Element { return t.byJSON[json] }

// Required returns the elements that are required (Min above 0). Of a choice it returns the first
// variant.
func (t *Type) Required() []*Element { return t.required }

// Choices returns the variants of a choice by its name, "value[x]"; nil if the type has no such
// choice.
func (t *Type) Choices(name string) []*Element {
	for i, e := range t.Elements {
		if e.Name != name || !e.Choice {
			continue
		}
		end := i + 1
		for end < len(t.Elements) && t.Elements[end].Name == name {
			end++
		}
		return t.Elements[i:end:end]
	}
	return nil
}

// Unbounded is the Max of an element without an upper limit.
const Unbounded = -1

// An Element is an element of a type, or a variant of a choice.
type Element struct {
	// Name is the name in the definition: "birthDate", "value[x]".
	Name string
	// JSON is the name of the member: "birthDate", "valueQuantity".
	JSON string
	// Path is the full name: "Patient.birthDate", "Observation.value[x]".
	Path string
	// Type is the type of the values. For a reference to content of the same resource
	// (Questionnaire.item.item) it is the type of that content, for contained and other elements
	// with any resource it is the abstract type Resource, and for BackboneElement it is the type
	// named by Path.
	Type *Type
	// TypeCode is the type in the definition: "Reference", "BackboneElement", "code".
	TypeCode string
	// Min and Max are the cardinality. Max is Unbounded or 1, or 0 if a type prohibits an element
	// of its base. The variants of a choice have the cardinality of the choice.
	Min, Max int
	// Choice is set for each variant of a choice.
	Choice bool
	// Attribute is set for elements that are attributes in XML: the id of an element (not that of a
	// resource), and the url of an extension.
	Attribute bool
	// Order is the index of the element in the Elements of its type.
	Order int
	// Targets are the resource types that a Reference or canonical may refer to, nil for any.
	Targets []string
	// Binding is the list of codes of a required binding, if the list is closed and consists of
	// codes of FHIR itself; otherwise nil.
	Binding *CodeList
	// ValueSet is the value set of another required binding, or, with Extensible, of an extensible
	// one.
	ValueSet   string
	Extensible bool
	// Summary is set for elements of summaries (_summary=true), and Modifier for those that change
	// the meaning of others.
	Summary, Modifier bool
}

// Repeats reports whether the element is an array in JSON.
func (e *Element) Repeats() bool { return e.Max == Unbounded || e.Max > 1 }

// valueKind returns the Value of a primitive type.
func valueKind(name string) r4.Kind {
	switch name {
	case "boolean":
		return r4.KindBoolean
	case "integer", "unsignedInt", "positiveInt", "decimal":
		return r4.KindNumber
	}
	return r4.KindString
}
