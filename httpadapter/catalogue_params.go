package httpadapter

import (
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// paramKind is the type of a search parameter (R4 search.html#ptypes).
type paramKind uint8

const (
	paramToken paramKind = iota
	paramURI
	paramString
	paramDate
)

func (k paramKind) String() string { return [...]string{"token", "uri", "string", "date"}[k] }

// searchParam is a search parameter and where its values come from.
type searchParam struct {
	name string
	kind paramKind
	doc  string
	// values returns the values of an entry; identifiers and tags give system|code.
	values func(e *engine.Entry) []string
}

// one returns a list of at most one value.
func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func meta(e *engine.Entry) r4.Meta {
	if e.Header.Meta == nil {
		return r4.Meta{}
	}
	return *e.Header.Meta
}

// searchParams returns the search parameters of a type, by name.
func searchParams(typ string) []searchParam {
	list := []searchParam{
		{"_id", paramToken, "Logical id", func(e *engine.Entry) []string { return one(e.Header.ID) }},
		{"_lastUpdated", paramDate, "When the resource was stored last", func(e *engine.Entry) []string { return one(meta(e).LastUpdated) }},
		{"_profile", paramURI, "Profiles the resource claims", func(e *engine.Entry) []string { return meta(e).Profile }},
		{"_tag", paramToken, "Tags of the resource", func(e *engine.Entry) []string {
			return lo.Map(meta(e).Tag, func(tag r4.Coding, _ int) string { return tag.System + "|" + tag.Code })
		}},
		{"date", paramDate, "Date of the definition", func(e *engine.Entry) []string { return one(e.Header.Date) }},
		{"description", paramString, "Description", func(e *engine.Entry) []string { return one(e.Header.Description) }},
		{"identifier", paramToken, "Business identifier", func(e *engine.Entry) []string {
			return lo.Map(e.Header.Identifier, func(id r4.Identifier, _ int) string { return id.System + "|" + id.Value })
		}},
		{"name", paramString, "Name for machines", func(e *engine.Entry) []string { return one(e.Header.Name) }},
		{"publisher", paramString, "Publisher", func(e *engine.Entry) []string { return one(e.Header.Publisher) }},
		{"status", paramToken, "Publication status", func(e *engine.Entry) []string { return one(e.Header.Status) }},
		{"title", paramString, "Name for people", func(e *engine.Entry) []string { return one(e.Header.Title) }},
		{"url", paramURI, "Canonical url; url|version is understood", func(e *engine.Entry) []string { return one(e.Header.URL) }},
		{"version", paramToken, "Business version", func(e *engine.Entry) []string { return one(e.Header.Version) }},
	}
	switch typ {
	case "CodeSystem":
		list = append(list,
			searchParam{"content-mode", paramToken, "Content mode", func(e *engine.Entry) []string { return one(e.Content) }},
			searchParam{"supplements", paramURI, "Code system this one adds to", func(e *engine.Entry) []string { return one(e.Supplements) }},
			searchParam{"system", paramURI, "Same as url", func(e *engine.Entry) []string { return one(e.Header.URL) }})
	case "ValueSet":
		list = append(list,
			searchParam{"expansion", paramURI, "Identifier of a stored expansion", expansionIdentifier},
			searchParam{"reference", paramURI, "Code systems and value sets the definition names", composeReferences})
	}
	slices.SortFunc(list, func(a, b searchParam) int { return strings.Compare(a.name, b.name) })
	return list
}

// searchParamOf finds a search parameter by name.
func searchParamOf(typ, name string) (searchParam, bool) {
	return lo.Find(searchParams(typ), func(p searchParam) bool { return p.name == name })
}

// composeReferences returns the systems and value sets that a definition names.
func composeReferences(e *engine.Entry) []string {
	vs := definition(e)
	if vs == nil || vs.Compose == nil {
		return nil
	}
	var refs []string
	for _, list := range [][]r4.Include{vs.Compose.Include, vs.Compose.Exclude} {
		for i := range list {
			refs = append(refs, one(list[i].System)...)
			refs = append(refs, list[i].ValueSet...)
		}
	}
	return refs
}

func expansionIdentifier(e *engine.Entry) []string {
	vs := definition(e)
	if vs == nil || vs.Expansion == nil {
		return nil
	}
	return one(vs.Expansion.Identifier)
}

// definition returns the value set of an entry, nil when it cannot be read: it then
// matches nothing.
func definition(e *engine.Entry) *r4.ValueSet {
	if e.ValueSet == nil {
		return nil
	}
	vs, err := e.ValueSet()
	if err != nil {
		return nil
	}
	return vs
}
