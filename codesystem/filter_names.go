package codesystem

import (
	"slices"

	"github.com/roget-health/roget/resources/r4"
)

// FilterOperators names every operator that Filter knows: those of R4, then child-of
// and descendent-leaf of R5.
func FilterOperators() []string {
	names := make([]string, len(operators))
	for i, o := range &operators {
		names[i] = o.name
	}
	return names
}

// Filters tells which filters this index answers: each property with its operators,
// built-in ones first, then those declared or used, by code. Hierarchical operators
// are there only if the hierarchy bears them. It is what a TerminologyCapabilities
// says about the code system.
func (x *Index) Filters() []r4.CodeSystemFilter {
	var all []r4.CodeSystemFilter
	add := func(property string) {
		target, _, err := x.targetOf(property)
		if err != nil {
			return
		}
		f := r4.CodeSystemFilter{Code: property}
		for _, o := range &operators {
			if target.takes(o.op) && (!o.op.hierarchical() || x.Hierarchical() && (o.op == opChildOf || x.Subsumptive())) {
				f.Operator = append(f.Operator, o.name)
			}
		}
		all = append(all, f)
	}
	for _, name := range x.FilterNames() {
		add(name)
	}
	return all
}

// FilterNames gives the properties that filters may name: see Filters.
func (x *Index) FilterNames() []string {
	names := []string{"concept", "code", "display", "definition", "inactive", "deprecated", "notSelectable", "abstract", "status"}
	if x.Hierarchical() {
		names = append(names, "parent", "child")
		if x.Subsumptive() {
			names = append(names, "ancestor", "descendant")
		}
	}
	builtIn := len(names)
	names = append(names, x.PropertyNames()...)
	for i := range x.Header().Property {
		names = append(names, x.Header().Property[i].Code)
	}
	others := names[builtIn:]
	slices.Sort(others)
	others = slices.Compact(others)
	others = slices.DeleteFunc(others, func(name string) bool { return slices.Contains(names[:builtIn], name) })
	return names[:builtIn+len(others)]
}
