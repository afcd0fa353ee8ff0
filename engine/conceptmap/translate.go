package conceptmap

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// A Resolver finds the map to which another map delegates unmapped codes. Its error wraps
// ErrUnknownMap if there is none. It must be safe for concurrent use.
type Resolver interface {
	ConceptMap(ctx context.Context, canonical string) (Translator, error)
}

// A Translator translates codes. It must be safe for concurrent use.
type Translator interface {
	// Canonical returns the url|version of the map, its url, or "".
	Canonical() string
	// Translate returns the mappings of a code; see Map.Translate.
	Translate(ctx context.Context, r Request, maps Resolver) ([]Match, error)
}

// A Request is a code to translate.
type Request struct {
	// System, Version and Code name the code to translate. An empty system or version matches any.
	System, Version, Code string
	// TargetSystem restricts the answer to codes of one system; empty means any.
	TargetSystem string
	// Reverse translates from the targets of the map to its sources.
	Reverse bool
	// DependsOn are further values. A mapping that depends on a property applies if DependsOn has
	// its value, or does not have the property at all; the match then has the dependency.
	DependsOn []r4.ConceptMapDependsOn
}

// A Match is a mapping that was found.
type Match struct {
	// Equivalence is the relation of Concept to the requested code; in reverse it is inverted.
	Equivalence Equivalence
	// Concept is the translation. It has no code if Equivalence is unmatched.
	Concept r4.Coding
	// Source is the requested code, as the map writes it.
	Source r4.Coding
	// Map is the canonical of the map that has the mapping.
	Map     string
	Comment string
	// DependsOn and Product are those of the mapping. They must not be modified.
	DependsOn, Product []r4.ConceptMapDependsOn
	// Unmapped is provided, fixed or other-map if no element names the code and the group handles
	// unmapped codes; "" for a mapping.
	Unmapped string
	// Decided says what the rule of a row of a reference set decided; "" if no rule was evaluated.
	Decided Decision
}

// A Decision says what a map rule decided about a row.
type Decision string

const (
	Decides   Decision = "decides"   // the first rule of its group that holds
	Open      Decision = "open"      // may hold: facts are missing
	Otherwise Decision = "otherwise" // decides if no open rule before it holds
)

// Found reports whether any mapping is a translation: the result of $translate. Matches that are
// unmatched or disjoint are not.
func Found(matches []Match) bool {
	return slices.ContainsFunc(matches, func(m Match) bool { return m.Equivalence.Matches() })
}

// Translate returns the mappings of a code in the order of the map. maps resolves the maps for
// unmapped codes; with nil, none is known. If such a map cannot be used, Translate returns the
// matches found with an error that wraps ErrUnknownMap or ErrMapCycle, or is the error of the
// resolver.
func (m *Map) Translate(ctx context.Context, r Request, maps Resolver) ([]Match, error) {
	if r.Reverse {
		return m.reverse(r), nil
	}
	w := walk{request: &r, maps: maps}
	return w.forward(ctx, m)
}

// A walk is a translation on its way through the maps for unmapped codes. Each map is used once,
// even if several groups delegate to it.
type walk struct {
	request *Request
	maps    Resolver
	path    []*Map // from the first map to the current one
	done    []*Map // maps that are finished
}

func sameOrAny(a, b string) bool { return a == b || a == "" || b == "" }

// takes reports whether a group translates between the requested systems.
func (g *group) takes(r *Request) bool {
	return sameOrAny(g.Source, r.System) && sameOrAny(g.SourceVersion, r.Version) && sameOrAny(g.Target, r.TargetSystem)
}

// gives is takes for reverse translation.
func (g *group) gives(r *Request) bool {
	return sameOrAny(g.Target, r.System) && sameOrAny(g.TargetVersion, r.Version) && sameOrAny(g.Source, r.TargetSystem)
}

func (w *walk) forward(ctx context.Context, m *Map) ([]Match, error) {
	var out []Match
	r := w.request
	text, _ := m.texts.find(r.Code)
	var mapped []uint32
	for _, i := range m.bySource.of(text) {
		e := &m.elements[i]
		if !m.groups[e.group].takes(r) {
			continue
		}
		last := m.elements[i+1].first
		if e.first < last {
			mapped = append(mapped, e.group)
		}
		for t := e.first; t < last; t++ {
			if m.applies(&m.targets[t], r) {
				out = append(out, m.match(t, false))
			}
		}
	}
	if r.System == "" || r.Code == "" {
		return out, nil
	}
	var failed error
	for n := range m.groups {
		g := &m.groups[n]
		if g.mode == "" || !g.takes(r) || m.mappedBetween(mapped, g) {
			continue
		}
		more, err := w.unmapped(ctx, m, g)
		out = append(out, more...)
		if err != nil && failed == nil {
			failed = err
		}
	}
	return out, failed
}

// mappedBetween reports whether one of the groups goes between the same systems as g.
func (m *Map) mappedBetween(groups []uint32, g *group) bool {
	return slices.ContainsFunc(groups, func(n uint32) bool {
		return m.groups[n].Source == g.Source && m.groups[n].Target == g.Target
	})
}

// unmapped handles a code that a group does not map.
func (w *walk) unmapped(ctx context.Context, m *Map, g *group) ([]Match, error) {
	r := w.request
	one := Match{
		Equivalence: RelatedTo, Map: m.canonical, Unmapped: g.mode,
		Source:  r4.Coding{System: r.System, Version: r.Version, Code: r.Code},
		Concept: r4.Coding{System: g.Target, Version: g.TargetVersion},
	}
	switch g.mode {
	case modeProvided:
		one.Concept.Code = r.Code
		return []Match{one}, nil
	case modeFixed:
		one.Concept.Code, one.Concept.Display = g.code, g.display
		return []Match{one}, nil
	}
	matches, err := w.onward(ctx, m, g)
	for i := range matches {
		if matches[i].Unmapped == "" {
			matches[i].Unmapped = g.mode
		}
	}
	return matches, err
}

// onward uses the map to which a group of m delegates unmapped codes.
func (w *walk) onward(ctx context.Context, m *Map, g *group) ([]Match, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if w.maps == nil {
		return nil, fmt.Errorf("%w: %s", ErrUnknownMap, g.other)
	}
	found, err := w.maps.ConceptMap(ctx, g.other)
	if err != nil {
		return nil, fmt.Errorf("unmapped codes of %s go to %s: %w", m.canonical, g.other, err)
	}
	other, ok := found.(*Map)
	if !ok { // a map that does not delegate
		return found.Translate(ctx, *w.request, w.maps)
	}
	w.path = append(w.path, m)
	defer func() { w.path = w.path[:len(w.path)-1] }()
	switch {
	case slices.ContainsFunc(w.path, func(a *Map) bool { return a == other || a.canonical != "" && a.canonical == other.canonical }):
		return nil, fmt.Errorf("%w: %s", ErrMapCycle, pathOf(w.path, other))
	case slices.Contains(w.done, other):
		return nil, nil
	}
	matches, err := w.forward(ctx, other)
	w.done = append(w.done, other)
	return matches, err
}

func pathOf(asked []*Map, last *Map) string {
	var b strings.Builder
	for _, m := range asked {
		b.WriteString(m.canonical + " → ")
	}
	return b.String() + last.canonical
}

func (m *Map) reverse(r Request) []Match {
	text, ok := m.texts.find(r.Code)
	if !ok {
		return nil
	}
	found := m.byTarget.of(text)
	out := make([]Match, 0, len(found))
	for _, t := range found {
		if m.groups[m.elements[m.targets[t].element].group].gives(&r) && m.applies(&m.targets[t], &r) {
			out = append(out, m.match(t, true))
		}
	}
	return out
}

// applies reports whether the dependencies of a mapping are met.
func (m *Map) applies(t *target, r *Request) bool {
	if t.extra == 0 {
		return true
	}
	for _, d := range m.extras[t.extra-1].dependsOn {
		given, same := false, false
		for _, k := range r.DependsOn {
			if k.Property == d.Property {
				given = true
				same = same || k.Value == d.Value && sameOrAny(k.System, d.System)
			}
		}
		if given && !same {
			return false
		}
	}
	return true
}

func (m *Map) match(n uint32, reverse bool) Match {
	t := &m.targets[n]
	e := &m.elements[t.element]
	g := &m.groups[e.group]
	out := Match{
		Equivalence: equivalences()[t.equivalence],
		Source:      r4.Coding{System: g.Source, Version: g.SourceVersion, Code: m.texts.at(e.code), Display: m.texts.at(e.display)},
		Map:         m.canonical,
		Comment:     m.texts.at(t.comment),
	}
	if t.code != 0 {
		out.Concept = r4.Coding{System: g.Target, Version: g.TargetVersion, Code: m.texts.at(t.code), Display: m.texts.at(t.display)}
	}
	if t.extra != 0 {
		out.DependsOn, out.Product = m.extras[t.extra-1].dependsOn, m.extras[t.extra-1].product
	}
	if reverse {
		out.Equivalence = out.Equivalence.Inverse()
		out.Source, out.Concept = out.Concept, out.Source
	}
	return out
}
