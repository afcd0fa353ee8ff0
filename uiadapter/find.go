package uiadapter

import (
	"cmp"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine"
)

// findRoom is the first page: concepts by their words, as one types.
func findRoom() *room {
	return &room{name: "find", link: "./", types: []string{"CodeSystem"}, routes: map[string]func(*Page) error{
		"GET /ui/{$}":     (*Page).find,
		"GET /ui/concept": (*Page).concept,
	}}
}

// findData is what find.html shows.
type findData struct {
	Text    string
	System  string
	Systems []*engine.Entry
}

func (p *Page) find() error {
	d := findData{Text: p.Query("q"), System: p.Query("system"), Systems: p.systems()}
	return p.Show("find.html", "results", p.T("find.title"), d)
}

func (p *Page) concept() error { return errNotFound }

// systems returns the code systems that have codes, those that were loaded before those that are
// built in, by title.
func (p *Page) systems() []*engine.Entry {
	list := slices.DeleteFunc(slices.Clone(p.h.Engine.Entries("CodeSystem")), func(e *engine.Entry) bool { return !e.HasCodes(false) })
	slices.SortStableFunc(list, byName)
	return list
}

// byName compares two resources for a list: what was loaded comes before what is built in.
func byName(x, y *engine.Entry) int {
	switch {
	case x.BuiltIn == y.BuiltIn:
		return cmp.Or(cmp.Compare(strings.ToLower(nameOf(x)), strings.ToLower(nameOf(y))), cmp.Compare(x.Header.Version, y.Header.Version))
	case y.BuiltIn:
		return -1
	}
	return 1
}

// nameOf returns what people call a resource.
func nameOf(e *engine.Entry) string {
	return cmp.Or(e.Header.Title, e.Header.Name, e.Header.ID, e.Header.URL)
}
