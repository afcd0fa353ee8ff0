package conceptmap

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// Resolver finds the map that unmapped codes are sent on to. Its error wraps
// ErrUnknownMap when there is none. Safe for concurrent use.
type Resolver interface {
	ConceptMap(ctx context.Context, canonical string) (Translator, error)
}

// Translator answers as a concept map does. Safe for concurrent use.
type Translator interface {
	// Canonical is the url|version of the map, its url, or "".
	Canonical() string
	// Translate returns the mappings of a code; see Map.Translate.
	Translate(ctx context.Context, r Request, maps Resolver) ([]Match, error)
}

// Request asks for the translations of a code.
type Request struct {
	// System, Version and Code name the code to translate. An empty system or version matches any.
	System, Version, Code string
	// TargetSystem restricts the answer to codes of one system; empty: any.
	TargetSystem string
	// Reverse translates from the targets of the map to its sources.
	Reverse bool
	// DependsOn are further facts known. A mapping that depends on a property which is
	// given here with other values only does not apply; one that depends on a property
	// not given here does, and tells so.
	DependsOn []r4.ConceptMapDependsOn
}

// Match is one mapping found.
type Match struct {
	// Equivalence relates Concept to the code asked for; in reverse it is inverted.
	Equivalence Equivalence
	// Concept is the code translated to; without a code when Equivalence is unmatched.
	Concept r4.Coding
	// Source is the code asked for, as the map writes it.
	Source r4.Coding
	// Map is the canonical of the map the mapping is from.
	Map     string
	Comment string
	// DependsOn and Product are those of the mapping. Not to be modified.
	DependsOn, Product []r4.ConceptMapDependsOn
	// Unmapped is provided, fixed or other-map when no element names the code and the
	// group says what to do then; "" for a mapping.
	Unmapped string
}

// Found is the result of $translate: whether any mapping is a translation.
// Mappings that are unmatched or disjoint are reported, and are none.
func Found(matches []Match) bool {
	return slices.ContainsFunc(matches, func(m Match) bool { return m.Equivalence.Matches() })
}

// Translate returns the mappings of a code in the order of the map. maps resolves the
// maps that unmapped codes are sent on to; nil: none is known. An error, which wraps
// ErrUnknownMap or ErrMapCycle or is the resolver's, says that such a map could not
// be asked; what was found is returned with it.
func (m *Map) Translate(ctx context.Context, r Request, maps Resolver) ([]Match, error) {
	if r.Reverse {
		return m.reverse(r), nil
	}
	w := walk{request: &r, maps: maps}
	return w.forward(ctx, m)
}

// walk is a translation on its way through the maps that unmapped codes are sent on to.
// Each of these is asked once, however many groups send codes to it.
type walk struct {
	request *Request
	maps    Resolver
	path    []*Map // from the map asked first to the one being asked
	done    []*Map // those asked to the end
}

func sameOrAny(a, b string) bool { return a == b || a == "" || b == "" }

// takes reports whether a group translates codes of the system asked for, to the system asked for.
func (g *group) takes(r *Request) bool {
	return sameOrAny(g.Source, r.System) && sameOrAny(g.SourceVersion, r.Version) && sameOrAny(g.Target, r.TargetSystem)
}

// gives reports the same for the way back.
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

// unmapped does what a group of a map says about codes that it does not map.
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

// onward asks the map that a group of m sends unmapped codes to.
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
	if !ok { // a map that sends no codes on
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

// applies checks what a mapping depends on against the facts known.
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
