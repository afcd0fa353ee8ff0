package codesystem

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// A value is stored as a letter for its type, followed by its text. Values of a property are
// sorted by these bytes. The values of one type are therefore adjacent, and one value is found by
// binary search. A Coding begins with its code and system, so that the Codings of a code, or of a
// system and code, are adjacent too.
const (
	letterBoolean  = 'b'
	letterCode     = 'c'
	letterCoding   = 'C' // code, system, version, display, userSelected, each followed by NUL
	letterDateTime = 'd'
	letterDecimal  = 'f'
	letterInteger  = 'i'
	letterString   = 's'
	letterOther    = 'x' // name of the type, NUL, text
)

// letterOf returns the letter of a type as r4.Value names it.
func letterOf(typ string) byte {
	switch typ {
	case "Boolean":
		return letterBoolean
	case "Code":
		return letterCode
	case "Coding":
		return letterCoding
	case "DateTime":
		return letterDateTime
	case "Decimal":
		return letterDecimal
	case "Integer":
		return letterInteger
	case "String":
		return letterString
	}
	return letterOther
}

// letterDeclared returns the letter of a type as CodeSystem.property.type names it, 0 if unknown.
func letterDeclared(typ string) byte {
	switch typ {
	case "boolean":
		return letterBoolean
	case "code":
		return letterCode
	case "Coding":
		return letterCoding
	case "dateTime":
		return letterDateTime
	case "decimal":
		return letterDecimal
	case "integer":
		return letterInteger
	case "string":
		return letterString
	}
	return 0
}

// typeOfLetter is the inverse of letterOf.
func typeOfLetter(letter byte) string {
	switch letter {
	case letterBoolean:
		return "Boolean"
	case letterCode:
		return "Code"
	case letterCoding:
		return "Coding"
	case letterDateTime:
		return "DateTime"
	case letterDecimal:
		return "Decimal"
	case letterInteger:
		return "Integer"
	}
	return "String"
}

// afterLetter returns a text that sorts after all values with a letter and before those of the
// next letter, without allocating.
func afterLetter(letter byte) string {
	const letters = "CDbcdefgijstxy"
	if i := strings.IndexByte(letters, letter); i >= 0 && i+1 < len(letters) && letters[i+1] == letter+1 {
		return letters[i+1 : i+2]
	}
	return ""
}

// appendValue encodes a value. The error describes what is wrong with it.
func appendValue(dst []byte, v r4.Value) ([]byte, error) {
	letter := letterOf(v.Type)
	dst = append(dst, letter)
	switch letter {
	case letterCoding:
		c := v.Coding
		if c == nil {
			return nil, fmt.Errorf("%w: valueCoding without a Coding", ErrBadProperty)
		}
		for _, part := range [...]string{c.Code, c.System, c.Version, c.Display, selected(c.UserSelected)} {
			if strings.IndexByte(part, 0) >= 0 {
				return nil, fmt.Errorf("%w: NUL in a Coding", ErrBadProperty)
			}
			dst = append(append(dst, part...), 0)
		}
		return dst, nil
	case letterOther:
		if v.Type == "" || v.Concept != nil || v.Raw != nil || strings.IndexByte(v.Type, 0) >= 0 {
			return nil, fmt.Errorf("%w: value[x] of type %q", ErrBadProperty, v.Type)
		}
		dst = append(append(dst, v.Type...), 0)
	case letterBoolean:
		if v.Text != "true" && v.Text != "false" {
			return nil, badLexical(v)
		}
	case letterInteger, letterDecimal:
		if _, ok := parseNumber(v.Text); !ok || letter == letterInteger && strings.ContainsAny(v.Text, ".eE") {
			return nil, badLexical(v)
		}
	}
	return append(dst, v.Text...), nil
}

func badLexical(v r4.Value) error {
	return fmt.Errorf("%w: %q is not a valid %s", ErrBadProperty, v.Text, strings.ToLower(v.Type))
}

func selected(b *bool) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return "true"
	}
	return "false"
}

// decodeValue is the inverse of appendValue. It never fails, whatever the bytes.
func decodeValue(enc string) r4.Value {
	if enc == "" {
		return r4.Value{}
	}
	letter, text := enc[0], enc[1:]
	switch letter {
	case letterCoding:
		var c r4.Coding
		var flag string
		for _, part := range [...]*string{&c.Code, &c.System, &c.Version, &c.Display, &flag} {
			*part, text, _ = strings.Cut(text, "\x00")
		}
		if flag != "" {
			on := flag == "true"
			c.UserSelected = &on
		}
		return r4.Value{Type: "Coding", Coding: &c}
	case letterOther:
		typ, rest, _ := strings.Cut(text, "\x00")
		return r4.Value{Type: typ, Text: rest}
	}
	return r4.Value{Type: typeOfLetter(letter), Text: text}
}

// valueText returns the text that filters compare: that of a primitive, or the code of a Coding.
func valueText(enc string) string {
	if enc == "" {
		return ""
	}
	switch text := enc[1:]; enc[0] {
	case letterCoding:
		code, _, _ := strings.Cut(text, "\x00")
		return code
	case letterOther:
		_, rest, _ := strings.Cut(text, "\x00")
		return rest
	default:
		return text
	}
}

// valueRule is how a code system compares the values of properties in filters.
type valueRule struct {
	fold     bool // letter case is ignored in codes and displays
	displays bool // a Coding is compared by its display too
	texts    bool // letter case is ignored in texts, and in codes of Codings where mayBeDisplay
}

// equal reports whether an encoded value is the one that a filter names: numbers by value, a
// Coding by code, by system|code or, if the rule allows it, by its display, a code, a display and a
// text by the case rule of the system, and everything else exactly.
func (r valueRule) equal(enc, want string) bool {
	if enc == "" {
		return false
	}
	text := enc[1:]
	switch enc[0] {
	case letterCoding:
		code, rest, _ := strings.Cut(text, "\x00")
		if code == want || r.displays && mayBeDisplay(want) && (r.isDisplay(enc, want) || r.texts && equalFolded(code, want)) {
			return true
		}
		bar := strings.LastIndexByte(want, '|')
		if bar < 0 || code != want[bar+1:] {
			return false
		}
		system, _, _ := strings.Cut(rest, "\x00")
		return system == want[:bar]
	case letterInteger, letterDecimal:
		return text == want || numberEquals(text, want)
	case letterOther:
		_, rest, _ := strings.Cut(text, "\x00")
		return rest == want
	case letterCode:
		return text == want || r.fold && equalFolded(text, want)
	case letterString:
		return text == want || r.texts && equalFolded(text, want)
	}
	return text == want
}

// isDisplay reports whether want is the display of an encoded Coding, and not empty.
func (r valueRule) isDisplay(enc, want string) bool {
	display := valueDisplay(enc)
	return display != "" && (display == want || r.fold && equalFolded(display, want))
}

// valueDisplay returns the display of an encoded Coding, or "" for any other value.
func valueDisplay(enc string) string {
	if enc == "" || enc[0] != letterCoding {
		return ""
	}
	rest := enc[1:]
	for range 3 { // code, system, version
		_, rest, _ = strings.Cut(rest, "\x00")
	}
	display, _, _ := strings.Cut(rest, "\x00")
	return display
}

// numberEquals compares two JSON numbers by value: 1.50 is 1.5 and 15e-1.
func numberEquals(a, b string) bool {
	x, ok := parseNumber(a)
	if !ok {
		return false
	}
	y, ok := parseNumber(b)
	if !ok || x.negative != y.negative || x.exponent != y.exponent {
		return false
	}
	return x.sameDigits(y)
}

// number10 is a decimal number in parts: 0.whole·fraction × 10^exponent, without leading and
// trailing zeros.
type number10 struct {
	negative        bool
	whole, fraction string
	exponent        int
}

func (x number10) sameDigits(y number10) bool {
	if len(x.whole)+len(x.fraction) != len(y.whole)+len(y.fraction) {
		return false
	}
	digit := func(n number10, i int) byte {
		if i < len(n.whole) {
			return n.whole[i]
		}
		return n.fraction[i-len(n.whole)]
	}
	for i := range len(x.whole) + len(x.fraction) {
		if digit(x, i) != digit(y, i) {
			return false
		}
	}
	return true
}

// parseNumber parses a number in the grammar of JSON, and also allows leading zeros and plus.
func parseNumber(s string) (number10, bool) {
	var n number10
	rest := s
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		n.negative = rest[0] == '-'
		rest = rest[1:]
	}
	n.whole, rest = leadingDigits(rest)
	if n.whole == "" {
		return n, false
	}
	if rest != "" && rest[0] == '.' {
		if n.fraction, rest = leadingDigits(rest[1:]); n.fraction == "" {
			return n, false
		}
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		sign := 1
		if rest != "" && (rest[0] == '-' || rest[0] == '+') {
			if rest[0] == '-' {
				sign = -1
			}
			rest = rest[1:]
		}
		var digits string
		if digits, rest = leadingDigits(rest); digits == "" || len(digits) > 9 {
			return n, false
		}
		for i := range len(digits) {
			n.exponent = n.exponent*10 + int(digits[i]-'0')
		}
		n.exponent *= sign
	}
	if rest != "" {
		return n, false
	}
	n.exponent += len(n.whole)
	n.fraction = strings.TrimRight(n.fraction, "0")
	if n.fraction == "" {
		n.whole = strings.TrimRight(n.whole, "0")
	}
	before := len(n.whole)
	n.whole = strings.TrimLeft(n.whole, "0")
	n.exponent -= before - len(n.whole)
	if n.whole == "" {
		before = len(n.fraction)
		n.fraction = strings.TrimLeft(n.fraction, "0")
		n.exponent -= before - len(n.fraction)
		if n.fraction == "" { // zero, with either sign
			return number10{}, true
		}
	}
	return n, true
}

func leadingDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	return s[:i], s[i:]
}
