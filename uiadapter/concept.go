package uiadapter

import (
	"cmp"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/changes"
)

// conceptRoom is all that is known of a concept.
func conceptRoom() *room {
	return &room{name: "concept", types: []string{"CodeSystem"}, routes: map[string]func(*Page) error{
		"GET /ui/concept": (*Page).concept,
	}}
}

// conceptData is what concept.html shows.
type conceptData struct {
	*System
	Concept    Ref
	Definition string
	Kind       Term
	// Path leads to the concept from the top; Paths counts all paths.
	Path  []Ref
	Paths int
	// Replaced are the concepts to use instead of an inactive one.
	Replaced []Association
	Names    []LanguageNames
	// InDialects is true if language reference sets have some of them.
	InDialects bool
	// Attributes are the properties that name concepts, by group; Facts are the others.
	Attributes []AttributeGroup
	Facts      []Property
	Parents    []Ref
	Children   []Ref
	Kin        []Kin
	// Below counts the concepts below at any depth, Directly those directly below.
	Below, Directly int
	Above           int
	Releases        []Presence
	Ancestors       *Drawing
	Meaning         *Drawing
	Copies          []Copy
	Tree            string
	Uses            string
}

// Kin are the concepts below the same parent.
type Kin struct {
	Parent Ref
	Total  int
	List   []Ref
}

const (
	// shownChildren, shownKin and shownParents bound the neighbours of a concept that its page lists.
	shownChildren, shownKin, shownParents = 24, 6, 60
)

// concept shows a concept.
func (p *Page) concept() error {
	r, err := p.h.Engine.Lookup(p.Context(), &engine.LookupRequest{System: p.Query("system"), Version: p.Query("version"), Code: p.Query("code")})
	if err != nil {
		return err
	}
	s, err := p.systemOf(r.Index)
	if err != nil {
		return err
	}
	d := &conceptData{System: s, Concept: s.ref(r.Concept)}
	if err := p.describe(d, r.Concept); err != nil {
		return err
	}
	return p.Show("concept.html", "", d.Concept.Text+" – "+s.Name, d)
}

// describe fills in what is known of a concept.
func (p *Page) describe(d *conceptData, o codesystem.Ord) error {
	s, x := d.System, d.x
	d.Definition = x.Definition(o)
	paths, total := pathsTo(x, o, 1)
	d.Path, d.Paths = s.refs(paths[0][:len(paths[0])-1]), total
	cats, err := p.h.categories.of(p.Context(), x)
	if err != nil {
		return err
	}
	d.Kind = s.kind(o, cats)
	d.Replaced = s.replacements(o)
	d.Names = s.names(o)
	for _, l := range d.Names {
		d.InDialects = d.InDialects || slices.ContainsFunc(l.Names, func(n Name) bool { return len(n.Dialects) > 0 })
	}
	d.Attributes, d.Facts = s.attributes(o)
	parents := x.Parents(o)
	d.Parents = s.refs(parents[:min(len(parents), shownParents)])
	children := s.below(o)
	d.Directly, d.Below, d.Above = children.size(), int(x.Descendants(o).GetCardinality()), len(x.Ancestors(o))
	for i := range min(d.Directly, shownChildren) {
		d.Children = append(d.Children, s.ref(children.at(i)))
	}
	for _, parent := range parents[:min(len(parents), 3)] {
		d.Kin = append(d.Kin, s.kin(parent, o))
	}
	d.Releases = p.presences(s, d.Concept.Code)
	if d.Ancestors, err = s.drawAncestors(o); err != nil {
		return err
	}
	if d.Meaning, err = s.drawMeaning(o, d.Attributes); err != nil {
		return err
	}
	if d.Copies, err = p.copies(s, o); err != nil {
		return err
	}
	if d.Tree, err = link("tree", "system", s.URL, "version", s.Version, "code", d.Concept.Code, "lang", s.Language); err != nil {
		return err
	}
	d.Uses, err = link("uses", "system", s.URL, "version", s.Version, "code", d.Concept.Code, "lang", s.Language)
	return err
}

// kin returns the siblings of a concept below one of its parents that are next to it.
func (s *System) kin(parent, o codesystem.Ord) Kin {
	list := s.below(parent)
	at := list.index(o)
	from := max(at-shownKin/2, 0)
	k := Kin{Parent: s.ref(parent), Total: list.size() - 1}
	for i := from; i < list.size() && len(k.List) < shownKin; i++ {
		if i != at {
			k.List = append(k.List, s.ref(list.at(i)))
		}
	}
	return k
}

// A Presence is a version of a code system with the concept in it.
type Presence struct {
	Release
	Has    bool
	Status string // key of a text
	Ref    Ref
}

// presences returns the versions of a code system with the concept of a code, from high to low, if
// there are several.
func (p *Page) presences(s *System, code string) []Presence {
	var list []Presence
	entries := slices.Clone(p.entries("CodeSystem"))
	slices.Reverse(entries)
	for _, e := range entries {
		if e.Header.URL != s.URL || !e.HasCodes(false) {
			continue
		}
		own, err := p.system(e.Header.URL, e.Header.Version)
		if err != nil {
			continue // said at /readyz
		}
		v := Presence{Release: Release{Name: cmp.Or(own.Release, "–"), Chosen: e.Header.Version == s.x.Version()}}
		if o, found := own.x.Find(code); found {
			v.Has, v.Ref, v.Status = true, own.ref(o), "concept.active"
			if v.Ref.Inactive {
				v.Status = "concept.inactive"
			}
		}
		list = append(list, v)
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// An Association leads from a concept to one that replaced it, or the other way round. Relation is a
// key of a text, or a name.
type Association struct {
	Relation string
	Ref
}

// replacements returns the concepts that a concept is historically associated with.
func (s *System) replacements(o codesystem.Ord) []Association {
	var list []Association
	for _, r := range changes.Replacements(s.x, o) {
		if target, ok := s.x.Find(r.Code); ok {
			list = append(list, Association{"concept." + r.Relation, s.ref(target)})
		}
	}
	return list
}
