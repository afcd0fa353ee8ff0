package synth

import "slices"

// Type describes what is made of a resource type.
type Type struct {
	Name string // "Condition"
	Doc  string // one line
	// Options are what can be said beside seed and codes, in the order of documentation.
	Options []Option
	// Codes are the paths of elements whose codes can be chosen, see Options.Codes.
	Codes []string
}

// Types returns the types that resources are made of: the 21 of the service and those they
// refer to.
func Types() []Type {
	list := make([]Type, len(typeRows))
	for i := range typeRows {
		t := &typeRows[i]
		list[i] = Type{Name: t.name, Doc: t.doc, Options: t.allOptions(), Codes: t.codes}
	}
	return list
}

// TypeNames returns the names of Types.
func TypeNames() []string {
	names := make([]string, len(typeRows))
	for i := range typeRows {
		names[i] = typeRows[i].name
	}
	return names
}

// CodePaths returns the paths of Type.Codes of all types: those of PopulationOptions.Codes.
func CodePaths() []string {
	var paths []string
	for i := range typeRows {
		paths = append(paths, typeRows[i].codes...)
	}
	return paths
}

// typeRow is a row of the table of types.
type typeRow struct {
	name    string
	doc     string
	make    maker
	roles   []role   // references that may be given
	options []Option // others
	codes   []string // elements without a list of the document
}

// typeRows is the table of types.
var typeRows = slices.Concat(administrativeRows, clinicalRows, definitionalRows)

// rowOf finds the row of a type, nil when there is none.
func rowOf(name string) *typeRow {
	for i := range typeRows {
		if typeRows[i].name == name {
			return &typeRows[i]
		}
	}
	return nil
}
