package txtest

import (
	"encoding/base64"
	"strings"
)

// Level is the strictness of string comparison. HL7's own comparator is more lenient than intended,
// and some expected responses have mistakes that pass only because of that.
type Level int

const (
	// Normal ignores spaces and punctuation, and lets a list of primitives be absent.
	Normal Level = iota
	// Official is as lenient as HL7's comparator: strings are equal if they decode to the same
	// bytes as base64, which ignores everything after "=" and sometimes the last character.
	Official
	// Strict compares strings exactly.
	Strict
)

// String returns the name of the level for use in flags.
func (l Level) String() string {
	switch l {
	case Official:
		return "official"
	case Strict:
		return "strict"
	}
	return "normal"
}

// same reports whether two strings are equal at this level. Strings without any character that
// counts are equal only to themselves.
func (l Level) same(expected, actual string) bool {
	if expected == actual || l == Strict {
		return expected == actual
	}
	essence := essenceOf
	if l == Official {
		essence = bytesOf
	}
	left := essence(actual)
	return left != "" && left == essence(expected)
}

// essenceOf removes everything except ASCII letters, digits and "+/_-".
func essenceOf(s string) string {
	return strings.Map(func(r rune) rune {
		if alphanumeric(r) || strings.ContainsRune("+/_-", r) {
			return r
		}
		return -1
	}, s)
}

// bytesOf decodes a text as base64 in either alphabet, up to the first "=". It ignores other
// characters, and a last one that does not complete a byte.
func bytesOf(s string) string {
	s, _, _ = strings.Cut(s, "=")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		case alphanumeric(r) || r == '+' || r == '/':
			return r
		}
		return -1
	}, s)
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	decoded, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return ""
	}
	return string(decoded)
}

func alphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
