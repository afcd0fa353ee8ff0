package codesystem

import (
	"slices"

	"github.com/roget-health/roget/resources/r4"
)

// filtersOf returns the filters that an index supports: each property with its operators, built-in
// ones first, then the declared or used ones, by code. Hierarchical operators are included only if
// the hierarchy supports them.
func filtersOf(x *Index) []r4.CodeSystemFilter {
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
	for _, name := range filterNames(x) {
		add(name)
	}
	return all
}

// filterNames returns the properties that filters may name.
func filterNames(x *Index) []string {
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
