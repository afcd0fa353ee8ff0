package fhirxml

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/roget-health/roget/resources/document"
)

// divStart is the start tag of narratives, up to its other attributes.
const divStart = `<div xmlns="` + xhtmlNamespace + `"`

// narrative writes the XHTML of a narrative. It is copied as it is, except that the entities of HTML
// become characters, and that a missing declaration of the namespace is added.
func (e *encoder) narrative(v, sibling document.Value) {
	if sibling.Exists() {
		e.fail(sibling, "the id and extensions of XHTML have no place in XML")
		return
	}
	if v.Kind() != document.String {
		e.fail(v, "XHTML must be a string, not %s", v.Kind())
		return
	}
	text := strings.TrimSpace(v.Text())
	declared, err := checkDiv(text)
	if err != nil {
		e.fail(v, "the narrative is not XHTML: %v", err)
		return
	}
	if e.indent {
		e.newline()
	}
	if !declared {
		e.dst = append(e.dst, divStart...)
		text = text[len("<div"):]
	}
	e.unnamed(text)
}

// unnamed writes XHTML with characters in place of the named entities that only HTML has. Comments,
// CDATA sections and processing instructions have no entities and are copied.
func (e *encoder) unnamed(text string) {
	for {
		at := strings.IndexAny(text, "&<")
		if at < 0 {
			e.dst = append(e.dst, text...)
			return
		}
		end := at + 1
		if text[at] == '<' {
			end = at + opaque(text[at:])
			e.dst = append(e.dst, text[:end]...)
			text = text[end:]
			continue
		}
		for end < len(text) && isAlphanumeric(text[end]) {
			end++
		}
		character := ""
		if end < len(text) && text[end] == ';' {
			character = xml.HTMLEntity[text[at+1:end]]
		}
		switch character {
		case "", "&", "<", ">", `"`:
			e.dst = append(e.dst, text[:end]...)
		default:
			e.dst = append(append(e.dst, text[:at]...), character...)
			end++
		}
		text = text[end:]
	}
}

// opaque returns the length of the comment, CDATA section or processing instruction that well-formed
// XHTML begins with, and 1 if it begins with a tag.
func opaque(text string) int {
	for _, section := range [...][2]string{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}} {
		if rest, found := strings.CutPrefix(text, section[0]); found {
			return len(section[0]) + strings.Index(rest, section[1]) + len(section[1])
		}
	}
	return 1
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// checkDiv returns an error unless a text is a single div element, well-formed and in the namespace
// of XHTML or in none. It reports whether the namespace is declared.
func checkDiv(text string) (declared bool, err error) {
	if !strings.HasPrefix(text, "<div") {
		return false, fmt.Errorf("it must begin with <div")
	}
	in := xml.NewDecoder(strings.NewReader(text))
	in.Entity = xml.HTMLEntity
	for depth := 0; ; {
		at := in.InputOffset()
		token, err := in.Token()
		switch {
		case err == io.EOF && depth == 0: //nolint:errorlint // the decoder returns it as it is
			return declared, nil
		case err != nil:
			return false, err
		}
		if problem := malformed(token, []byte(text[at:in.InputOffset()])); problem != "" {
			return false, errors.New(problem)
		}
		switch t := token.(type) {
		case xml.ProcInst:
			if t.Target == "xml" {
				return false, errors.New("it has an XML declaration")
			}
		case xml.StartElement:
			if problem := attributeProblem(t); problem != "" {
				return false, errors.New(problem)
			}
			if len(t.Attr) > maxAttributes {
				return false, fmt.Errorf("<%.40s> has more than %d attributes", t.Name.Local, maxAttributes)
			}
			if name := repeated(t); name != "" {
				return false, fmt.Errorf("the attribute %.60q is repeated", name)
			}
			if t.Name.Space != xhtmlNamespace && (declared || t.Name.Space != "") {
				return false, fmt.Errorf("<%.40s> is not in the namespace of XHTML", t.Name.Local)
			}
			if depth == 0 {
				if t.Name.Local != "div" {
					return false, fmt.Errorf("it must begin with <div")
				}
				declared = t.Name.Space == xhtmlNamespace
			}
			if depth++; depth > maxNarrativeDepth {
				return false, fmt.Errorf("elements nest deeper than %d", maxNarrativeDepth)
			}
		case xml.EndElement:
			if depth--; depth == 0 && in.InputOffset() != int64(len(text)) {
				return false, fmt.Errorf("there is text after </div>")
			}
		case xml.Directive:
			return false, fmt.Errorf("it has a declaration <!%.20s", t)
		}
	}
}

// maxNarrativeDepth is how deeply the elements of a narrative may nest.
const maxNarrativeDepth = 1000
