package grammar

import (
	"fmt"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/grammar/bcp47"
	"github.com/roget-health/roget/resources/r4"
)

// Languages is BCP 47, urn:ietf:bcp:47. The code of a tag has the recommended case, its display
// consists of the names of its subtags. Each kind of subtag is a property, so that value sets can
// filter by its presence.
type Languages struct{}

// languageParts are the properties of tags: the subtags of each kind.
var languageParts = [...]struct {
	code string
	of   func(*bcp47.Tag) []string
}{
	{"language", func(t *bcp47.Tag) []string { return []string{t.Language} }},
	{"ext-lang", func(t *bcp47.Tag) []string { return t.Extlangs }},
	{"script", func(t *bcp47.Tag) []string { return []string{t.Script} }},
	{"region", func(t *bcp47.Tag) []string { return []string{t.Region} }},
	{"variant", func(t *bcp47.Tag) []string { return t.Variants }},
	{"extension", func(t *bcp47.Tag) []string { return t.Extensions }},
	{"private-use", func(t *bcp47.Tag) []string { return []string{t.PrivateUse} }},
}

// URL returns the canonical of BCP 47.
func (Languages) URL() string { return "urn:ietf:bcp:47" }

// Header returns the description of BCP 47.
func (l Languages) Header() *r4.CodeSystem {
	sensitive := false
	h := &r4.CodeSystem{
		Header: r4.Header{
			ResourceType: "CodeSystem", ID: "bcp-47", URL: l.URL(), Name: "BCP47", Title: "Tags for Identifying Languages",
			Status: "active", Publisher: "IETF", Language: "en",
		},
		CaseSensitive: &sensitive,
		Compositional: true,
		Content:       "complete",
	}
	for _, part := range languageParts {
		h.Property = append(h.Property, r4.CodeSystemProperty{Code: part.code, Type: "string"})
		h.Filter = append(h.Filter, r4.CodeSystemFilter{Code: part.code, Operator: []string{"exists", "="}, Value: "true, false or a subtag"})
	}
	return h
}

// Concept parses a tag. It returns the errors of bcp47.Parse.
func (Languages) Concept(code string) (*codesystem.Concept, error) {
	t, err := bcp47.Parse(code)
	if err != nil {
		return nil, err
	}
	names := t.Names()
	c := codesystem.Concept{Code: t.String(), Display: names[0], Parent: -1}
	for _, name := range names[1:] {
		use := synonym
		c.Designations = append(c.Designations, r4.Designation{Language: "en", Use: &use, Value: name})
	}
	for _, part := range languageParts {
		for _, subtag := range part.of(t) {
			if subtag != "" {
				c.Properties = append(c.Properties, codesystem.Property{Code: part.code, Value: r4.String(subtag)})
			}
		}
	}
	return &c, nil
}

// Usual returns nil: there is no list of common tags.
func (Languages) Usual() *List { return nil }

// Mismatch names the part of a tag that is present, or missing, against a filter.
func (Languages) Mismatch(code string, f r4.Filter) string {
	t, err := bcp47.Parse(code)
	if err != nil || f.Op != "exists" {
		return ""
	}
	for _, part := range languageParts {
		if part.code != f.Property {
			continue
		}
		has := slices.ContainsFunc(part.of(t), func(s string) bool { return s != "" })
		switch {
		case f.Value == "true" && !has:
			return fmt.Sprintf("The language code %s does not contain a %s, and it is required", code, part.code)
		case f.Value == "false" && has:
			return fmt.Sprintf("The language code %s contains a %s, and it is not allowed", code, part.code)
		}
	}
	return ""
}
