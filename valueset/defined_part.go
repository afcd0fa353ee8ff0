package valueset

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// definedPart is the part of a code system that the includes of a value set select: the union of
// the whole system, listed codes, and one selection for each include with filters.
type definedPart struct {
	whole      bool
	codes      []string
	selections []selection
}

// selection is the filters of an include in canonical order. A concept is selected if it passes
// all of them.
type selection []r4.Filter

// shape classifies a definedPart. A part with the whole system has no other shape.
type shape uint8

const (
	shapeNothing   shape = iota
	shapeWhole           // every code
	shapeListed          // listed codes
	shapeSelection       // one selection
	shapeMixed           // several selections, or selections and codes
	shapes
)

func (p *definedPart) shape() shape {
	switch {
	case p.whole:
		return shapeWhole
	case len(p.selections) == 0 && len(p.codes) == 0:
		return shapeNothing
	case len(p.selections) == 0:
		return shapeListed
	case len(p.selections) == 1 && len(p.codes) == 0:
		return shapeSelection
	}
	return shapeMixed
}

// add adds an include.
func (p *definedPart) add(inc *r4.Include) {
	switch {
	case len(inc.Concept) > 0:
		for i := range inc.Concept {
			p.codes = append(p.codes, inc.Concept[i].Code)
		}
	case len(inc.Filter) > 0:
		s := selection(slices.Clone(inc.Filter))
		sort.Slice(s, func(i, j int) bool { return compareFilters(s[i], s[j]) < 0 })
		p.selections = append(p.selections, s)
	default:
		p.whole = true
	}
}

// normalize sorts the selections, and sorts and deduplicates the codes in the spelling of the
// system. x may be nil.
func (p *definedPart) normalize(x *codesystem.Index) {
	sort.Slice(p.selections, func(i, j int) bool { return compareSelections(p.selections[i], p.selections[j]) < 0 })
	for i, code := range p.codes {
		if x == nil {
			break
		}
		if o, ok := x.Find(code); ok {
			p.codes[i] = x.Code(o)
		}
	}
	p.codes = slices.Compact(alphabetical(p.codes))
}

// identical reports whether two parts, neither a whole system, have the same definition up to
// order.
func identical(p, q *definedPart) bool {
	return slices.Equal(p.codes, q.codes) &&
		slices.EqualFunc(p.selections, q.selections, func(s, t selection) bool { return slices.Equal(s, t) })
}

func compareSelections(s, t selection) int { return slices.CompareFunc(s, t, compareFilters) }

func compareFilters(f, g r4.Filter) int {
	for _, c := range []int{
		strings.Compare(f.Property, g.Property), strings.Compare(f.Op, g.Op), strings.Compare(f.Value, g.Value),
	} {
		if c != 0 {
			return c
		}
	}
	return 0
}

// hasCodes reports whether the part contains any code. A listed code counts whether or not the
// system contains it. A system that is not loaded is not empty.
func (p *definedPart) hasCodes(ctx context.Context, x *codesystem.Index, supplements []*codesystem.Index) (truth, error) {
	switch {
	case p.whole:
		return truthOf(x == nil || x.Len() > 0), nil
	case len(p.codes) > 0:
		return yes, nil
	case len(p.selections) == 0:
		return no, nil
	case x == nil:
		return maybe, nil
	}
	for _, s := range p.selections {
		found, _, err := conceptsSelected(ctx, x, s, supplements...)
		if err != nil {
			return no, err
		}
		if !found.empty() {
			return yes, nil
		}
	}
	if compositional(x) {
		return maybe, nil
	}
	return no, nil
}

// compositional reports whether a system has codes composed by a grammar in addition to those in
// its index. A selection that is empty in the index may contain others.
func compositional(x *codesystem.Index) bool { return x.Header().Compositional }
