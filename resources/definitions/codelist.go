package definitions

// CodeList is the codes of a value set that is closed.
type CodeList struct {
	// URL is the canonical of the value set without version.
	URL string

	codes []string
	index map[string][]string // code to its systems
}

// Contains reports that a code is in the list, of whatever system.
func (c *CodeList) Contains(code string) bool { return c.index[code] != nil }

// ContainsCoding reports that a code of a system is in the list. Without a system it is
// as Contains.
func (c *CodeList) ContainsCoding(system, code string) bool {
	systems := c.index[code]
	if system == "" {
		return systems != nil
	}
	for _, s := range systems {
		if s == system {
			return true
		}
	}
	return false
}

// System returns the system of a code: the first, in the order of the definition, of those
// that have it; "" for a code that is not in the list.
func (c *CodeList) System(code string) string {
	if systems := c.index[code]; len(systems) > 0 {
		return systems[0]
	}
	return ""
}

// Codes returns the codes in the order of the definition. The list is shared.
func (c *CodeList) Codes() []string { return c.codes }
