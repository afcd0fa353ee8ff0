package fhirxml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"

	"github.com/roget-health/roget/resources/r4"
)

// narrative writes the XHTML element whose start tag was read as a string: the bytes of the source,
// or if names in it have prefixes or the namespace is declared elsewhere, the same with the
// namespace declared and without prefixes.
func (d *decoder) narrative(start xml.StartElement) {
	begin := d.at
	verbatim := slices.ContainsFunc(start.Attr, func(a xml.Attr) bool { return a.Name == xml.Name{Local: "xmlns"} })
	verbatim = d.checkXHTML(start) && verbatim
	for depth := 1; depth > 0; {
		switch t := d.token().(type) {
		case nil:
			return
		case xml.StartElement:
			verbatim = d.checkXHTML(t) && verbatim
			if depth++; depth > maxNarrativeDepth {
				d.failAs("too-long", "the elements of the narrative nest deeper than %d", maxNarrativeDepth)
			}
		case xml.EndElement:
			depth--
		}
	}
	text := d.src[begin:d.in.InputOffset()]
	if !verbatim {
		text = withoutPrefixes(text)
	}
	d.dst = r4.AppendString(d.dst, string(text))
}

// checkXHTML checks a start tag in a narrative. It reports whether its name has no prefix.
func (d *decoder) checkXHTML(t xml.StartElement) bool {
	problem := attributeProblem(t)
	if t.Name.Space != xhtmlNamespace {
		problem = fmt.Sprintf("the element %.60q is in the namespace %.60q, not in %s", t.Name.Local, t.Name.Space, xhtmlNamespace)
	}
	if problem != "" {
		d.fail("%s", problem)
	}
	return bytes.HasPrefix(d.src[d.at+1:], []byte(t.Name.Local))
}

// attributeProblem returns why XHTML must not have the attributes of a start tag, "" if it may.
func attributeProblem(t xml.StartElement) string {
	for _, a := range t.Attr {
		if space := a.Name.Space; space != "" && space != "xmlns" && space != xmlNamespace {
			return fmt.Sprintf("the attribute %.60q is in the namespace %.60q", a.Name.Local, space)
		}
	}
	return ""
}

// withoutPrefixes returns well-formed XHTML without prefixes of names and without comments, with its
// namespace declared.
func withoutPrefixes(text []byte) []byte {
	in := xml.NewDecoder(bytes.NewReader(text))
	out := make([]byte, 0, len(text)+len(divStart))
	for depth := 0; ; {
		token, err := in.RawToken()
		if err != nil { // the text was read before, so this is its end
			return out
		}
		switch t := token.(type) {
		case xml.StartElement:
			out = append(append(out, '<'), t.Name.Local...)
			if depth == 0 {
				out = append(out, divStart[len("<div"):]...)
			}
			depth++
			for _, a := range t.Attr {
				if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
					continue
				}
				out = append(out, ' ')
				if a.Name.Space == "xml" {
					out = append(out, "xml:"...)
				}
				out = append(append(out, a.Name.Local...), '=', '"')
				out = append(appendEscaped(out, a.Value), '"')
			}
			out = append(out, '>')
		case xml.EndElement:
			depth--
			out = append(append(append(out, '<', '/'), t.Name.Local...), '>')
		case xml.CharData:
			out = appendEscaped(out, string(t))
		}
	}
}
