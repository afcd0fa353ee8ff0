package fhirxml

import (
	"unicode/utf8"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// primitive writes the element of a primitive type: its value, if any, and the id and extensions in
// its sibling, if any.
func (e *encoder) primitive(of *definitions.Element, v, sibling document.Value) {
	if e.err != nil {
		return
	}
	hasValue := v.Exists() && v.Kind() != document.Null
	hasSibling := sibling.Exists() && sibling.Kind() != document.Null
	switch {
	case !hasValue && !hasSibling:
		if !v.Exists() {
			v = sibling
		}
		e.fail(v, "the element has neither a value nor an extension")
		return
	case hasSibling && (sibling.Kind() != document.Object || sibling.Len() == 0):
		e.fail(sibling, "the id and extensions of a primitive value must be an object that is not empty")
		return
	case of.Type.Name == "xhtml":
		e.narrative(v, sibling)
		return
	}
	base := len(e.fields)
	if hasSibling {
		base = e.collect(sibling, of.Type)
	}
	e.open(of.JSON)
	if hasValue {
		e.value(of.Type, " value=\"", v)
	}
	e.content(of.JSON, base)
}

// attribute writes an element that is an attribute.
func (e *encoder) attribute(f *field) {
	if f.sibling.Exists() {
		e.fail(f.sibling, "%s is an attribute in XML and has no id or extensions", f.element.JSON)
		return
	}
	e.value(f.element.Type, " "+f.element.JSON+"=\"", f.value)
}

// value writes a value of a primitive type as an attribute; start is the attribute up to its quote.
func (e *encoder) value(t *definitions.Type, start string, v document.Value) {
	if v.Kind() != t.Value {
		e.fail(v, "%s must be %s, not %s", t.Name, t.Value, v.Kind())
		return
	}
	text := v.Text()
	if text == "" {
		e.fail(v, "a value must not be empty")
		return
	}
	e.dst = append(e.dst, start...)
	if t.Value == r4.KindString {
		e.escaped(v, text)
	} else {
		e.dst = append(e.dst, text...)
	}
	e.dst = append(e.dst, '"')
}

// escaped writes text as the value of an attribute.
func (e *encoder) escaped(v document.Value, text string) {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xEF && isNoncharacter(text[i:]) {
			r, _ := utf8.DecodeRuneInString(text[i:])
			e.fail(v, "XML cannot express the character %U", r)
			return
		}
	}
	e.dst = appendEscaped(e.dst, text)
}

// isNoncharacter reports whether a text begins with U+FFFE or U+FFFF, which XML excludes.
func isNoncharacter(text string) bool {
	return len(text) > 2 && text[0] == 0xEF && text[1] == 0xBF && text[2] >= 0xBE
}

// appendEscaped appends text as the value of an attribute or as text of an element. White space
// other than blanks becomes references, because XML readers turn it into blanks otherwise.
func appendEscaped(dst []byte, text string) []byte {
	start := 0
	for i := 0; i < len(text); i++ {
		var escape string
		switch text[i] {
		case '&':
			escape = "&amp;"
		case '<':
			escape = "&lt;"
		case '>':
			escape = "&gt;"
		case '"':
			escape = "&quot;"
		case '\t':
			escape = "&#9;"
		case '\n':
			escape = "&#10;"
		case '\r':
			escape = "&#13;"
		default:
			continue
		}
		dst = append(append(dst, text[start:i]...), escape...)
		start = i + 1
	}
	return append(dst, text[start:]...)
}
