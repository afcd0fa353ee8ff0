package fhirxml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// malformed returns why a token that the decoder of Go accepts is not well-formed, and "" if it is.
// That decoder is more tolerant than XML and its namespaces: what it accepts would make a document
// that other readers refuse. The raw text of the token is the one in the source.
func malformed(token xml.Token, raw []byte) string {
	switch t := token.(type) {
	case xml.StartElement:
		if problem := malformedTag(t, raw); problem != "" {
			return problem
		}
		return malformedReference(raw)
	case xml.CharData:
		if !bytes.HasPrefix(raw, []byte("<![CDATA[")) {
			return malformedReference(raw)
		}
	case xml.ProcInst:
		if strings.Contains(t.Target, ":") || t.Target != "xml" && strings.EqualFold(t.Target, "xml") {
			return fmt.Sprintf("a processing instruction cannot have the name %.40q", t.Target)
		}
	}
	return ""
}

// malformedTag checks the names in a start tag, its declarations of namespaces, and that white space
// separates its attributes.
func malformedTag(t xml.StartElement, raw []byte) string {
	if strings.Contains(t.Name.Local, ":") {
		return fmt.Sprintf("the name %.60q has an empty part", t.Name.Local)
	}
	for i := range t.Attr {
		a := &t.Attr[i]
		switch {
		case strings.Contains(a.Name.Local, ":"):
			return fmt.Sprintf("the name %.60q has an empty part", a.Name.Local)
		case a.Name.Space != "xmlns":
		case a.Value == "", a.Name.Local == "xmlns", a.Value == xmlnsNamespace,
			(a.Name.Local == "xml") != (a.Value == xmlNamespace):
			return fmt.Sprintf("the prefix %.60q cannot be declared for the namespace %.60q", a.Name.Local, a.Value)
		}
	}
	for i := 1; i < len(raw); i++ {
		c := raw[i]
		if c != '"' && c != '\'' {
			continue
		}
		i += bytes.IndexByte(raw[i+1:], c) + 1
		if i+1 < len(raw) && !strings.ContainsRune(" \t\r\n/>", rune(raw[i+1])) {
			return "white space is missing between two attributes"
		}
	}
	return ""
}

// malformedReference checks the references to characters, which the decoder of Go replaces by
// U+FFFD if they are halves of a surrogate pair.
func malformedReference(raw []byte) string {
	for {
		_, rest, found := bytes.Cut(raw, []byte("&#"))
		if !found {
			return ""
		}
		name, _, _ := bytes.Cut(rest, []byte{';'})
		raw = rest
		digits, base := string(name), 10
		if hex, is := strings.CutPrefix(digits, "x"); is {
			digits, base = hex, 16
		}
		if n, err := strconv.ParseUint(digits, base, 32); err == nil && n >= 0xD800 && n <= 0xDFFF {
			return fmt.Sprintf("&#%s; is half of a surrogate pair, not a character", name)
		}
	}
}
