package synth

import "slices"

// Type describes a resource type that can be generated.
type Type struct {
	Name string // "Condition"
	Doc  string // one line
	// Options are the parameters beside seed and codes, in the order of the documentation.
	Options []Option
	// Codes are the paths of elements whose codes can be set with Options.Codes.
	Codes []string
}

// Types returns the types that can be generated: the 21 of the specification and those they refer
// to.
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

// CodePaths returns the Codes of all types, which are the valid paths in PopulationOptions.Codes.
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
	roles   []role   // references that options can set
	options []Option // other options
	codes   []string // paths of elements without a list
}

// typeRows is the table of types.
var typeRows = slices.Concat(administrativeRows, clinicalRows, definitionalRows)

// rowOf returns the row of a type, or nil.
func rowOf(name string) *typeRow {
	for i := range typeRows {
		if typeRows[i].name == name {
			return &typeRows[i]
		}
	}
	return nil
}
