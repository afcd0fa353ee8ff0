package definitions

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Tables are the facts of FHIR R4 that writing and searching need: types with their elements,
// search parameters and compartments. They are shared and must not be changed.
type Tables struct {
	resources    []string
	types        map[string]*Type
	params       map[string][]*SearchParam
	compartments map[string]*Compartment
	constraints  []Constraint
}

// A Constraint is a rule about an element, or about all values of a type, that R4 writes as FHIRPath.
type Constraint struct {
	Key        string // "obs-7"
	Warning    bool   // whether its severity is warning, otherwise it is error
	Path       string // of the type or element: "Observation", "Patient.contact", "Narrative.div"
	Expression string // FHIRPath, which must be true
	Human      string // what it says
}

// Constraints returns the constraints in the order of the definitions. Types inherit those of their
// bases.
func (t *Tables) Constraints() []Constraint { return t.constraints }

// R4 returns the tables of FHIR 4.0.1, including the search parameters and compartment members of
// this project, which have Own set. They are unpacked once, in a few milliseconds.
func R4() *Tables { return r4Tables() }

var r4Tables = sync.OnceValue(unpackTables)

// R5 returns the tables of FHIR 5.0.0 for terminology: the types Bundle, CapabilityStatement,
// CodeSystem, ConceptMap, NamingSystem, OperationDefinition, OperationOutcome, Parameters,
// TerminologyCapabilities and ValueSet with the datatypes that they use. They have no search
// parameters and no compartments. They are unpacked once, in less than a millisecond.
func R5() *Tables { return r5Tables() }

var r5Tables = sync.OnceValue(unpackR5)

// Resources returns the names of the concrete resource types in ascending order, that is, without
// Resource and DomainResource. It includes Parameters, although Parameters is never stored.
func (t *Tables) Resources() []string { return t.resources }

// IsResource reports whether a name is one of Resources.
func (t *Tables) IsResource(name string) bool {
	typ := t.types[name]
	return typ != nil && typ.Kind == ResourceType && !typ.Abstract
}

// Types returns the names of types except those of backbone elements, in ascending order.
func (t *Tables) Types() []string {
	var list []string
	for name, typ := range t.types {
		if typ.Kind != BackboneType {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// Type returns a type by name: "Patient", "HumanName", "string", "Patient.contact" for a backbone
// element; nil for an unknown name. Names are case-sensitive.
func (t *Tables) Type(name string) *Type { return t.types[name] }

// TargetType returns the type in a reference: Type/id, Type/id/_history/n, Type?query, or a URL that
// ends in one of these forms; nil if it is no resource type.
func (t *Tables) TargetType(reference string) *Type {
	reference, _, conditional := strings.Cut(reference, "?")
	if !conditional {
		reference, _, _ = strings.Cut(reference, "/_history/")
		reference = reference[:max(strings.LastIndexByte(reference, '/'), 0)]
	}
	name := reference[strings.LastIndexByte(reference, '/')+1:]
	if !t.IsResource(name) {
		return nil
	}
	return t.types[name]
}

// AllTypes returns all types in no particular order.
func (t *Tables) AllTypes() iter.Seq[*Type] { return maps.Values(t.types) }

// A Compartment defines which resources belong to a resource of its type
// (https://hl7.org/fhir/R4/compartmentdefinition.html).
type Compartment struct {
	// Name is the code, which is the resource type that owns the compartment: "Patient".
	Name string

	types  []string
	params map[string][]string
}

// Types returns the resource types that can be members, in ascending order.
func (c *Compartment) Types() []string { return c.types }

// Params returns the codes of the search parameters that make a resource of a type a member if one
// of them refers to the owner of the compartment; nil if the type cannot be a member.
func (c *Compartment) Params(typ string) []string { return c.params[typ] }

// Compartment returns a compartment by name: "Patient", "Encounter", "Device", "Practitioner" or
// "RelatedPerson"; nil for other names.
func (t *Tables) Compartment(name string) *Compartment { return t.compartments[name] }
