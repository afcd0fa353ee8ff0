package uiadapter

import (
	"cmp"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

// A Named is a code system, value set or concept map that is called like the text that was sought.
type Named struct {
	// Kind is the type of the resource.
	Kind  string
	URL   string
	Shown []Span
	// Link is the address of its page, "" if there is none.
	Link string
}

// maxNamed is the number of resources that are shown.
const maxNamed = 6

// pagesOf are the pages that show a resource of a type, with the parameter that names it.
var pagesOf = [...]struct{ kind, page, parameter string }{
	{"CodeSystem", "tree", "system"}, {"ValueSet", "valueset", "url"}, {"ConceptMap", "map", "url"},
}

// named returns the resources that are called like the text, those that were loaded first, and how
// many more there are.
func (p *Page) named(s *seeking) (list []Named, more int) {
	type scored struct {
		*engine.Entry
		kind  int
		score codesystem.Score
	}
	q := codesystem.CompileQuery(s.Text)
	if q.Empty() {
		return nil, 0
	}
	var found []scored
	for kind := range pagesOf {
		for _, e := range p.entries(pagesOf[kind].kind) {
			h := &e.Header
			if h.URL == "" || !p.h.Engine.IsDefault(e) {
				continue
			}
			last := h.URL[strings.LastIndexAny(h.URL, "/:")+1:]
			score, ok := q.Match(last, cmp.Or(h.Title, h.Name, h.ID))
			if !ok {
				if score, ok = q.Match(h.URL, h.Name); !ok {
					continue
				}
			}
			found = append(found, scored{e, kind, score})
		}
	}
	sortBy(found, func(a, b scored) int {
		switch {
		case a.BuiltIn == b.BuiltIn:
			return cmp.Compare(a.score, b.score)
		case a.BuiltIn:
			return 1
		}
		return -1
	})
	for _, f := range found[:min(len(found), maxNamed)] {
		n := Named{Kind: pagesOf[f.kind].kind, URL: f.Header.URL, Shown: s.mark(nameOf(f.Entry), false)}
		n.Link, _ = p.resourceLink(n.Kind, n.URL, "")
		list = append(list, n)
	}
	return list, len(found) - len(list)
}

// resourceLink returns the address of the page of a resource, "" if this server has none.
func (p *Page) resourceLink(kind, url, version string) (string, error) {
	for _, of := range pagesOf {
		if of.kind == kind && p.Has(of.page) {
			return link(of.page, of.parameter, url, "version", version)
		}
	}
	return "", nil
}
