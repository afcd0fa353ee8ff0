package validate

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// maxString is the maximum length of strings in R4: 1,048,576 characters.
const maxString = 1 << 20

// primitive checks a value of a primitive type (https://hl7.org/fhir/R4/datatypes.html#primitive).
func (w *walker) primitive(e *definitions.Element, v document.Value) {
	kind := e.Type.Value
	if v.Kind() != kind {
		w.report(Error, CodeStructure, v, "%s must be %s in JSON, not %s", e.TypeCode, kind, v.Kind())
		return
	}
	if kind == document.Bool {
		return
	}
	text := v.Text()
	if text == "" {
		w.report(Error, CodeValue, v, "a string must not be empty")
		return
	}
	if problem := lexical(e.TypeCode, text); problem != "" {
		code := CodeValue
		if problem == tooLong {
			code = CodeTooLong
		}
		w.report(Error, code, v, "%.60q is not a valid %s: %s", text, e.TypeCode, problem)
		return
	}
	if e.Binding != nil && !e.Binding.Contains(text) {
		w.report(Error, CodeInvalidCode, v, "%.60q is not one of %s", text, listed(e.Binding))
	}
	if e.ValueSet != "" && !e.Extensible {
		w.bound(e, v)
	}
	if text[0] == '#' {
		w.notePossibleLocal(e.TypeCode, v)
	} else if w.strict {
		w.uri(e.TypeCode, v)
	}
}

const tooLong = "it is longer than 1,048,576 characters"

// lexical returns why a text is not of a type, "" if it is.
func lexical(typ, text string) string {
	switch typ {
	case "string", "markdown":
		return stringProblem(text)
	case "code":
		return codeProblem(text)
	case "uri", "url", "canonical":
		return uriProblem(text)
	case "id":
		if !r4.ValidID(text) {
			return "expected at most 64 letters, digits, '-' and '.'"
		}
	case "date":
		return dateProblem(text)
	case "dateTime":
		return dateTimeProblem(text)
	case "instant":
		return instantProblem(text)
	case "time":
		if rest, ok := cutTime(text); !ok || rest != "" {
			return "expected hh:mm:ss"
		}
	case "integer", "unsignedInt", "positiveInt":
		return integerProblem(typ, text)
	case "base64Binary":
		return base64Problem(text)
	case "oid":
		if !isOID(text) {
			return "expected urn:oid: and numbers separated by full stops"
		}
	case "uuid":
		if !isUUID(text) {
			return "expected urn:uuid: and a UUID in lower case"
		}
	case "xhtml":
		return divProblem(text)
	}
	return ""
}

func stringProblem(text string) string {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return "it contains a control character"
		}
	}
	if len(text) > maxString && utf8.RuneCountInString(text) > maxString {
		return tooLong
	}
	return ""
}

// codeProblem checks that a code consists of words separated by single white space.
func codeProblem(text string) string {
	space := true
	for i := range len(text) {
		is := isSpace(text[i])
		if is && space {
			return "it has white space at an end, or repeated"
		}
		space = is
	}
	if space {
		return "it has white space at an end, or repeated"
	}
	return ""
}

func uriProblem(text string) string {
	for i := range len(text) {
		if isSpace(text[i]) {
			return "it contains white space"
		}
	}
	return ""
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func integerProblem(typ, text string) string {
	n, err := strconv.ParseInt(text, 10, 32)
	switch {
	case err != nil:
		return "expected a whole number of 32 bits"
	case typ == "unsignedInt" && n < 0:
		return "the minimum is 0"
	case typ == "positiveInt" && n < 1:
		return "the minimum is 1"
	}
	return ""
}

func base64Problem(text string) string {
	n, padding := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case isSpace(c):
			continue
		case c == '=':
			padding++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '+', c == '/':
			if padding > 0 {
				return "'=' is allowed only at the end"
			}
		default:
			return "it contains a character that base64 does not allow"
		}
		n++
	}
	if n == 0 || n%4 != 0 || padding > 2 {
		return "the number of characters must be a multiple of 4"
	}
	return ""
}

func isOID(text string) bool {
	rest, ok := strings.CutPrefix(text, "urn:oid:")
	if !ok || len(rest) < 3 || rest[0] > '2' || !strings.Contains(rest, ".") {
		return false
	}
	for part := range strings.SplitSeq(rest, ".") {
		if part == "" || len(part) > 1 && part[0] == '0' {
			return false
		}
		for i := range len(part) {
			if part[i] < '0' || part[i] > '9' {
				return false
			}
		}
	}
	return true
}

func isUUID(text string) bool {
	rest, ok := strings.CutPrefix(text, "urn:uuid:")
	if !ok || len(rest) != 36 {
		return false
	}
	for i := range len(rest) {
		c := rest[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

// divProblem checks only the ends of a narrative.
func divProblem(text string) string {
	text = strings.TrimSpace(text)
	rest, ok := strings.CutPrefix(text, "<div")
	if !ok || rest == "" || rest[0] != '>' && rest[0] != '/' && !isSpace(rest[0]) {
		return "it must be a <div> element"
	}
	if !strings.HasSuffix(text, "</div>") && !strings.HasSuffix(text, "/>") {
		return "its <div> element is not closed"
	}
	return ""
}
