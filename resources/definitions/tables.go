package definitions

import "sync"

// Tables are the facts of FHIR R4 that writing and searching need: types with their
// elements, search parameters and compartments. They are shared and must not be changed.
type Tables struct {
	resources    []string
	types        map[string]*Type
	params       map[string][]*SearchParam
	compartments map[string]*Compartment
}

// R4 returns the tables of FHIR 4.0.1 with the search parameters and compartment members
// of Roget's own, which have Own set. They are unpacked once, in a few milliseconds.
func R4() *Tables { return r4Tables() }

var r4Tables = sync.OnceValue(unpackTables)

// Resources returns the names of the resource types there are documents of, in ascending
// order: not Resource and DomainResource, which are abstract. Parameters is among them,
// although it is never stored.
func (t *Tables) Resources() []string { return t.resources }

// IsResource reports that a name is one of Resources.
func (t *Tables) IsResource(name string) bool {
	typ := t.types[name]
	return typ != nil && typ.Kind == ResourceType && !typ.Abstract
}

// Type returns a type by name: "Patient", "HumanName", "string", "Patient.contact" for a
// backbone element. It gives nil for a name that is none. R4 names types with case.
func (t *Tables) Type(name string) *Type { return t.types[name] }
