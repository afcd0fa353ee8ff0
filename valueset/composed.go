package valueset

import (
	"context"
	"errors"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/ecl"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/resources/r4"
)

// ErrUndecided is returned for a constraint that cannot be decided for an expression.
var ErrUndecided = ecl.ErrUndecided

// composedProperty is the filter that admits expressions to a value set or keeps them out (R4
// snomedct.html, "Filter Properties").
const composedProperty = "expressions"

// composedFilter is a filter for the expressions of an index.
type composedFilter struct {
	view   *expression.View
	passes func(ctx context.Context, o codesystem.Ord, m *expression.Meaning) (bool, error)
}

// compileComposed compiles a filter for an index of expressions. An expression that means the same
// as a concept passes as that concept does. Constraints and the hierarchy judge the others by their
// place, reference sets have none of them, and any other property is one of the expression.
func compileComposed(view *expression.View, x *codesystem.Index, f r4.Filter, supplements []*codesystem.Index) (*Filter, error) {
	if f.Property == composedProperty && f.Op == "=" {
		yes := f.Value == "true"
		return &Filter{composed: &composedFilter{view, func(context.Context, codesystem.Ord, *expression.Meaning) (bool, error) { return yes, nil }}}, nil
	}
	edition := view.Model.Edition()
	listed, err := CompileFilter(edition, f, supplements...)
	if err != nil {
		return nil, err
	}
	if listed.constraint != nil {
		return &Filter{composed: &composedFilter{view, func(ctx context.Context, _ codesystem.Ord, m *expression.Meaning) (bool, error) {
			return listed.constraint.Admits(ctx, m)
		}}}, nil
	}
	judge := ofPlace(edition, f)
	if judge == nil {
		own, err := x.CompileFilter(f, supplements...)
		if err != nil && !errors.Is(err, codesystem.ErrUnknownProperty) {
			return nil, err
		}
		judge = func(_ context.Context, o codesystem.Ord, _ *expression.Meaning) (bool, error) {
			if own == nil { // other concepts have the property
				return f.Op == "not-in" || f.Op == "exists" && f.Value == "false", nil
			}
			return own.Contains(o), nil
		}
	}
	return &Filter{composed: &composedFilter{view, func(ctx context.Context, o codesystem.Ord, m *expression.Meaning) (bool, error) {
		if same, ok := m.Same(); ok && f.Property != "display" {
			return listed.Contains(ctx, same)
		}
		return judge(ctx, o, m)
	}}}, nil
}

// ofPlace returns the test of a filter by code, hierarchy or attribute; nil for another property.
func ofPlace(edition *codesystem.Index, f r4.Filter) func(context.Context, codesystem.Ord, *expression.Meaning) (bool, error) {
	constraint := ""
	switch f.Property {
	case "concept", "code":
		switch f.Op {
		case "is-a", "descendent-of", "is-not-a", "generalizes", "child-of", "descendent-leaf":
			constraint = map[string]string{
				"is-a": "<< ", "descendent-of": "< ", "is-not-a": "* MINUS << ", "generalizes": ">> ", "child-of": "<! ", "descendent-leaf": "!!< (< ",
			}[f.Op] + f.Value
			if f.Op == "descendent-leaf" {
				constraint += ")"
			}
		case "not-in", "exists":
			constraint = "*" // an expression is in no list of codes, and has a code
			if f.Value == "false" {
				constraint = "* MINUS *"
			}
		default:
			constraint = "* MINUS *"
		}
	case "ancestor", "parent":
		symbol := map[string]string{"ancestor": "< ", "parent": "<! "}[f.Property]
		codes := strings.Split(f.Value, ",")
		for i := range codes {
			codes[i] = symbol + strings.TrimSpace(codes[i])
		}
		switch constraint = strings.Join(codes, " OR "); f.Op {
		case "=", "in":
		case "not-in":
			constraint = "* MINUS (" + constraint + ")"
		default:
			return nil
		}
	}
	if constraint == "" {
		return nil
	}
	plan, err := CompileConstraint(edition, constraint)
	if err != nil {
		return nil
	}
	return func(ctx context.Context, _ codesystem.Ord, m *expression.Meaning) (bool, error) {
		return plan.Admits(ctx, m)
	}
}

// contains tests one concept of the index of expressions.
func (f *composedFilter) contains(ctx context.Context, o codesystem.Ord) (bool, error) {
	m := f.view.Meanings[o]
	if m == nil {
		return false, nil
	}
	return f.passes(ctx, o, m)
}

func (f *composedFilter) set(ctx context.Context) (*roaring.Bitmap, error) {
	set := roaring.New()
	for o := range f.view.Meanings {
		in, err := f.contains(ctx, o)
		if err != nil {
			return nil, err
		}
		if in {
			set.Add(o)
		}
	}
	return set, nil
}
