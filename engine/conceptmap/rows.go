package conceptmap

import (
	"fmt"
	"iter"

	"github.com/roget-health/roget/resources/r4"
)

// A Place is where a mapping is in a map: the numbers of its group, its element in the group, and its
// target in the element. Target is -1 for an element without targets.
type Place struct{ Group, Element, Target int }

// Expression returns the FHIRPath of the mapping.
func (p Place) Expression() string {
	if p.Target < 0 {
		return fmt.Sprintf("ConceptMap.group[%d].element[%d]", p.Group, p.Element)
	}
	return fmt.Sprintf("ConceptMap.group[%d].element[%d].target[%d]", p.Group, p.Element, p.Target)
}

// Rows returns the mappings in the order of the resource. An element without targets is one row,
// whose Concept and Equivalence are empty.
func (m *Map) Rows() iter.Seq2[Place, Match] {
	return func(yield func(Place, Match) bool) {
		var first int // element of the group
		var group uint32
		for i := range m.Sources() {
			e := &m.elements[i]
			if e.group != group {
				first, group = i, e.group
			}
			place := Place{Group: int(e.group), Element: i - first, Target: -1}
			last := m.elements[i+1].first
			if e.first == last && !yield(place, m.bare(e)) {
				return
			}
			for t := e.first; t < last; t++ {
				place.Target = int(t - e.first)
				if !yield(place, m.match(t, false)) {
					return
				}
			}
		}
	}
}

// bare returns an element without targets.
func (m *Map) bare(e *element) Match {
	g := &m.groups[e.group]
	return Match{
		Source: r4.Coding{System: g.Source, Version: g.SourceVersion, Code: m.texts.at(e.code), Display: m.texts.at(e.display)},
		Map:    m.canonical,
	}
}

// A Group says between which code systems a part of a map goes, and what happens to codes that it
// does not map. An empty version means any.
type Group struct {
	Source, SourceVersion, Target, TargetVersion string
	// Unmapped is provided, fixed or other-map, "" if nothing is said. Code and Display are those of
	// fixed, Other is the canonical of other-map.
	Unmapped             string
	Code, Display, Other string
}

// Groups returns the groups in the order of the resource.
func (m *Map) Groups() []Group {
	list := make([]Group, len(m.groups))
	for i := range m.groups {
		g := &m.groups[i]
		list[i] = Group{g.Source, g.SourceVersion, g.Target, g.TargetVersion, g.mode, g.code, g.display, g.other}
	}
	return list
}
