package search

import "strings"

// cut divides a value at each sep that is not escaped by a backslash, and keeps the
// escapes (https://hl7.org/fhir/R4/search.html#escaping).
func cut(s string, sep byte) []string {
	var parts []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case sep:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

// holds reports that a value has a character that is not escaped.
func holds(s string, c byte) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case c:
			return true
		}
	}
	return false
}

// unescape takes the backslash off what it escapes: comma, dollar, bar and backslash. Any
// other backslash stands for itself.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(`,$|\`, s[i+1]) >= 0 {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}
