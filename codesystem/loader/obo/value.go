package obo

import (
	"strings"
)

// unescape resolves the escapes of OBO: \n, \t and \W are white space, any other character stands
// for itself.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'W':
			b.WriteByte(' ')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// quoted reads a text in quotes at the start of a value, and returns the rest.
func quoted(s string) (text, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return unescape(s[1:i]), strings.TrimSpace(s[i+1:]), true
		}
	}
	return "", s, false
}

// structured cuts the comment (! …) and the qualifiers ({…}) from a value made of identifiers and
// quoted texts. Quoted or escaped characters begin neither.
func structured(s string) (value, qualifiers string) {
	inQuotes := false
	open := -1
	end := len(s)
scan:
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '"':
			inQuotes = !inQuotes
		case inQuotes:
		case c == '{' && open < 0 && startsWord(s, i):
			open = i
		case c == '!' && startsWord(s, i):
			end = i
			break scan
		}
	}
	s = strings.TrimSpace(s[:end])
	if open < 0 || open >= len(s) || s[len(s)-1] != '}' {
		return s, ""
	}
	return strings.TrimSpace(s[:open]), s[open+1 : len(s)-1]
}

func startsWord(s string, i int) bool { return i == 0 || s[i-1] == ' ' || s[i-1] == '\t' }

// plain cuts comment and qualifiers from a value that is text without quotes. In such text these
// characters are often meant literally, so a comment needs white space on both sides, and
// qualifiers need their exact form.
func plain(s string) string {
	if at := strings.LastIndex(s, " ! "); at >= 0 && !strings.HasSuffix(s[:at], `\`) {
		s = s[:at]
	}
	s = strings.TrimSpace(s)
	if strings.HasSuffix(s, "}") {
		if open := strings.LastIndexByte(s, '{'); open > 0 && startsWord(s, open) && areQualifiers(s[open+1:len(s)-1]) {
			s = s[:open]
		}
	}
	return strings.TrimSpace(unescape(s))
}

// areQualifiers reports whether s is a list of name="value".
func areQualifiers(s string) bool {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		name, rest, ok := strings.Cut(s, "=")
		if !ok || name == "" || strings.ContainsAny(strings.TrimSpace(name), " \t\"") {
			return false
		}
		if _, s, ok = quoted(strings.TrimSpace(rest)); !ok {
			return false
		}
		s = strings.TrimPrefix(s, ",")
	}
	return true
}

// inContext reports whether qualifiers restrict a statement to a context.
func inContext(qualifiers string) bool {
	return strings.Contains(qualifiers, "gci_relation") || strings.Contains(qualifiers, "gci_filler")
}

// identifier returns the identifier in a value.
func identifier(s string) string {
	value, _ := structured(s)
	return unescape(value)
}

// reference returns the identifier of a cross-reference, without the quoted description after it.
// Names of databases may contain blanks.
func reference(s string) string {
	value, _ := structured(s)
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' {
			i++
		} else if value[i] == '"' && startsWord(value, i) {
			value = value[:i]
			break
		}
	}
	return strings.TrimSpace(unescape(value))
}
