package valueset

import (
	"context"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// portion is what the includes of one value set take from one code system: the union of
// all of it, codes that are listed, and one selection for each include with filters.
type portion struct {
	whole      bool
	codes      []string
	selections []selection
}

// selection are the filters of an include, in an order that does not depend on the
// definition: a concept is selected when it passes all of them.
type selection []r4.Filter

// shape is what kind of portion it is; a portion of all of a system is nothing else.
type shape uint8

const (
	shapeNothing   shape = iota
	shapeWhole           // every code
	shapeListed          // codes listed
	shapeSelection       // one selection
	shapeMixed           // several selections, or selections and codes
	shapes
)

func (p *portion) shape() shape {
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

// add takes in an include.
func (p *portion) add(inc *r4.Include) {
	switch {
	case len(inc.Concept) > 0:
		for i := range inc.Concept {
			p.codes = append(p.codes, inc.Concept[i].Code)
		}
	case len(inc.Filter) > 0:
		s := selection(slices.Clone(inc.Filter))
		slices.SortFunc(s, compareFilters)
		p.selections = append(p.selections, s)
	default:
		p.whole = true
	}
}

// tidy puts selections in an order that does not depend on the definition, and codes in
// alphabetical order, each once and as the system writes it. x may be nil.
func (p *portion) tidy(x *codesystem.Index) {
	slices.SortFunc(p.selections, compareSelections)
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

// identical reports that two portions, neither all of a system, are written alike up to order.
func identical(p, q *portion) bool {
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

// some reports whether a portion has any code. A listed code counts, whether the system
// has it or not; a system that is not loaded is not empty.
func (p *portion) some(ctx context.Context, x *codesystem.Index) (truth, error) {
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
		found, _, err := selected(ctx, x, s)
		if err != nil {
			return no, err
		}
		if !found.empty() {
			return yes, nil
		}
	}
	if endless(x) {
		return maybe, nil
	}
	return no, nil
}

// endless reports that a system has codes composed by a grammar beside those of its
// index. What selects none of those of the index may select others.
func endless(x *codesystem.Index) bool { return x.Header().Compositional }
