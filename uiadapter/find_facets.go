package uiadapter

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// A Facet narrows what was found. Title is a key of the texts.
type Facet struct {
	Title  string
	Values []FacetValue
	// Rest are those that are shown on demand.
	Rest []FacetValue
}

// A FacetValue is a choice of a facet, with the number of concepts that remain, -1 if that is
// not known. ID is unique in the
// page, so that the keyboard stays on a choice when the results change.
type FacetValue struct {
	ID string
	Term
	Count  int
	Link   string
	Chosen bool
	// Inner is true for a part of the choice before.
	Inner bool
}

// maxFacet is the number of choices that are shown at once.
const maxFacet = 12

// facets returns the facets of a search in one code system.
func (p *Page) facets(d *findData, s *System, cats []category, q *codesystem.Query) []Facet {
	found := s.x.MatchingWith(s.packs, q, nil)
	list := []Facet{{Title: "find.systems", Values: []FacetValue{
		{ID: "systems", Term: Term{Text: p.T("find.all")}, Link: d.with("system", ""), Count: -1},
		{ID: idOf("system", s.URL), Term: Term{Text: s.Name}, Link: d.with("category", ""), Count: int(found.GetCardinality()), Chosen: true},
	}}}
	inCategory := found
	if set := s.within(&seeking{Category: d.Category}, cats); set != nil {
		inCategory = roaring.And(found, set)
	}
	list = append(list, p.statuses(d, []counted{{s.x, inCategory}}))
	withStatus := found
	if set := s.withStatus(d.Status); set != nil {
		withStatus = roaring.And(found, set)
	}
	if values := s.categoriesIn(d, cats, withStatus); len(values) > 0 {
		all := FacetValue{ID: "category", Term: Term{Text: p.T("find.all")}, Count: int(withStatus.GetCardinality()), Link: d.with("category", ""), Chosen: d.Category == ""}
		facet := Facet{Title: "find.category", Values: append([]FacetValue{all}, values...)}
		if len(facet.Values) > maxFacet+2 {
			facet.Values, facet.Rest = facet.Values[:maxFacet], facet.Values[maxFacet:]
		}
		list = append(list, facet)
	}
	return list
}

// categoriesIn returns the categories that have some of the concepts that were found, those with most
// of them first.
func (s *System) categoriesIn(d *findData, cats []category, found *roaring.Bitmap) []FacetValue {
	var values []FacetValue
	for i := range cats {
		c := &cats[i]
		chosen := d.URL != "" && c.key == d.Category
		n := int(found.AndCardinality(c.set(s.x)))
		if n == 0 && !chosen {
			continue
		}
		values = append(values, FacetValue{
			ID: idOf("category", c.key, s.URL), Term: s.category(c), Count: n, Chosen: chosen, Link: d.with("system", s.URL, "category", c.key),
		})
	}
	sortBy(values, func(a, b FacetValue) int { return cmp.Compare(b.Count, a.Count) })
	for i := range values {
		if values[i].Chosen { // what is chosen stays in sight
			chosen := values[i]
			values = slices.Insert(slices.Delete(values, i, i+1), 0, chosen)
			break
		}
	}
	return values
}

// idOf returns an id that is made of texts, which may have spaces.
func idOf(parts ...string) string { return url.QueryEscape(strings.Join(parts, "-")) }

// counted are concepts of a code system that were found.
type counted struct {
	x     *codesystem.Index
	found *roaring.Bitmap
}

// statuses returns the facet of the status.
func (p *Page) statuses(d *findData, list []counted) Facet {
	var all, inactive, abstract int
	for _, c := range list {
		all += int(c.found.GetCardinality())
		inactive += int(c.found.AndCardinality(c.x.InactiveSet()))
		abstract += int(c.found.AndCardinality(c.x.AbstractSet()))
	}
	facet := Facet{Title: "find.status"}
	for _, v := range []struct {
		status, text string
		count        int
	}{{"", "find.all", all}, {"active", "find.active", all - inactive}, {"inactive", "find.inactive", inactive}, {"abstract", "find.abstract", abstract}} {
		if v.count == 0 && v.status != "" && v.status != d.Status {
			continue
		}
		facet.Values = append(facet.Values, FacetValue{
			ID: "status-" + cmp.Or(v.status, "all"), Term: Term{Text: p.T(v.text)}, Count: v.count, Link: d.with("status", v.status), Chosen: v.status == d.Status,
		})
	}
	return facet
}

// categoriesOfEach are the categories that are shown for each one of several code systems.
const categoriesOfEach = 4

// facetsOfAll returns the facets of a search in all code systems that were loaded.
func (p *Page) facetsOfAll(d *findData, systems []*System, q *codesystem.Query) []Facet {
	where := Facet{Title: "find.systems"}
	for i := range d.Groups {
		g := &d.Groups[i]
		where.Values = append(where.Values, FacetValue{ID: idOf("system", g.URL), Term: Term{Text: g.Name}, Count: g.Total, Link: d.with("system", g.URL)})
		cats, err := p.h.categories.of(p.Context(), g.x)
		if err != nil {
			continue // the request is over
		}
		found := g.x.MatchingWith(g.packs, q, nil)
		if set := g.withStatus(d.Status); set != nil {
			found = roaring.And(found, set)
		}
		values := g.categoriesIn(d, cats, found)
		for _, v := range values[:min(len(values), categoriesOfEach)] {
			v.Inner = true
			where.Values = append(where.Values, v)
		}
	}
	var list []counted
	for _, s := range systems {
		list = append(list, counted{s.x, s.x.MatchingWith(s.packs, q, nil)})
	}
	return []Facet{where, p.statuses(d, list)}
}

// sortedKeys returns the keys of a set, sorted.
func sortedKeys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
