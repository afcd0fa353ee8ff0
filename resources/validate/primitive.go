package validate

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// maxString is the longest string of R4: 1,048,576 characters.
const maxString = 1 << 20

// primitive checks a value of a primitive type (https://hl7.org/fhir/R4/datatypes.html#primitive).
func (w *walker) primitive(e *definitions.Element, v document.Value) {
	kind := jsonKind(e.TypeCode)
	if v.Kind() != kind {
		w.report(Error, CodeStructure, v, "%s is %s in JSON, not %s", e.TypeCode, kind, v.Kind())
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
		w.report(Error, code, v, "%.60q is no %s: %s", text, e.TypeCode, problem)
		return
	}
	if e.Binding != nil && !e.Binding.Contains(text) {
		w.report(Error, CodeInvalidCode, v, "%.60q is none of %s", text, listed(e.Binding))
	}
	if text[0] == '#' {
		w.notePossibleLocal(e.TypeCode, v)
	}
}

// jsonKind tells what a primitive type is in JSON.
func jsonKind(typ string) document.Kind {
	switch typ {
	case "boolean":
		return document.Bool
	case "integer", "unsignedInt", "positiveInt", "decimal":
		return document.Number
	}
	return document.String
}

const tooLong = "it is longer than 1,048,576 characters"

// lexical tells what keeps a text from being of a type, "" for nothing.
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
			return "letters, digits, '-' and '.', at most 64"
		}
	case "date":
		return dateProblem(text)
	case "dateTime":
		return dateTimeProblem(text)
	case "instant":
		return instantProblem(text)
	case "time":
		if rest, ok := cutTime(text); !ok || rest != "" {
			return "hh:mm:ss is expected"
		}
	case "integer", "unsignedInt", "positiveInt":
		return integerProblem(typ, text)
	case "base64Binary":
		return base64Problem(text)
	case "oid":
		if !isOID(text) {
			return "urn:oid: and numbers between points are expected"
		}
	case "uuid":
		if !isUUID(text) {
			return "urn:uuid: and 36 characters in lower case are expected"
		}
	case "xhtml":
		return divProblem(text)
	}
	return ""
}

func stringProblem(text string) string {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return "it has a control character"
		}
	}
	if len(text) > maxString && utf8.RuneCountInString(text) > maxString {
		return tooLong
	}
	return ""
}

// codeProblem holds codes to words with single white space between them.
func codeProblem(text string) string {
	space := true
	for i := range len(text) {
		is := isSpace(text[i])
		if is && space {
			return "white space at an end or twice"
		}
		space = is
	}
	if space {
		return "white space at an end or twice"
	}
	return ""
}

func uriProblem(text string) string {
	for i := range len(text) {
		if isSpace(text[i]) {
			return "it has white space"
		}
	}
	return ""
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func integerProblem(typ, text string) string {
	n, err := strconv.ParseInt(text, 10, 32)
	switch {
	case err != nil:
		return "a whole number of 32 bits is expected"
	case typ == "unsignedInt" && n < 0:
		return "0 is the least"
	case typ == "positiveInt" && n < 1:
		return "1 is the least"
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
				return "'=' comes last"
			}
		default:
			return "it has a character that base64 has not"
		}
		n++
	}
	if n == 0 || n%4 != 0 || padding > 2 {
		return "the characters of base64 come in fours"
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

// divProblem looks at the ends of a narrative only.
func divProblem(text string) string {
	text = strings.TrimSpace(text)
	rest, ok := strings.CutPrefix(text, "<div")
	if !ok || rest == "" || rest[0] != '>' && rest[0] != '/' && !isSpace(rest[0]) {
		return "it must be a <div> element"
	}
	if !strings.HasSuffix(text, "</div>") && !strings.HasSuffix(text, "/>") {
		return "its <div> element does not end"
	}
	return ""
}
