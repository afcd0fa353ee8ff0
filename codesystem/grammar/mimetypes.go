package grammar

import (
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/grammar/mime"
	"github.com/roget-health/roget/resources/r4"
)

// MimeTypes is BCP 13, urn:ietf:bcp:13: media types with or without parameters. The code has type
// and subtype in lower case and its parameters unchanged; it is its own display. A type need not
// be registered.
//
// The codes xml, json and ttl are there too, for FHIR's own media types: FHIR allows them wherever
// it uses this code system (CapabilityStatement.format, the parameter _format).
type MimeTypes struct{}

// short are FHIR's short names of media types.
var short = [...]struct{ code, mediaType string }{
	{"xml", "application/fhir+xml"}, {"json", "application/fhir+json"}, {"ttl", "application/fhir+turtle"},
}

// URL returns the canonical of BCP 13.
func (MimeTypes) URL() string { return "urn:ietf:bcp:13" }

// Header returns the description of BCP 13.
func (m MimeTypes) Header() *r4.CodeSystem {
	sensitive := false
	return &r4.CodeSystem{
		Header: r4.Header{
			ResourceType: "CodeSystem", ID: "bcp-13", URL: m.URL(), Name: "BCP13", Title: "Mime Types",
			Status: "active", Publisher: "IETF",
		},
		CaseSensitive: &sensitive,
		Compositional: true,
		Content:       "complete",
	}
}

// Concept parses a media type. It returns the errors of mime.Parse.
func (MimeTypes) Concept(code string) (*codesystem.Concept, error) {
	for _, s := range short {
		if s.code == code {
			return &codesystem.Concept{Code: code, Display: s.mediaType, Parent: -1}, nil
		}
	}
	t, err := mime.Parse(code)
	if err != nil {
		return nil, err
	}
	name := t.String()
	_, parameters, found := strings.Cut(code, ";")
	if found {
		name += ";" + parameters
	}
	return &codesystem.Concept{Code: name, Display: name, Parent: -1}, nil
}

// Usual returns nil: there is no list of common types.
func (MimeTypes) Usual() *List { return nil }

// Mismatch returns "": there are no filters.
func (MimeTypes) Mismatch(string, r4.Filter) string { return "" }
