package loader

// OwnProperty returns the code of a property that a source calls by a name of its own. A
// name that means something in FHIR, such as status or child, gets the prefix: the
// property of the source need not mean that.
func OwnProperty(prefix, name string) string {
	switch name {
	case "parent", "child", "subsumedBy", "inactive", "status", "deprecated", "deprecationDate", "retired",
		"notSelectable", "not-selectable", "abstract", "display", "definition", "designation", "code":
		return prefix + "-" + name
	}
	return name
}
