package httpadapter

import (
	"sort"
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

// searchParam is a search parameter of the catalogue.
type searchParam struct {
	name string
	kind paramKind
	doc  string
	// values returns the values of an entry. Those of identifiers and tags are system|code.
	values func(e *engine.Entry) []string
	// has reports whether an entry has a value, nil if values are listed.
	has func(e *engine.Entry, want string) bool
}

// nonEmpty returns a list of s, or no list if s is "".
func nonEmpty(s string) []string {
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
		{"_id", paramToken, "Logical id", func(e *engine.Entry) []string { return nonEmpty(e.Header.ID) }, nil},
		{"_lastUpdated", paramDate, "When the resource was last stored", func(e *engine.Entry) []string { return nonEmpty(meta(e).LastUpdated) }, nil},
		{"_profile", paramURI, "Profiles the resource claims", func(e *engine.Entry) []string { return meta(e).Profile }, nil},
		{"_tag", paramToken, "Tags of the resource", func(e *engine.Entry) []string {
			return lo.Map(meta(e).Tag, func(tag r4.Coding, _ int) string { return tag.System + "|" + tag.Code })
		}, nil},
		{"date", paramDate, "Date of the definition", func(e *engine.Entry) []string { return nonEmpty(e.Header.Date) }, nil},
		{"description", paramString, "Description", func(e *engine.Entry) []string { return nonEmpty(e.Header.Description) }, nil},
		{"identifier", paramToken, "Business identifier", func(e *engine.Entry) []string {
			return lo.Map(e.Header.Identifier, func(id r4.Identifier, _ int) string { return id.System + "|" + id.Value })
		}, nil},
		{"name", paramString, "Name for machines", func(e *engine.Entry) []string { return nonEmpty(e.Header.Name) }, nil},
		{"publisher", paramString, "Publisher", func(e *engine.Entry) []string { return nonEmpty(e.Header.Publisher) }, nil},
		{"status", paramToken, "Publication status", func(e *engine.Entry) []string { return nonEmpty(e.Header.Status) }, nil},
		{"title", paramString, "Name for people", func(e *engine.Entry) []string { return nonEmpty(e.Header.Title) }, nil},
		{"url", paramURI, "Canonical url, or url|version", func(e *engine.Entry) []string { return nonEmpty(e.Header.URL) }, nil},
		{"version", paramToken, "Business version", func(e *engine.Entry) []string { return nonEmpty(e.Header.Version) }, nil},
	}
	switch typ {
	case "CodeSystem":
		list = append(list,
			searchParam{"code", paramToken, "A code of the code system", definedCodes, hasCode},
			searchParam{"content-mode", paramToken, "Content mode", func(e *engine.Entry) []string { return nonEmpty(e.Content) }, nil},
			searchParam{"supplements", paramURI, "Code system that this one supplements", func(e *engine.Entry) []string { return nonEmpty(e.Supplements) }, nil},
			searchParam{"system", paramURI, "Same as url", func(e *engine.Entry) []string { return nonEmpty(e.Header.URL) }, nil})
	case "ValueSet":
		list = append(list,
			searchParam{"expansion", paramURI, "Identifier of a stored expansion", expansionIdentifier, nil},
			searchParam{"reference", paramURI, "Code systems and value sets that the definition refers to", composeReferences, nil})
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return strings.Compare(a.name, b.name) < 0
	})
	return list
}

// searchParamOf finds a search parameter by name.
func searchParamOf(typ, name string) (searchParam, bool) {
	return lo.Find(searchParams(typ), func(p searchParam) bool { return p.name == name })
}

// definedCodes returns a value if a code system has codes.
func definedCodes(e *engine.Entry) []string {
	if e.Concepts == 0 {
		return nil
	}
	return []string{""}
}

// hasCode reports whether a code system has a code: code, system|code or |code.
func hasCode(e *engine.Entry, want string) bool {
	system, code, qualified := strings.Cut(want, "|")
	if !qualified {
		code = want
	}
	if e.CodeSystem == nil || e.Concepts == 0 || qualified && system != e.Header.URL {
		return false
	}
	x, err := e.CodeSystem()
	if err != nil {
		return false
	}
	_, found := x.Find(code)
	return found || code == ""
}

// composeReferences returns the systems and value sets that a definition refers to.
func composeReferences(e *engine.Entry) []string {
	vs := definition(e)
	if vs == nil || vs.Compose == nil {
		return nil
	}
	var refs []string
	for _, list := range [][]r4.Include{vs.Compose.Include, vs.Compose.Exclude} {
		for i := range list {
			refs = append(refs, nonEmpty(list[i].System)...)
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
	return nonEmpty(vs.Expansion.Identifier)
}

// definition returns the value set of an entry, or nil if it cannot be read. It then matches
// nothing.
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
