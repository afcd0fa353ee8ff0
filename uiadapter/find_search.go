package uiadapter

import (
	"cmp"
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/spelling"
)

// findings are the concepts that were found.
type findings struct {
	Groups []Group
	// Total counts the concepts, In the code systems that have some.
	Total, In int
	// Nearly is true if the concepts only have nearly what was sought; Missing is the word that they
	// lack.
	Nearly  bool
	Missing string
	// Later is true if the code systems of FHIR have not been searched.
	Later bool
}

// A Group has the hits in a code system, or in those of FHIR, where System is nil.
type Group struct {
	*System
	Total int
	Hits  []Hit

	best codesystem.Score
}

// A Hit is a concept that was found.
type Hit struct {
	Ref
	// Shown is the display, and Also another text that was found, if the display was not.
	Shown, Also []Span
	// Kind is what the concept is.
	Kind Term
	// Where is the name of its code system, in a group of several.
	Where string
}

// query returns the compiled query, which prefers the language of the displays.
func (p *Page) query(s *seeking) *codesystem.Query {
	return codesystem.CompileQuery(s.Text).In(p.displays().First())
}

// searchOne searches the chosen code system.
func (p *Page) searchOne(d *findData) error {
	s, err := p.system(d.URL, d.Version)
	if err != nil {
		return err
	}
	d.Other = chosenOther(d, s)
	cats, err := p.h.categories.of(p.Context(), s.x)
	if err != nil {
		return err
	}
	q := p.query(&d.seeking)
	found, total := s.x.SearchWith(s.packs, q, s.within(&d.seeking, cats), d.From, hitsOfOne, nil)
	d.Total, d.In = total, 1
	if total == 0 {
		return p.searchNearly(d, []*System{s})
	}
	group := Group{System: s, Total: total}
	for _, hit := range found {
		group.Hits = append(group.Hits, s.hit(hit.Concept, &d.seeking, q, cats))
	}
	d.Groups = []Group{group}
	d.First, d.Last = d.From+1, d.From+len(found)
	if d.From > 0 {
		d.Previous = d.page(max(d.From-hitsOfOne, 0))
	}
	if d.Last < total {
		d.Next = d.page(d.From + hitsOfOne)
	}
	d.Facets = p.facets(d, s, cats, q)
	return nil
}

// chosenOther returns the chosen code system for the list of choices, nil if it is there.
func chosenOther(d *findData, s *System) *Loaded {
	if s.Version == "" && slices.ContainsFunc(d.Loaded, func(l Loaded) bool { return l.URL == s.URL }) {
		return nil
	}
	return &Loaded{URL: s.URL, Version: s.Version, Name: s.Name, Release: s.Release, Codes: s.x.Len(), Chosen: true}
}

// searchLoaded searches all code systems that were loaded, or those of FHIR if there are no others.
func (p *Page) searchLoaded(d *findData, loaded, basic []*engine.Entry) error {
	if len(loaded) == 0 {
		return p.searchBasic(d, basic)
	}
	q := p.query(&d.seeking)
	var systems []*System
	for _, e := range loaded {
		s, err := p.searched(e)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		systems = append(systems, s)
		group, err := p.group(s, &d.seeking, q)
		if err != nil {
			return err
		}
		if group.Total > 0 {
			d.Groups = append(d.Groups, *group)
			d.Total += group.Total
		}
	}
	sortBy(d.Groups, func(a, b Group) int { return cmp.Compare(a.best, b.best) })
	d.In, d.Later = len(d.Groups), len(basic) > 0
	if d.Total == 0 {
		return p.searchNearly(d, systems)
	}
	d.Facets = p.facetsOfAll(d, systems, q)
	return nil
}

// searched returns a code system, nil if it cannot be read: the others can be searched all the same.
func (p *Page) searched(e *engine.Entry) (*System, error) {
	if err := p.Context().Err(); err != nil {
		return nil, err
	}
	s, err := p.system(e.Header.URL, e.Header.Version)
	if err != nil {
		p.h.Logger.WarnContext(p.Context(), "page", "codeSystem", e.Header.URL, "err", err)
		return nil, nil // said in the log, and at /readyz
	}
	return s, nil
}

// group returns the best hits in a code system.
func (p *Page) group(s *System, seek *seeking, q *codesystem.Query) (*Group, error) {
	found, total := s.x.SearchWith(s.packs, q, s.within(seek, nil), 0, hitsOfEach, nil)
	g := &Group{System: s, Total: total}
	if total == 0 {
		return g, nil
	}
	cats, err := p.h.categories.of(p.Context(), s.x)
	if err != nil {
		return nil, err
	}
	g.best = found[0].Score
	for _, hit := range found {
		g.Hits = append(g.Hits, s.hit(hit.Concept, seek, q, cats))
	}
	return g, nil
}

// searchBasic searches the code systems of FHIR. They are many and small, so their hits are in one
// list.
func (p *Page) searchBasic(d *findData, basic []*engine.Entry) error {
	q := p.query(&d.seeking)
	type scored struct {
		codesystem.Hit
		system *System
	}
	var best []scored
	var found []codesystem.Hit
	for _, e := range basic {
		if err := p.Context().Err(); err != nil {
			return err
		}
		x, err := p.h.Engine.System(e.Header.URL, e.Header.Version)
		if errors.Is(err, engine.ErrNoContent) {
			continue
		}
		if err != nil {
			return err
		}
		within := (&System{x: x}).within(&d.seeking, nil)
		packs, err := p.h.Engine.LanguagePacks(x)
		if err != nil {
			return err
		}
		var total int
		if found, total = x.SearchWith(packs, q, within, 0, hitsOfBasic, found); total == 0 {
			continue
		}
		s, err := p.systemOf(x)
		if err != nil {
			return err
		}
		d.Total += total
		d.In++
		for _, hit := range found {
			best = append(best, scored{hit, s})
		}
	}
	sortBy(best, func(a, b scored) int { return cmp.Compare(a.Score, b.Score) })
	if d.Total == 0 {
		return nil
	}
	group := Group{Total: d.Total}
	for _, b := range best[:min(len(best), hitsOfBasic)] {
		hit := b.system.hit(b.Concept, &d.seeking, q, nil)
		hit.Where = b.system.Name
		group.Hits = append(group.Hits, hit)
	}
	d.Groups = []Group{group}
	return nil
}

// within returns the concepts with a status and in a category, nil for all.
func (s *System) within(seek *seeking, cats []category) *roaring.Bitmap {
	set := s.withStatus(seek.Status)
	for i := range cats {
		if cats[i].key != seek.Category {
			continue
		}
		if in := cats[i].set(s.x); set == nil {
			set = in
		} else {
			set = roaring.And(set, in)
		}
	}
	return set
}

// withStatus returns the concepts with a status, nil for all.
func (s *System) withStatus(status string) *roaring.Bitmap {
	switch status {
	case "active":
		return roaring.AndNot(s.x.All(), s.x.InactiveSet())
	case "inactive":
		return s.x.InactiveSet()
	case "abstract":
		return s.x.AbstractSet()
	}
	return nil
}

// hit returns a concept that was found.
func (s *System) hit(o codesystem.Ord, seek *seeking, q *codesystem.Query, cats []category) Hit {
	h := Hit{Ref: s.ref(o)}
	h.Shown = seek.mark(h.Text, false)
	if also := s.foundAs(o, h.Text, q); also != "" {
		h.Also = seek.mark(also, false)
	}
	h.Kind = s.kind(o, cats)
	return h
}

// kind returns what a concept is: its category.
func (s *System) kind(o codesystem.Ord, cats []category) Term {
	for i := range cats {
		if cats[i].has(s.x, o) {
			return s.category(&cats[i])
		}
	}
	return Term{}
}

// category returns the name of a category.
func (s *System) category(c *category) Term {
	if c.tagged != nil {
		return Term{Text: c.key}
	}
	return s.term(c.top)
}

// foundAs returns the text of a concept by which a query finds it best, "" if that is its display or
// its code.
func (s *System) foundAs(o codesystem.Ord, display string, q *codesystem.Query) string {
	loose := s.x.Loosen(q)
	if loose != nil {
		if _, ok := loose.Match(s.x.Code(o), display); ok {
			return ""
		}
	}
	best, found := codesystem.Score(0), ""
	offer := func(loose *codesystem.Query, lang, text string) {
		if loose == nil || text == display {
			return
		}
		if score, ok := loose.MatchDesignation(lang, text); ok && (found == "" || score < best) {
			best, found = score, text
		}
	}
	if offer(loose, "", s.x.Display(o)); found != "" {
		best = 0 // the display precedes designations
	}
	for d := range s.x.Designations(o) {
		offer(loose, d.Language, d.Value)
	}
	for _, pack := range s.packs {
		own, ok := pack.Find(s.x.Code(o))
		if !ok {
			continue
		}
		loose = pack.Loosen(q)
		offer(loose, pack.Header().Language, pack.Display(own))
		for d := range pack.Designations(own) {
			offer(loose, d.Language, d.Value)
		}
	}
	return found
}

const (
	// candidates are the concepts that one attempt to forgive a misspelling looks at, in all code
	// systems together, and nearlyOfEach are their texts.
	candidates, textsOfEach = 160, 12
	// hitsNearly are the concepts that are shown.
	hitsNearly = 10
)

// A candidate is a concept that may be meant.
type candidate struct {
	system *System
	o      codesystem.Ord
}

// searchNearly finds concepts that have nearly what was sought: the code in another spelling, or words
// that are spelled nearly so.
func (p *Page) searchNearly(d *findData, systems []*System) error {
	if d.Text == "" || d.From > 0 || len(systems) == 0 {
		return nil
	}
	for _, code := range append([]string{d.trimmed()}, spelling.Codes(d.trimmed())...) {
		for _, s := range systems {
			if o, found := s.x.Find(code); found && s.takes(o, &d.seeking) {
				p.addNearly(d, candidate{s, o}, "")
			}
		}
		if d.Total > 0 {
			return nil
		}
	}
	for try := range p.query(&d.seeking).Forgiving().Tries() {
		type forgiven struct {
			candidate
			text  string
			score codesystem.Score
		}
		var list []forgiven
		for _, s := range systems {
			if err := p.Context().Err(); err != nil {
				return err
			}
			found, _ := s.x.SearchWith(s.packs, try, s.withStatus(d.Status), 0, hitsNearly, nil)
			for _, hit := range found {
				list = append(list, forgiven{candidate{s, hit.Concept}, s.foundAs(hit.Concept, s.ref(hit.Concept).Text, try), hit.Score})
			}
		}
		if len(list) > 0 {
			sort.SliceStable(list, func(i, j int) bool { return list[i].score < list[j].score })
			for _, f := range list[:min(len(list), hitsNearly)] {
				p.addNearly(d, f.candidate, f.text)
			}
			return nil
		}
	}
	each := max(candidates/len(systems), 10)
	finder := spelling.Finder[candidate]{
		Search: func(text string) ([]candidate, error) {
			var list []candidate
			q := codesystem.CompileQuery(text).In(p.displays().First())
			for _, s := range systems {
				if err := p.Context().Err(); err != nil {
					return nil, err
				}
				found, _ := s.x.SearchWith(s.packs, q, s.withStatus(d.Status), 0, each, nil)
				for _, hit := range found {
					list = append(list, candidate{s, hit.Concept})
				}
			}
			return list, nil
		},
		Texts: func(c candidate) (string, []string) {
			texts := []string{c.system.x.Display(c.o)}
			for designation := range c.system.x.Designations(c.o) {
				if len(texts) == textsOfEach {
					break
				}
				texts = append(texts, cut(designation.Value, maxShort))
			}
			return c.system.x.Code(c.o), texts
		},
	}
	found, missing, err := finder.Find(spelling.Words(d.Text), hitsNearly)
	if err != nil {
		return err
	}
	d.Missing = missing
	for _, match := range found {
		p.addNearly(d, match.Item, match.Text)
	}
	return nil
}

// takes reports whether a concept has the chosen status.
func (s *System) takes(o codesystem.Ord, seek *seeking) bool {
	set := s.withStatus(seek.Status)
	return set == nil || set.Contains(o)
}

// addNearly adds a concept that has nearly what was sought, by the text that was found.
func (p *Page) addNearly(d *findData, c candidate, text string) {
	d.Nearly = true
	at := slices.IndexFunc(d.Groups, func(g Group) bool { return g.System == c.system })
	if at < 0 {
		at = len(d.Groups)
		d.Groups = append(d.Groups, Group{System: c.system})
		d.In++
	}
	h := Hit{Ref: c.system.ref(c.o)}
	h.Shown = d.mark(h.Text, true)
	if text != "" && !strings.EqualFold(text, h.Text) && !slices.ContainsFunc(h.Shown, func(s Span) bool { return s.Mark }) {
		h.Also = d.mark(text, true)
	}
	g := &d.Groups[at]
	g.Hits = append(g.Hits, h)
	g.Total++
	d.Total++
}
