package expression_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/codesystem/expression/expressiontest"
)

// drawn is a random expression: focus concepts and groups of attributes, whose values are concepts,
// literals, or expressions.
type drawn struct {
	focus  []string
	groups [][]drawnAttribute
}

type drawnAttribute struct {
	name   string
	value  string // a concept, or a literal
	nested *drawn
}

func (d *drawn) text() string {
	var groups []string
	for _, g := range d.groups {
		var list []string
		for _, a := range g {
			if a.nested != nil {
				list = append(list, a.name+"=("+a.nested.text()+")")
			} else {
				list = append(list, a.name+"="+a.value)
			}
		}
		groups = append(groups, "{"+strings.Join(list, ",")+"}")
	}
	if len(groups) == 0 {
		return strings.Join(d.focus, "+")
	}
	return strings.Join(d.focus, "+") + ":" + strings.Join(groups, "")
}

func draw(t *rapid.T, depth int, focus ...string) *drawn {
	d := &drawn{focus: rapid.SliceOfN(rapid.SampledFrom(focus), 1, 2).Draw(t, "focus")}
	for range rapid.IntRange(0, 3).Draw(t, "groups") {
		var g []drawnAttribute
		for range rapid.IntRange(1, 2).Draw(t, "attributes") {
			a := drawnAttribute{name: rapid.SampledFrom([]string{"site", "directSite", "morphology", "agent", "severity"}).Draw(t, "name")}
			values := map[string][]string{
				"site": {"structure", "lung", "leftLung", "upperLobe", "femur", "neck"}, "morphology": {"abnormality", "inflammation", "granuloma", "fracture", "closedFracture"},
				"agent": {"organism", "bacterium", "streptococcus"}, "severity": {"qualifier", "severe", "mild"},
			}
			values["directSite"] = values["site"]
			a.value = rapid.SampledFrom(values[a.name]).Draw(t, "value")
			if depth > 0 && rapid.IntRange(0, 3).Draw(t, "nested") == 0 {
				a.nested = draw(t, depth-1, values[a.name]...)
			}
			g = append(g, a)
		}
		d.groups = append(d.groups, g)
	}
	return d
}

// world is the naive reference: facts about concepts by name.
type world struct {
	up      map[string]map[string]bool // a concept with its ancestors
	defined map[string]*drawn          // parents and groups
	stated  map[string]*drawn          // of every concept
	known   map[*drawn]map[string]bool // what above returned
}

func newWorld(x *codesystem.Index) *world {
	w := &world{map[string]map[string]bool{}, map[string]*drawn{}, map[string]*drawn{}, map[*drawn]map[string]bool{}}
	for o := range codesystem.Ord(x.Len()) {
		name := x.Display(o)
		w.up[name] = map[string]bool{name: true}
		for _, a := range x.Ancestors(o) {
			w.up[name][x.Display(a)] = true
		}
		d := &drawn{}
		for _, p := range x.Parents(o) {
			d.focus = append(d.focus, x.Display(p))
		}
		groups, defined := map[int][]drawnAttribute{}, false
		for a := range x.Attributes(o) {
			v := x.PairValue(a.Pair)
			if attribute, ok := x.Find(x.PropertyCode(a.Property)); ok {
				one := drawnAttribute{name: x.Display(attribute), value: "#" + v.Text}
				if target, ok := x.PairTarget(a.Pair); ok {
					one.value = x.Display(target)
				}
				key := a.Group
				if key == 0 {
					key = -len(groups) - 1
				}
				groups[key] = append(groups[key], one)
			} else if v.Text == "true" && x.PropertyCode(a.Property) == "sufficientlyDefined" {
				defined = true
			}
		}
		d.groups = slices.Collect(maps.Values(groups))
		if w.stated[name] = d; defined {
			w.defined[name] = d
		}
	}
	return w
}

// triples are all attributes with values that a group implies, each as one text; groups holds those
// of an expression with its focus concepts.
func (w *world) triples(d *drawn) (groups []map[string]bool) {
	add := func(list []drawnAttribute) {
		all := map[string]bool{}
		for _, a := range list {
			above := w.up[a.value]
			if a.nested != nil {
				above = w.above(a.nested)
			}
			for name := range w.up[a.name] {
				for value := range above {
					all[name+"="+value] = true
				}
				if above == nil {
					all[name+"="+a.value] = true
				}
			}
		}
		groups = append(groups, all)
	}
	for _, g := range d.groups {
		add(g)
	}
	for _, f := range d.focus {
		for _, g := range w.stated[f].groups {
			add(g)
		}
	}
	return groups
}

// above adds every defined concept whose parents are there and whose groups are implied, until there
// is nothing to add.
func (w *world) above(d *drawn) map[string]bool {
	if set, ok := w.known[d]; ok {
		return set
	}
	set := map[string]bool{}
	w.known[d] = set
	for _, f := range d.focus {
		maps.Copy(set, w.up[f])
	}
	groups := w.triples(d)
	for grown := true; grown; {
		grown = false
		for name, def := range w.defined {
			if set[name] || slices.ContainsFunc(def.focus, func(p string) bool { return !set[p] }) {
				continue
			}
			implied := !slices.ContainsFunc(def.groups, func(g []drawnAttribute) bool {
				return !slices.ContainsFunc(groups, func(have map[string]bool) bool {
					return !slices.ContainsFunc(g, func(a drawnAttribute) bool { return !have[a.name+"="+a.value] })
				})
			})
			if implied {
				set[name], grown = true, true
			}
		}
	}
	return set
}

// subsumes compares each attribute of a with each of b.
func (w *world) subsumes(a, b *drawn) bool {
	above := w.above(b)
	for _, f := range a.focus {
		if !above[f] {
			return false
		}
	}
	all := slices.Clone(b.groups)
	for _, f := range b.focus {
		all = append(all, w.stated[f].groups...)
	}
	for _, g := range a.groups {
		if !slices.ContainsFunc(all, func(have []drawnAttribute) bool {
			return !slices.ContainsFunc(g, func(one drawnAttribute) bool {
				return !slices.ContainsFunc(have, func(other drawnAttribute) bool {
					value := func(a drawnAttribute) *drawn {
						if a.nested != nil {
							return a.nested
						}
						return &drawn{focus: []string{a.value}}
					}
					return w.up[other.name][one.name] && w.subsumes(value(one), value(other))
				})
			})
		}) {
			return false
		}
	}
	return true
}

// TestNaive compares 10,000 random expressions with the reference: what is above each, and how each
// pair of neighbours relates.
func TestNaive(t *testing.T) {
	m := model(t)
	w := newWorld(m.Edition())
	expressions := 0
	rapid.Check(t, func(t *rapid.T) {
		var last *drawn
		var meant *expression.Meaning
		for range 100 {
			d := draw(t, 2, "disorder", "finding", "lungDisorder", "infection", "pneumonitis", "asthma", "fractureOfFemur", "bacterial")
			expressions++
			text := expressiontest.Write(d.text())
			n, _, err := m.Read(t.Context(), text)
			if err != nil {
				t.Fatalf("%s: %v", d.text(), err)
			}
			var names []string
			for _, o := range n.Above() {
				names = append(names, m.Edition().Display(o))
			}
			slices.Sort(names)
			if want := slices.Sorted(maps.Keys(w.above(d))); !slices.Equal(names, want) {
				t.Fatalf("above %s are %s, want %s", d.text(), names, want)
			}
			if last != nil {
				got := fmt.Sprint(n.Subsumes(meant), meant.Subsumes(n))
				if want := fmt.Sprint(w.subsumes(d, last), w.subsumes(last, d)); got != want {
					t.Fatalf("%s and %s: %s, want %s", d.text(), last.text(), got, want)
				}
			}
			last, meant = d, n
		}
	})
	if expressions < 10_000 {
		t.Errorf("%d expressions", expressions)
	}
}
