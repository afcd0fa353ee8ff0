package loader

// OwnProperty returns the property code for a name that a source defines itself. A name that FHIR
// defines, such as status or child, gets the prefix, since the source may mean something else by
// it.
func OwnProperty(prefix, name string) string {
	switch name {
	case "parent", "child", "subsumedBy", "inactive", "status", "deprecated", "deprecationDate", "retired",
		"notSelectable", "not-selectable", "abstract", "display", "definition", "designation", "code":
		return prefix + "-" + name
	}
	return name
}
