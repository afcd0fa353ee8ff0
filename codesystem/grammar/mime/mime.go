// Package mime reads media types with parameters: text/plain; charset=utf-8.
//
// The grammar is that of RFC 6838 (4.2) for names and of RFC 2045 (5.1) for parameters, with
// blanks around ";" and none around "=". A value without quotes may also contain blanks and other
// characters that RFC 2045 wants in quotes: "application/dicom; variant=DICOM WADO-RS". Software
// writes such values, and they end at the next ";" all the same. A type need not be registered: many
// vendors and users have their own.
package mime

import (
	"fmt"
	"strings"
)

// A Type is a parsed media type. Type, subtype and names of parameters are in lower case, since
// their case does not matter; values are unchanged.
type Type struct {
	Type, Subtype string
	Parameters    []Parameter
}

// A Parameter is a parameter of a media type, with its value without quotes.
type Parameter struct{ Name, Value string }

// String returns type/subtype without parameters.
func (t *Type) String() string { return t.Type + "/" + t.Subtype }

// An Error describes what is wrong with a media type.
type Error struct {
	Text   string
	At     int // offset in bytes
	Reason string
}

// Error returns the text, the reason and the place, counted from 1.
func (e *Error) Error() string {
	return fmt.Sprintf("Error processing mime type '%s': %s at character %d", e.Text, e.Reason, e.At+1)
}

// Limits, in bytes.
const (
	maxLength = 1024
	maxName   = 127 // of a type and a subtype: RFC 6838, 4.2
)

// Parse reads a media type. Errors are *Error.
func Parse(text string) (*Type, error) {
	p := parser{text: text}
	if len(text) > maxLength {
		p.at = maxLength
		return nil, p.fail(fmt.Sprintf("more than %d characters", maxLength))
	}
	var t Type
	var err error
	if t.Type, err = p.name(); err != nil {
		return nil, err
	}
	if p.next() != '/' {
		return nil, p.fail("there is no '/'")
	}
	p.at++
	if t.Subtype, err = p.name(); err != nil {
		return nil, err
	}
	for p.blanks(); p.at < len(text); p.blanks() {
		if p.next() != ';' {
			return nil, p.fail("expected ';'")
		}
		p.at++
		p.blanks()
		one, err := p.parameter()
		if err != nil {
			return nil, err
		}
		t.Parameters = append(t.Parameters, one)
	}
	return &t, nil
}

// parser reads from left to right.
type parser struct {
	text string
	at   int
}

func (p *parser) fail(reason string) error { return &Error{Text: p.text, At: p.at, Reason: reason} }

// next returns the next byte, 0 at the end.
func (p *parser) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) blanks() {
	for p.next() == ' ' || p.next() == '\t' {
		p.at++
	}
}

// while moves past the characters in a set and returns them.
func (p *parser) while(in func(byte) bool) string {
	start := p.at
	for p.at < len(p.text) && in(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

// name reads a type or a subtype.
func (p *parser) name() (string, error) {
	start := p.at
	switch s := p.while(isName); {
	case s == "" || !isAlphanumeric(s[0]):
		p.at = start
		return "", p.fail("a name begins with a letter or a digit")
	case len(s) > maxName:
		p.at = start
		return "", p.fail(fmt.Sprintf("a name has at most %d characters", maxName))
	default:
		return strings.ToLower(s), nil
	}
}

// parameter reads name=value or name="value".
func (p *parser) parameter() (Parameter, error) {
	name := p.while(isToken)
	if name == "" {
		return Parameter{}, p.fail("expected the name of a parameter")
	}
	if p.next() != '=' {
		return Parameter{}, p.fail("expected '='")
	}
	p.at++
	one := Parameter{Name: strings.ToLower(name)}
	if p.next() != '"' {
		if one.Value = strings.TrimRight(p.while(isValue), " \t"); one.Value == "" {
			return Parameter{}, p.fail("expected a value")
		}
		return one, nil
	}
	var value strings.Builder
	for p.at++; p.next() != '"'; p.at++ {
		if p.next() == '\\' {
			p.at++
		}
		if c := p.next(); c < ' ' || c > '~' {
			return Parameter{}, p.fail("a quoted value has printable ASCII characters and ends with '\"'")
		}
		value.WriteByte(p.next())
	}
	p.at++
	one.Value = value.String()
	return one, nil
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isName reports whether c may be in a type or subtype (restricted-name-chars of RFC 6838).
func isName(c byte) bool { return isAlphanumeric(c) || strings.IndexByte("!#$&-^_.+", c) >= 0 }

// isValue reports whether c may be in a value without quotes.
func isValue(c byte) bool { return (c == '\t' || c >= ' ' && c <= '~') && c != ';' && c != '"' }

// isToken reports whether c may be in a token of RFC 2045: printable, but no blank or tspecial.
func isToken(c byte) bool {
	return c > ' ' && c <= '~' && strings.IndexByte(`()<>@,;:\"/[]?=`, c) < 0
}
