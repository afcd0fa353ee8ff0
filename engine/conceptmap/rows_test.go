package conceptmap

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources/r4"
)

// Rows has each target of the resource once, at its place, and elements without targets.
func TestRows(t *testing.T) {
	r := small()
	r.Group = append(r.Group, r4.ConceptMapGroup{Source: "http://t", Target: "http://u", Element: []r4.ConceptMapElement{
		{Code: "x", Target: []r4.ConceptMapTarget{{Code: "z", Equivalence: "equal"}}},
	}})
	var want, got []string
	for g, group := range r.Group {
		for e, element := range group.Element {
			if len(element.Target) == 0 {
				want = append(want, Place{g, e, -1}.Expression()+" "+element.Code)
			}
			for n, target := range element.Target {
				want = append(want, Place{g, e, n}.Expression()+" "+element.Code+" "+target.Code+" "+target.Equivalence)
			}
		}
	}
	m := index(t, r)
	for place, row := range m.Rows() {
		line := place.Expression() + " " + row.Source.Code
		if place.Target >= 0 {
			line += " " + row.Concept.Code + " " + string(row.Equivalence)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	n := 0
	for range m.Rows() {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("a loop that stops after three rows saw %d", n)
	}
	groups := m.Groups()
	if len(groups) != len(r.Group) || groups[0].Source != "http://s" || groups[0].SourceVersion != "2" || groups[len(groups)-1].Target != "http://u" {
		t.Errorf("groups %v", groups)
	}
}
