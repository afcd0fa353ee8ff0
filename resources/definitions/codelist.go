package definitions

// A CodeList is the list of codes of a closed value set.
type CodeList struct {
	// URL is the canonical of the value set without version.
	URL string

	codes []string
	index map[string][]string // code to its systems
}

// Contains reports whether a code is in the list, in any system.
func (c *CodeList) Contains(code string) bool { return c.index[code] != nil }

// ContainsCoding reports whether a code of a system is in the list. Without a system it is
// Contains.
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

// System returns the system of a code, the first in the order of the definition if there are
// several, and "" for a code that is not in the list.
func (c *CodeList) System(code string) string {
	if systems := c.index[code]; len(systems) > 0 {
		return systems[0]
	}
	return ""
}

// Codes returns the codes in the order of the definition. The list is shared.
func (c *CodeList) Codes() []string { return c.codes }
