package uiadapter

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/resources/r4"
)

// mapRoom is where maps between code systems are found, read and tried.
func mapRoom() *room {
	return &room{name: "map", link: "maps", types: []string{"ConceptMap"}, routes: map[string]func(*Page) error{
		"GET /ui/maps":      (*Page).maps,
		"GET /ui/map":       (*Page).conceptMap,
		"GET /ui/translate": (*Page).translation,
	}}
}

// mapData is what map.html shows.
type mapData struct {
	URL, Version string
	Name         string
	Header       r4.Header
	// From and To are the value sets that the map goes between.
	From, To Resource
	Groups   []MapGroup
	// Hidden is the number of groups that are not shown.
	Hidden int
	// Listed is false for a map whose rows cannot be listed here: a reference set.
	Listed         bool
	Filter         string
	Rows           []MapRow
	Total, Sources int
	First, Last    int
	Previous, Next string
	Try            Try
}

// A MapGroup is a part of a map with the names of its code systems.
type MapGroup struct {
	conceptmap.Group
	From, To string
}

// A MapRow is a mapping. To is empty for an element without targets.
type MapRow struct {
	Place    string
	From, To MapEnd
	Relation string
	Comment  string
	// Depends are the conditions of the mapping, and Products what it gives besides the code.
	Depends, Products []Product
	// Way says how codes that the map does not name got their translation: a key of a text, or "".
	Way string
	// Map is the map that has the mapping, if it is another one.
	Map Resource
}

// A MapEnd is a code of a mapping. Link is the address of its concept, "" if there is none.
type MapEnd struct{ Code, Text, System, Link string }

// A Try is the translation of a code.
type Try struct {
	Code, System string
	Reverse      bool
	Asked, Found bool
	Rows         []MapRow
	More         bool
	Message      string
}

const (
	// maxGroups, maxTried and maxFiltered bound the groups and translations that are shown, and the
	// concepts whose displays a filter finds.
	maxGroups, maxTried, maxFiltered = 20, 100, 20_000
)

// maps lists the concept maps.
func (p *Page) maps() error {
	l, err := p.resources("ConceptMap", "maps")
	if err != nil {
		return err
	}
	return p.Show("maps.html", "maps", p.T("map.title"), l)
}

// conceptMap shows a map.
func (p *Page) conceptMap() error {
	d := &mapData{URL: p.Query("url"), Version: p.Query("version"), Filter: p.Query("filter")}
	switch {
	case d.URL == "":
		return fmt.Errorf("%w: url, the canonical of the map", engine.ErrMissingParameter)
	case len(d.Filter) > maxSought:
		return fmt.Errorf("%w: the text to find has more than %d bytes", engine.ErrInvalidParameter, maxSought)
	}
	m, err := p.h.Engine.ConceptMap(d.URL, d.Version)
	if err != nil {
		return err
	}
	d.Name = d.URL
	if e := p.entryOf("ConceptMap", d.URL, d.Version); e != nil {
		d.Header, d.Name = e.Header, nameOf(e)
	}
	d.From, d.To = p.valueSetNamed(m.Source), p.valueSetNamed(m.Target)
	shown := ends{p: p, systems: map[string]*System{}}
	if own, ok := m.Translator.(*conceptmap.Map); ok {
		d.Listed, d.Total, d.Sources = true, own.Targets(), own.Sources()
		for i, g := range own.Groups() {
			if i == maxGroups {
				d.Hidden = len(own.Groups()) - maxGroups
				break
			}
			d.Groups = append(d.Groups, MapGroup{g, shown.name(g.Source), shown.name(g.Target)})
		}
		shown.brief = len(own.Groups()) == 1
		if err := p.mapRows(d, own, &shown); err != nil {
			return err
		}
	}
	if !p.IsFragment() {
		if d.Try, err = p.tried(); err != nil {
			return err
		}
	}
	return p.Show("map.html", "mappings", d.Name, d)
}

// valueSetNamed returns a value set by its canonical, the zero Resource for none.
func (p *Page) valueSetNamed(canonical string) Resource {
	url, version, _ := strings.Cut(canonical, "|")
	r := Resource{Name: canonical, URL: canonical}
	if strings.Contains(url, "?fhir_vs") {
		r.Link, _ = p.resourceLink("ValueSet", url, version)
	}
	if e := p.entryOf("ValueSet", url, version); e != nil {
		r.Name = nameOf(e)
		r.Link, _ = p.resourceLink("ValueSet", url, version)
	}
	return r
}

// mapRows fills in the page of the mappings that the address asks for.
func (p *Page) mapRows(d *mapData, m *conceptmap.Map, shown *ends) error {
	fits := shown.filter(d.Filter)
	offset := p.Number("offset", 0, 0, maxOffset)
	seen, found := 0, 0
	for place, row := range m.Rows() {
		if seen++; seen%4096 == 0 && p.Context().Err() != nil {
			return p.Context().Err()
		}
		if !fits(&row) {
			continue
		}
		if found >= offset && found < offset+presetSize {
			d.Rows = append(d.Rows, shown.row(place.Expression(), &row))
		}
		found++
	}
	d.Total = found
	if len(d.Rows) > 0 {
		d.First, d.Last = offset+1, offset+len(d.Rows)
	}
	l := CodeList{Size: presetSize, Total: d.Total, Last: d.Last}
	if err := p.pages(&l, "map", "url", d.URL, "version", d.Version, "filter", d.Filter); err != nil {
		return err
	}
	d.Previous, d.Next = l.Previous, l.Next
	return nil
}

// ends finds the code systems of mappings, each once for a page.
type ends struct {
	p       *Page
	systems map[string]*System
	// brief leaves out the names of the code systems, which are the same in all rows.
	brief bool
}

// system returns a code system, nil if it is not loaded.
func (e *ends) system(url string) *System {
	s, known := e.systems[url]
	if !known && url != "" {
		var err error
		if s, err = e.p.system(url, ""); err != nil || !e.p.may("CodeSystem") {
			s = nil
		}
		e.systems[url] = s
	}
	return s
}

// name returns the name of a code system.
func (e *ends) name(url string) string {
	if s := e.system(url); s != nil {
		return s.Name
	}
	return url
}

// end returns a code of a mapping.
func (e *ends) end(c *r4.Coding) MapEnd {
	end := MapEnd{Code: c.Code, Text: c.Display, System: e.name(c.System)}
	if e.brief {
		end.System = ""
	}
	if s := e.system(c.System); s != nil {
		if o, found := s.x.Find(c.Code); found {
			ref := s.ref(o)
			end.Text = cmp.Or(end.Text, ref.Text)
			end.Link, _ = ref.Link()
		}
	}
	return end
}

// row returns a mapping.
func (e *ends) row(place string, m *conceptmap.Match) MapRow {
	row := MapRow{Place: strings.TrimPrefix(place, "ConceptMap."), From: e.end(&m.Source), Comment: m.Comment, Depends: products(m.DependsOn), Products: products(m.Product)}
	if m.Concept.Code != "" {
		row.To = e.end(&m.Concept)
	}
	if m.Equivalence.Known() {
		row.Relation = "concept.map." + string(m.Equivalence)
	}
	if m.Unmapped != "" {
		row.Way = "map.way." + strings.ReplaceAll(m.Unmapped, "-", "")
	}
	return row
}

// products returns values with the ends of the names of their properties.
func products(list []r4.ConceptMapDependsOn) []Product {
	var shown []Product
	for _, d := range list[:min(len(list), maxConditions)] {
		name := d.Property[strings.LastIndexAny(d.Property, "/#")+1:]
		if d.Value != "" || d.Display != "" {
			shown = append(shown, Product{name, strings.TrimSpace(d.Value + " " + d.Display)})
		}
	}
	return shown
}

// filter returns whether a mapping has all words of a text, in its codes or in the displays of the map
// or of the code systems.
func (e *ends) filter(text string) func(*conceptmap.Match) bool {
	q := codesystem.CompileQuery(text)
	if q.Empty() {
		return func(*conceptmap.Match) bool { return true }
	}
	found := map[string]*roaring.Bitmap{}
	within := func(c *r4.Coding) bool {
		if _, ok := q.Match(c.Code, c.Display); ok {
			return true
		}
		s := e.system(c.System)
		if s == nil {
			return false
		}
		set := found[c.System]
		if set == nil {
			set = roaring.New()
			hits, _ := s.x.SearchWith(s.packs, q, nil, 0, maxFiltered, nil)
			for _, hit := range hits {
				set.Add(hit.Concept)
			}
			found[c.System] = set
		}
		o, ok := s.x.Find(c.Code)
		return ok && set.Contains(o)
	}
	return func(m *conceptmap.Match) bool { return within(&m.Source) || m.Concept.Code != "" && within(&m.Concept) }
}

// translation shows the translation of a code as a part of the page of the map.
func (p *Page) translation() error {
	t, err := p.tried()
	if err != nil {
		return err
	}
	if p.IsFragment() {
		p.w.Header().Set("HX-Replace-Url", "map?"+p.r.URL.RawQuery)
	}
	return p.ShowPart("map.html", "translated", "map", p.T("map.try"), &mapData{Try: t})
}

// tried translates the code of the address by the map of the address.
func (p *Page) tried() (Try, error) {
	t := Try{Code: p.Query("code"), System: p.Query("system"), Reverse: p.Query("reverse") != ""}
	if t.Code == "" {
		return t, nil
	}
	url := p.Query("url")
	r, err := p.h.Engine.Translate(p.Context(), &engine.TranslateRequest{
		URL: url, ConceptMapVersion: p.Query("version"), Code: t.Code, System: t.System, Reverse: t.Reverse,
	})
	if errors.Is(err, conceptmap.ErrMapCycle) {
		t.Asked, t.Message = true, err.Error()
		return t, nil
	}
	if err != nil {
		return t, err
	}
	t.Asked, t.Found, t.Message = true, r.Result, r.Message
	places, err := p.places(url, r.Matches, t.Reverse)
	if err != nil {
		return t, err
	}
	shown := ends{p: p, systems: map[string]*System{}}
	for i := range r.Matches {
		if len(t.Rows) == maxTried {
			t.More = true
			break
		}
		row := shown.row(places[i], &r.Matches[i])
		if base, version, _ := strings.Cut(r.Matches[i].Map, "|"); base != url {
			row.Map = Resource{Name: base, URL: base}
			if e := p.entryOf("ConceptMap", base, version); e != nil {
				row.Map = p.resource("ConceptMap", e)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// places returns where the matches of a translation are in a map, "" for those of other maps and for
// codes that no element names.
func (p *Page) places(url string, matches []conceptmap.Match, reverse bool) ([]string, error) {
	places := make([]string, len(matches))
	m, err := p.h.Engine.ConceptMap(url, p.Query("version"))
	if err != nil {
		return nil, err
	}
	own, ok := m.Translator.(*conceptmap.Map)
	if !ok || len(matches) == 0 {
		return places, nil
	}
	seen := 0
	for place, row := range own.Rows() {
		if seen++; seen%4096 == 0 && p.Context().Err() != nil {
			return nil, p.Context().Err()
		}
		from, to := row.Source, row.Concept
		if reverse {
			from, to = to, from
		}
		for i := range matches {
			match := &matches[i]
			if places[i] == "" && match.Unmapped == "" && match.Map == row.Map && sameCode(&match.Source, &from) && sameCode(&match.Concept, &to) {
				places[i] = place.Expression()
				break
			}
		}
	}
	return places, nil
}

func sameCode(a, b *r4.Coding) bool { return a.Code == b.Code && a.System == b.System }
