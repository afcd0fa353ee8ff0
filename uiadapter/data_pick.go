package uiadapter

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/search"
)

// A Picked is a concept that a field may take. Value is what the field then has.
type Picked struct {
	Ref
	Value string
	Where string // name of the code system
	Link  string // of the search with it
}

// shownPicks is the number of concepts that are offered.
const shownPicks = 12

// pickData is what pick.html shows.
type pickData struct {
	ID   string
	Hits []Picked
	Text string
}

// pickConcept offers concepts for the words in a field, as one types.
func (p *Page) pickConcept() error {
	typ, code := p.Query("type"), p.Query("param")
	if !p.h.tables.IsResource(typ) {
		return unknownType(typ)
	}
	hits, err := p.concepts(typ, code, p.Query("p."+code), false)
	if err != nil {
		return err
	}
	return p.ShowPart("pick.html", "picks", "data", p.T("data.title"), &pickData{ID: code, Hits: hits, Text: p.Query("p." + code)})
}

// concepts returns the concepts that words may mean in a token parameter: those of the list that the
// element is bound to if it is closed, else those of the code systems that were loaded, then those of
// FHIR. whole leaves out what has the words in its code only.
func (p *Page) concepts(typ, code, words string, whole bool) ([]Picked, error) {
	if len(words) > maxSought {
		return nil, fmt.Errorf("%w: the text to find has more than %d bytes: give the few words that matter", engine.ErrInvalidParameter, maxSought)
	}
	param := p.h.tables.SearchParam(typ, code)
	q := codesystem.CompileQuery(words).In(p.displays().First())
	if param == nil || param.Kind != definitions.Token || q.Empty() {
		return nil, nil
	}
	type found struct {
		s     *System
		o     codesystem.Ord
		score codesystem.Score
	}
	var list []found
	look := func(s *System, within *roaring.Bitmap) {
		hits, _ := s.x.SearchWith(s.packs, q, within, 0, shownPicks, nil)
		for _, hit := range hits {
			list = append(list, found{s, hit.Concept, hit.Score})
		}
	}
	if codes := p.h.boundTo(param); codes != nil {
		sets := map[string]*roaring.Bitmap{}
		n := p.namer()
		for _, code := range codes.Codes() {
			if s := n.system(codes.System(code)); s != nil {
				if o, known := s.x.Find(code); known {
					if sets[s.URL] == nil {
						sets[s.URL] = roaring.New()
					}
					sets[s.URL].Add(o)
				}
			}
		}
		for _, url := range slices.Sorted(maps.Keys(sets)) {
			look(n.system(url), sets[url])
		}
	} else {
		loaded, basic := apart(p.systems())
		for _, entries := range [...][]*engine.Entry{loaded, basic} {
			for _, e := range entries {
				if err := p.Context().Err(); err != nil {
					return nil, err
				}
				s, err := p.system(e.Header.URL, "")
				if err != nil {
					continue // said at /readyz
				}
				look(s, nil)
			}
			if len(list) > 0 {
				break
			}
		}
	}
	sortBy(list, func(a, b found) int { return cmp.Compare(a.score, b.score) })
	var picks []Picked
	for _, f := range list {
		if len(picks) == shownPicks {
			break
		}
		ref := f.s.ref(f.o)
		if whole && ref.Code == words {
			return nil, nil // the words are a code, so the search has found what was meant
		}
		picks = append(picks, Picked{Ref: ref, Value: search.Escape(f.s.URL) + "|" + search.Escape(ref.Code), Where: f.s.Name})
	}
	return picks, nil
}
