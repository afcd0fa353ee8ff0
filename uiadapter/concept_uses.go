package uiadapter

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/changes"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/issue"
)

// usesRoom is the part of the page of a concept that takes longer.
func usesRoom() *room {
	return &room{name: "uses", routes: map[string]func(*Page) error{
		"GET /ui/uses": (*Page).uses,
	}}
}

// usesData is what uses.html shows: what names a concept.
type usesData struct {
	*System
	Concept Ref
	// Back is the address of the page of the concept.
	Back string

	ValueSets []Resource
	// MoreValueSets is true if there may be others, and Late if there was no time to look at all.
	MoreValueSets, Late bool
	// Mappings lead to other code systems, Reversed come from there.
	Mappings, Reversed []Mapping
	MoreMappings       bool
	Members            []Membership
	Users              []User
	// Replaces are the concepts that this one replaced.
	Replaces []Association
}

// A Resource is a value set or another resource. Link is the address of its page, "" if there is none.
type Resource struct{ Name, URL, Link string }

// A Mapping is a translation of a concept.
type Mapping struct {
	Relation string // code of the equivalence
	Code     string
	Term     string
	System   string // name of its code system
	Link     string // of the page of the concept, "" if its code system is not loaded
	Map      Resource
	Comment  string
	// Rule is what else the map says about the mapping.
	Rule []Product
}

// A Product is a value that comes with a mapping.
type Product struct{ Name, Value string }

// A Membership is a reference set with the concept.
type Membership struct {
	Ref
	Rows int
}

// A User is a property by which concepts name a concept.
type User struct {
	Name  Term
	Total int
	List  []Ref
}

const (
	// maxValueSets, maxMappings and shownUsers bound the lists of the page.
	maxValueSets, maxMappings, shownUsers = 40, 60, 8
	// timeForValueSets is the time to look for value sets, many of which may have to be compiled first.
	timeForValueSets = 3 * time.Second
)

// uses shows what names a concept: as a part of its page, or as a page of its own.
func (p *Page) uses() error {
	r, err := p.h.Engine.Lookup(p.Context(), &engine.LookupRequest{System: p.Query("system"), Version: p.Query("version"), Code: p.Query("code")})
	if err != nil {
		return err
	}
	s, err := p.systemOf(r.Index)
	if err != nil {
		return err
	}
	d := &usesData{System: s, Concept: s.ref(r.Concept)}
	if d.Back, err = d.Concept.Link(); err != nil {
		return err
	}
	if p.may("ValueSet") {
		if err := p.valueSetsWith(d); err != nil {
			return err
		}
	}
	if p.may("ConceptMap") {
		if err := p.mappingsOf(d); err != nil {
			return err
		}
	}
	if d.Users, err = s.users(p.Context(), r.Concept); err != nil {
		return err
	}
	d.Members = s.memberships(r.Concept)
	if d.Replaces, err = s.replaced(p.Context(), r.Concept); err != nil {
		return err
	}
	return p.Show("uses.html", "uses", d.Concept.Text+" – "+p.T("concept.uses"), d)
}

// valueSetsWith lists the value sets with the concept.
func (p *Page) valueSetsWith(d *usesData) error {
	ctx, cancel := context.WithTimeout(p.Context(), timeForValueSets)
	defer cancel()
	found, err := p.h.Engine.Containing(ctx, &engine.ContainingRequest{
		System: d.URL, Version: d.Version, Code: d.Concept.Code, Limit: maxValueSets,
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded) && p.Context().Err() == nil:
		d.Late = true
		return nil
	case err != nil:
		return err
	}
	d.MoreValueSets = found.More
	for _, e := range found.Entries {
		d.ValueSets = append(d.ValueSets, p.resource("ValueSet", e))
	}
	return nil
}

// resource returns a published resource.
func (p *Page) resource(kind string, e *engine.Entry) Resource {
	r := Resource{Name: nameOf(e), URL: e.Header.URL}
	r.Link, _ = p.resourceLink(kind, r.URL, "")
	return r
}

// mappingsOf lists what maps say about the concept, in both directions.
func (p *Page) mappingsOf(d *usesData) error {
	names := map[string]Resource{}
	for _, e := range p.entries("ConceptMap") {
		names[e.Header.URL] = p.resource("ConceptMap", e)
	}
	for _, reverse := range [...]bool{false, true} {
		found, err := p.h.Engine.Translate(p.Context(), &engine.TranslateRequest{System: d.URL, Code: d.Concept.Code, Reverse: reverse})
		if errors.Is(err, conceptmap.ErrMapCycle) || errors.Is(err, issue.ErrUnknownConceptMap) {
			continue
		}
		if err != nil {
			return err
		}
		for i := range found.Matches {
			m := &found.Matches[i]
			url, _, _ := strings.Cut(m.Map, "|")
			if _, id, implicit := strings.Cut(url, "?fhir_cm="); implicit && changes.Association(id) != "" || m.Concept.Code == "" && m.Comment == "" {
				continue // told as the history of the concept, or says nothing
			}
			if len(d.Mappings)+len(d.Reversed) == maxMappings {
				d.MoreMappings = true
				return nil
			}
			mapping := p.mapping(d.System, m)
			if mapping.Map = names[url]; mapping.Map.Name == "" {
				mapping.Map = d.implicitMap(url)
			}
			if reverse {
				d.Reversed = append(d.Reversed, mapping)
			} else {
				d.Mappings = append(d.Mappings, mapping)
			}
		}
	}
	return nil
}

// implicitMap returns the name of a map of SNOMED CT, which is a reference set.
func (s *System) implicitMap(url string) Resource {
	r := Resource{Name: url, URL: url}
	if _, id, implicit := strings.Cut(url, "?fhir_cm="); implicit {
		if o, found := s.x.Find(id); found {
			r.Name = s.term(o).Text
		}
	}
	return r
}

func (p *Page) mapping(from *System, m *conceptmap.Match) Mapping {
	c := &m.Concept
	mapping := Mapping{Relation: string(m.Equivalence), Code: c.Code, Term: c.Display, System: c.System, Comment: m.Comment}
	if s, err := p.system(c.System, ""); err == nil {
		mapping.System = s.Name
		if o, found := s.x.Find(c.Code); found {
			ref := s.ref(o)
			mapping.Term = ref.Text
			mapping.Link, _ = ref.Link()
		}
	}
	for _, list := range [...]int{0, 1} {
		from := m.DependsOn
		if list == 1 {
			from = m.Product
		}
		for _, product := range from {
			name := product.Property[strings.LastIndexAny(product.Property, "/#")+1:]
			if product.Value != "" && product.Value != m.Comment {
				mapping.Rule = append(mapping.Rule, Product{name, cmp.Or(product.Display, product.Value)})
			}
		}
	}
	return mapping
}

// memberships returns the reference sets with the concept, without those that tell its history.
func (s *System) memberships(o codesystem.Ord) []Membership {
	var list []Membership
	for _, code := range s.x.Refsets() {
		set, found := s.x.Refset(code)
		if !found || changes.Association(code) != "" || !set.Members().Contains(o) {
			continue
		}
		first, end := set.RowsOf(o)
		m := Membership{Rows: end - first, Ref: Ref{Term: Term{Text: code}, Code: code}}
		if own, found := s.x.Find(code); found {
			m.Ref = s.ref(own)
		}
		list = append(list, m)
	}
	return list
}

// users returns the concepts that name a concept by a property.
func (s *System) users(ctx context.Context, o codesystem.Ord) ([]User, error) {
	var list []User
	target := roaring.BitmapOf(o)
	for prop, code := range s.x.PropertyNames() {
		if changes.Relation(code) != "" {
			continue
		}
		holders, err := s.x.HoldersOf(ctx, prop, target)
		if err != nil {
			return nil, err
		}
		if holders.IsEmpty() {
			continue
		}
		u := User{Name: Term{Text: code}, Total: int(holders.GetCardinality())}
		if own, found := s.x.Find(code); found {
			u.Name = s.term(own)
		}
		for it := holders.Iterator(); it.HasNext() && len(u.List) < shownUsers; {
			u.List = append(u.List, s.ref(it.Next()))
		}
		list = append(list, u)
	}
	sortBy(list, func(a, b User) int { return cmp.Compare(b.Total, a.Total) })
	return list, nil
}

// replaced returns the concepts that a concept replaced.
func (s *System) replaced(ctx context.Context, o codesystem.Ord) ([]Association, error) {
	var list []Association
	add := func(relation string, from codesystem.Ord) {
		if len(list) < changes.MaxReplacements && from != o {
			list = append(list, Association{"concept." + relation, s.ref(from)})
		}
	}
	for prop, code := range s.x.PropertyNames() {
		relation := changes.Relation(code)
		if relation == "" {
			continue
		}
		holders, err := s.x.HoldersOf(ctx, prop, roaring.BitmapOf(o))
		if err != nil {
			return nil, err
		}
		for it := holders.Iterator(); it.HasNext() && len(list) < changes.MaxReplacements; {
			add(relation, it.Next())
		}
	}
	for _, code := range s.x.Refsets() {
		relation := changes.Association(code)
		if relation == "" {
			continue
		}
		set, _ := s.x.Refset(code)
		column := changes.TargetColumn(set)
		for row := 0; column >= 0 && row < set.Len(); row++ {
			if row%65536 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if target, ok := set.Target(row, column); ok && target == o && set.Active(row) {
				add(relation, set.Component(row))
			}
		}
	}
	sortBy(list, func(a, b Association) int {
		return cmp.Or(cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Code, b.Code))
	})
	return slices.CompactFunc(list, func(a, b Association) bool { return a.Relation == b.Relation && a.Code == b.Code }), nil
}
