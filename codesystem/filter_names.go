package codesystem

// FilterOperators lists the operators that Filter knows: those of R4, then child-of and
// descendent-leaf of R5.
func FilterOperators() []string {
	names := make([]string, len(operators))
	for i, o := range &operators {
		names[i] = o.name
	}
	return names
}
