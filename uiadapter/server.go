package uiadapter

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine"
)

// serverRoom is the page about the server: what is loaded, and how it runs.
func serverRoom() *room {
	return &room{name: "server", link: "server", types: []string{"CodeSystem"}, routes: map[string]func(*Page) error{
		"GET /ui/server": (*Page).server,
	}}
}

// loadedTypes are the types of what is loaded, in the order of the page.
var loadedTypes = [...]string{"CodeSystem", "ValueSet", "ConceptMap"}

// pageOfLoaded is how many resources one page lists.
const pageOfLoaded = 50

// serverData is what server.html shows.
type serverData struct {
	Facts   Facts // empty for who may not search everything
	Type    string
	Types   []loadedType
	Text    string
	Entries []*engine.Entry
	Total   int
	Offset  int
	Before  int // offset of the page before, -1 for none
	After   int // offset of the next page, -1 for none
	BuiltIn bool
}

// A loadedType is a type with the number of its resources.
type loadedType struct {
	Type  string
	Count int
}

func (p *Page) server() error {
	d := serverData{Type: p.Query("type"), Text: p.Query("q"), BuiltIn: p.Query("builtin") != "", Before: -1, After: -1}
	if !slices.Contains(loadedTypes[:], d.Type) {
		d.Type = loadedTypes[0]
	}
	for _, typ := range loadedTypes {
		d.Types = append(d.Types, loadedType{typ, len(p.entries(typ))})
	}
	if grant := access.GrantOf(p.Context()); p.h.Facts != nil && (grant == nil || grant.CoversAll("*", access.Search)) {
		d.Facts = p.h.Facts(p.Context())
	}
	found := p.loaded(d.Type, d.Text, d.BuiltIn)
	d.Total = len(found)
	d.Offset = p.Number("offset", 0, 0, max(0, d.Total-1))
	d.Entries = found[d.Offset:min(d.Offset+pageOfLoaded, d.Total)]
	if d.Offset > 0 {
		d.Before = max(0, d.Offset-pageOfLoaded)
	}
	if d.Offset+pageOfLoaded < d.Total {
		d.After = d.Offset + pageOfLoaded
	}
	return p.Show("server.html", "loaded", p.T("server.title"), d)
}

// loaded returns the resources of a type whose names have all words of a text.
func (p *Page) loaded(typ, text string, builtIn bool) []*engine.Entry {
	words := strings.Fields(strings.ToLower(text))
	var list []*engine.Entry
	for _, e := range p.entries(typ) {
		if e.BuiltIn && !builtIn {
			continue
		}
		names := strings.ToLower(e.Header.Title + " " + e.Header.Name + " " + e.Header.ID + " " + e.Header.URL)
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(names, word) }) {
			list = append(list, e)
		}
	}
	sortBy(list, byName)
	return list
}

// LinkTo returns the address of the page of a resource, or that of its document.
func (p *Page) LinkTo(typ string, e *engine.Entry) (string, error) {
	own, err := p.resourceLink(typ, e.Header.URL, e.Header.Version)
	if own == "" && err == nil {
		return link("../"+typ, "url", e.Header.URL, "version", e.Header.Version)
	}
	return own, err
}
