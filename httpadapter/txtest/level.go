package txtest

import (
	"encoding/base64"
	"strings"
)

// Level says how exactly strings are compared. HL7's own comparator is more lenient
// than it means to be, and some expected answers have slips that only pass because of
// it.
type Level int

const (
	// Normal takes strings for equal that are equal without blanks and punctuation, and
	// lets a list of primitives be absent.
	Normal Level = iota
	// Official goes as far as HL7's comparator: strings are equal when they decode to
	// the same bytes of base64, so that what follows a "=" does not count, nor sometimes
	// the last character.
	Official
	// Strict takes strings as they are.
	Strict
)

// String returns the level's name as the option of a command line.
func (l Level) String() string {
	switch l {
	case Official:
		return "official"
	case Strict:
		return "strict"
	}
	return "normal"
}

// same reports that two strings are equal on a level. Strings of which nothing is left
// are only equal to themselves.
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

// essenceOf keeps ASCII letters, digits and "+/_-".
func essenceOf(s string) string {
	return strings.Map(func(r rune) rune {
		if alphanumeric(r) || strings.ContainsRune("+/_-", r) {
			return r
		}
		return -1
	}, s)
}

// bytesOf decodes a text as base64 of either alphabet up to the first "=". Other
// characters are passed over, and so is a last one that gives no whole byte.
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
