package definitions

// TypeKind tells what a Type is.
type TypeKind uint8

// The kinds of types.
const (
	PrimitiveType TypeKind = iota + 1 // "string": a JSON string, number or boolean, with id and extension beside it
	ComplexType                       // "HumanName"
	ResourceType                      // "Patient"
	BackboneType                      // "Patient.contact", "Timing.repeat": defined within another type
)

// Type is a type of R4 with its elements (https://hl7.org/fhir/R4/datatypes.html).
type Type struct {
	// Name is the name in FHIR: "Patient", "HumanName", "code", "Patient.contact".
	Name string
	Kind TypeKind
	// Abstract is set for Resource, DomainResource, Element and BackboneElement.
	Abstract bool
	// Base is what the type specialises: "DomainResource", "Element", "Quantity" for Age,
	// "uri" for canonical; "" for Element and Resource.
	Base string
	// Elements are in the order of the definition, inherited ones among them, with a
	// variant of each type for a choice: those of value[x] follow each other. A primitive
	// type has id and extension, not its value.
	Elements []*Element

	byJSON   map[string]*Element
	required []*Element
}

// Element returns the element with a name as in JSON: "birthDate", "valueQuantity". It
// gives nil when the type has none. "value[x]" and "_birthDate" are no such names.
func (t *Type) Element(json string) *Element { return t.byJSON[json] }

// Required returns the elements that must be there (Min above 0), of a choice its first
// variant.
func (t *Type) Required() []*Element { return t.required }

// Choices returns the variants of a choice by its name, "value[x]"; nil when the type has
// no such choice.
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

// Unbounded is the Max of an element that may repeat without end.
const Unbounded = -1

// Element is an element of a type, or a variant of one that is a choice.
type Element struct {
	// Name is the name in the definition: "birthDate", "value[x]".
	Name string
	// JSON is the name of the member: "birthDate", "valueQuantity".
	JSON string
	// Path is the whole name: "Patient.birthDate", "Observation.value[x]".
	Path string
	// Type is what its values are. For a reference to content of the same resource
	// (Questionnaire.item.item) it is the type of that; for contained and other elements
	// of any resource it is the abstract type Resource; for BackboneElement the type named
	// by Path.
	Type *Type
	// TypeCode is the type as the definition has it: "Reference", "BackboneElement", "code".
	TypeCode string
	// Min and Max are how often it may be there; Max is Unbounded or 1, or 0 where a
	// type forbids what its base has. For a variant of a choice they are those of the
	// choice as a whole.
	Min, Max int
	// Choice is set for each variant of a choice.
	Choice bool
	// Targets are the resource types that a Reference or canonical may lead to, nil for any.
	Targets []string
	// Binding is the list of codes of a required binding where the list is closed and of
	// codes of FHIR's own; nil otherwise.
	Binding *CodeList
	// Summary is set for elements of summaries (_summary=true); Modifier for those that
	// change the meaning of others.
	Summary, Modifier bool
}

// Repeats reports that JSON has an array of the element's values.
func (e *Element) Repeats() bool { return e.Max == Unbounded || e.Max > 1 }
