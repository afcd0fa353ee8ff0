package uiadapter

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/roget-health/roget/engine"
)

// resourceList is a list of resources to choose one from.
type resourceList struct {
	Text string
	// BuiltIn is true if those that are part of the program are listed as well.
	BuiltIn        bool
	Entries        []*engine.Entry
	Total          int
	First, Last    int
	Previous, Next string
}

// resourcesOfPage is the number of resources on a page.
const resourcesOfPage = 50

// resources returns the page of the list of resources that the address asks for.
func (p *Page) resources(typ, page string) (*resourceList, error) {
	l := &resourceList{Text: p.Query("q"), BuiltIn: p.Query("builtin") != ""}
	if len(l.Text) > maxSought {
		return nil, fmt.Errorf("%w: the text to find has more than %d bytes", engine.ErrInvalidParameter, maxSought)
	}
	if !l.BuiltIn && p.Query("q") == "" && !slices.ContainsFunc(p.entries(typ), func(e *engine.Entry) bool { return !e.BuiltIn }) {
		l.BuiltIn = true // there are no others
	}
	found := slices.DeleteFunc(p.loaded(typ, l.Text, l.BuiltIn), func(e *engine.Entry) bool { return e.Header.URL == "" })
	l.Total = len(found)
	from := p.Number("from", 0, 0, max(l.Total-1, 0))
	l.Entries = found[from:min(from+resourcesOfPage, l.Total)]
	l.First, l.Last = from+1, from+len(l.Entries)
	at := func(from int) (string, error) {
		first := ""
		if from > 0 {
			first = strconv.Itoa(from)
		}
		return link(page, "q", l.Text, "builtin", tick(l.BuiltIn), "from", first)
	}
	var err error
	if from > 0 {
		if l.Previous, err = at(max(from-resourcesOfPage, 0)); err != nil {
			return nil, err
		}
	}
	if l.Last < l.Total {
		l.Next, err = at(l.Last)
	}
	return l, err
}

// valueSets lists the value sets.
func (p *Page) valueSets() error {
	l, err := p.resources("ValueSet", "valuesets")
	if err != nil {
		return err
	}
	return p.Show("valuesets.html", "valuesets", p.T("valueset.title"), l)
}

// LinkOf returns the address of the page of a value set or map, with its version unless that is the
// default.
func (p *Page) LinkOf(e *engine.Entry) (string, error) {
	version := e.Header.Version
	if p.h.Engine.IsDefault(e) {
		version = ""
	}
	return p.resourceLink(e.Header.ResourceType, e.Header.URL, version)
}
