package validation

import (
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// A list finds the codes that an include lists. A few looks read the list; a map is made for more.
type list struct {
	looks     int
	byCode    map[string]int // the first entry of each code
	byConcept map[*codesystem.Index]map[codesystem.Ord]int
}

// Bounds of lists: the length up to which there is no map, the looks before one is made, and the
// number of code systems in which the codes of one list are looked up.
const (
	shortList  = 32
	fewLooks   = 3
	maxIndexes = 8
)

// entry returns the first entry of a code in the list of an include, or nil.
func (s *Shared) entry(inc *r4.Include, code string) *r4.ConceptReference {
	l := s.list(inc)
	if l == nil {
		return first(inc, slices.IndexFunc(inc.Concept, func(c r4.ConceptReference) bool { return c.Code == code }))
	}
	if l.byCode == nil {
		l.byCode = make(map[string]int, len(inc.Concept))
		for i := range inc.Concept {
			if _, has := l.byCode[inc.Concept[i].Code]; !has {
				l.byCode[inc.Concept[i].Code] = i
			}
		}
	}
	if i, ok := l.byCode[code]; ok {
		return &inc.Concept[i]
	}
	return nil
}

// variant returns the first entry whose code is a concept, however it is written, or nil. lasting is
// set if the index is that of a code system, not one made for a single code.
func (s *Shared) variant(inc *r4.Include, x *codesystem.Index, o codesystem.Ord, lasting bool) *r4.ConceptReference {
	l := s.list(inc)
	if l == nil || !lasting || l.byConcept[x] == nil && len(l.byConcept) >= maxIndexes {
		return first(inc, slices.IndexFunc(inc.Concept, func(c r4.ConceptReference) bool {
			found, ok := x.Find(c.Code)
			return ok && found == o
		}))
	}
	at := l.byConcept[x]
	if at == nil {
		at = make(map[codesystem.Ord]int, len(inc.Concept))
		for i := range inc.Concept {
			if found, ok := x.Find(inc.Concept[i].Code); ok {
				if _, has := at[found]; !has {
					at[found] = i
				}
			}
		}
		put(&l.byConcept, x, at)
	}
	if i, ok := at[o]; ok {
		return &inc.Concept[i]
	}
	return nil
}

// first returns an entry by its index, nil for -1.
func first(inc *r4.Include, i int) *r4.ConceptReference {
	if i < 0 {
		return nil
	}
	return &inc.Concept[i]
}

// list returns the list of an include, nil if it is short or has been asked only a few times.
func (s *Shared) list(inc *r4.Include) *list {
	if len(inc.Concept) <= shortList {
		return nil
	}
	l := s.lists[inc]
	if l == nil {
		l = &list{}
		put(&s.lists, inc, l)
	}
	if l.looks++; l.looks <= fewLooks {
		return nil
	}
	return l
}
