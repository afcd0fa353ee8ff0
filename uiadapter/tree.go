package uiadapter

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

// treeRoom is the hierarchy of a code system, opened as far as one likes.
func treeRoom() *room {
	return &room{name: "tree", link: "tree", types: []string{"CodeSystem"}, routes: map[string]func(*Page) error{
		"GET /ui/tree":   (*Page).tree,
		"GET /ui/branch": (*Page).branch,
		"GET /ui/card":   (*Page).card,
	}}
}

// treeData is what tree.html shows.
type treeData struct {
	*System
	Root *Branch
	// Flat is true if the code system has no hierarchy, Part if it does not express meaning.
	Flat bool
	// Meaning is how concepts are above others.
	Meaning string
	Codes   int
	// Hidden counts the inactive concepts without a place in the hierarchy.
	Hidden   int
	Versions []Release
	Card     *cardData
}

// A Release is a version of a code system. Link leads to the page that shows it.
type Release struct {
	Name, Link string
	Chosen     bool
}

// tree shows the hierarchy of a code system, or the code systems if none is chosen.
func (p *Page) tree() error {
	if p.Query("system") == "" {
		return p.shelf()
	}
	s, err := p.system(p.Query("system"), p.Query("version"))
	if err != nil {
		return err
	}
	v, err := p.treeView(s)
	if err != nil {
		return err
	}
	roots := rootsOf(s.x)
	d := &treeData{
		System: s, Flat: !s.x.Hierarchical(), Codes: s.x.Len(), Meaning: s.x.Header().HierarchyMeaning,
		Hidden: int(s.x.Roots().GetCardinality()) - roots.size(), Versions: p.releases(s, "tree"),
	}
	if v.focused && !roots.has(v.path[0]) {
		roots = roots.with(v.path[0]) // inactive, without a place in the hierarchy
	}
	d.Root = v.branch(roots, nil, "t")
	title := s.Name
	if v.focused {
		if d.Card, err = p.cardOf(s, v.focus, v.path); err != nil {
			return err
		}
		title = d.Card.Text + " – " + title
	}
	return p.Show("tree.html", "", title, d)
}

// releases returns the versions of a code system if there are several.
func (p *Page) releases(s *System, page string) []Release {
	var list []Release
	for _, e := range p.entries("CodeSystem") {
		if e.Header.URL != s.URL || !e.HasCodes(false) {
			continue
		}
		version := e.Header.Version
		r := Release{Name: releaseOf(version), Chosen: version == s.x.Version()}
		if p.h.Engine.IsDefault(e) {
			version = ""
		}
		address, err := link(page, "system", s.URL, "version", version, "code", p.Query("code"), "lang", s.Language)
		if err != nil {
			continue // link fails for an odd number of arguments only
		}
		r.Link = address
		list = append(list, r)
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// branch shows a part of the concepts below one, for a tree that is there already.
func (p *Page) branch() error {
	s, err := p.system(p.Query("system"), p.Query("version"))
	if err != nil {
		return err
	}
	v := &treeView{s: s, from: p.Number("from", 0, 0, s.x.Len()), partOf: noParent}
	list := rootsOf(s.x)
	if code := p.Query("code"); code != "" {
		o, err := s.find(code)
		if err != nil {
			return err
		}
		list, v.partOf = s.below(o), int64(o)
		v.path = append(s.chain(p.Queries("via"), o), o)
	}
	id := p.Query("id")
	if id == "" || len(id) > 20 || strings.ContainsFunc(id, func(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'z') }) {
		return fmt.Errorf("%w: id is %q, want that of the part of the tree", engine.ErrInvalidParameter, cut(id, 20))
	}
	return p.ShowPart("tree.html", "items", "tree", s.Name, v.branch(list, v.path, id))
}

// find returns a concept of a code system by its code.
func (s *System) find(code string) (codesystem.Ord, error) {
	o, found := s.x.Find(code)
	if !found {
		return 0, fmt.Errorf("%w: %q in %s", engine.ErrUnknownCode, cut(code, maxTitle), s.Name)
	}
	return o, nil
}

// card shows the concept that is chosen in a tree.
func (p *Page) card() error {
	s, err := p.system(p.Query("system"), p.Query("version"))
	if err != nil {
		return err
	}
	o, err := s.find(p.Query("code"))
	if err != nil {
		return err
	}
	path := s.chain(p.Queries("via"), o)
	d, err := p.cardOf(s, o, append(path, o))
	if err != nil {
		return err
	}
	return p.ShowPart("tree.html", "card", "tree", d.Text+" – "+s.Name, &treeData{System: s, Card: d})
}

// cardData is a concept beside the tree.
type cardData struct {
	Ref
	Definition string
	// Parents are all of them, Ways paths other than the one that the tree shows, and Paths counts them
	// all. Many is true if there are more than anyone would count.
	Parents []Ref
	Ways    []Way
	Paths   int
	Many    bool
	Below   int // concepts below it at any depth
}

// A Way is a path to a concept, with the address of the tree that shows it.
type Way struct {
	Steps []Ref
	Link  string
}

// maxWays is the number of paths that are listed.
const maxWays = 6

// cardOf returns a concept that the tree shows by a path.
func (p *Page) cardOf(s *System, o codesystem.Ord, shown []codesystem.Ord) (*cardData, error) {
	d := &cardData{
		Ref: s.ref(o), Definition: s.x.Definition(o), Parents: s.refs(s.x.Parents(o)), Below: int(s.x.Descendants(o).GetCardinality()),
	}
	ways, err := s.waysTo(o, shown, maxWays)
	if err != nil {
		return nil, err
	}
	d.Ways = ways.list
	d.Paths, d.Many = ways.total, ways.total == manyPaths
	return d, p.Context().Err()
}
