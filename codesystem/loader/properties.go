package loader

import "strings"

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

// IsDateTime reports whether a text is a dateTime (R4 datatypes): a year, a month, a day, or a
// time with seconds and zone.
func IsDateTime(s string) bool {
	const shape = "dddd-dd-ddTdd:dd:dd"
	for i := range min(len(s), len(shape)) {
		if digit := s[i] >= '0' && s[i] <= '9'; shape[i] == 'd' && !digit || shape[i] != 'd' && s[i] != shape[i] {
			return false
		}
	}
	switch {
	case len(s) == 4 || len(s) == 7 || len(s) == 10:
		return true
	case len(s) <= len(shape):
		return false
	}
	zone := s[len(shape):]
	if zone[0] == '.' {
		digits := len(zone[1:]) - len(strings.TrimLeft(zone[1:], "0123456789"))
		if digits == 0 {
			return false
		}
		zone = zone[1+digits:]
	}
	return zone == "Z" || len(zone) == 6 && (zone[0] == '+' || zone[0] == '-') && zone[3] == ':' &&
		strings.Trim(zone[1:3]+zone[4:], "0123456789") == ""
}
