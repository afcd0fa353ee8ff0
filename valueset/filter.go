package valueset

import (
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/ecl"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/resources/r4"
)

// constraintProperty is the property of filters whose value is an expression of the Expression
// Constraint Language (R4 snomedct.html, "By Expression").
const constraintProperty = "constraint"

// Filter is a filter of a value set bound to an index. It is safe for concurrent use.
type Filter struct {
	property   *codesystem.CompiledFilter
	constraint *ecl.Plan
	composed   *composedFilter
}

// CompileFilter checks a filter against an index. In addition to the properties of
// codesystem.Index.Filter it supports constraint, with the operator = and an expression
// constraint, on any code system without a property of that name. Errors: those of
// codesystem.Index.CompileFilter; ErrBadFilterValue and ErrUnknownCode also wrap the position in
// the expression. What supplements add counts as in codesystem.Index.CompileFilter and ecl.Compile.
func CompileFilter(x *codesystem.Index, f r4.Filter, supplements ...*codesystem.Index) (*Filter, error) {
	if view := expression.ViewOf(x); view != nil {
		return compileComposed(view, x, f, supplements)
	}
	if !isConstraint(x, f.Property) {
		c, err := x.CompileFilter(f, supplements...)
		if err != nil {
			return nil, err
		}
		return &Filter{property: c}, nil
	}
	if f.Op != "=" {
		return nil, fmt.Errorf("filter %.100s %.100s: %w on this property; use =", f.Property, f.Op, codesystem.ErrUnknownOperator)
	}
	if f.Value == "" {
		return nil, fmt.Errorf("filter %.100s %.100s: %w: no value", f.Property, f.Op, codesystem.ErrBadFilterValue)
	}
	plan, err := CompileConstraint(x, f.Value, supplements...)
	if err != nil {
		return nil, fmt.Errorf("filter %.100s %.100s: %w", f.Property, f.Op, err)
	}
	return &Filter{constraint: plan}, nil
}

// CompileConstraint binds an expression constraint to an index. An error is a *ConstraintError. It
// wraps codesystem.ErrBadFilterValue, or codesystem.ErrUnknownCode for a concept that does not
// exist, and an *ecl.SyntaxError or *ecl.EvaluationError with the position.
func CompileConstraint(x *codesystem.Index, text string, supplements ...*codesystem.Index) (*ecl.Plan, error) {
	e, err := ecl.Parse(text)
	if err != nil {
		return nil, constraintError(text, codesystem.ErrBadFilterValue, err)
	}
	plan, err := ecl.Compile(x, e, supplements...)
	switch {
	case errors.Is(err, ecl.ErrUnknownConcept):
		return nil, constraintError(text, codesystem.ErrUnknownCode, err)
	case err != nil:
		return nil, constraintError(text, codesystem.ErrBadFilterValue, err)
	}
	return plan, nil
}

func constraintError(text string, sentinel, err error) error {
	return &ConstraintError{Expression: text, Reason: ecl.Reason(err), Err: fmt.Errorf("%w: %w", sentinel, err)}
}

// isConstraint reports whether the property of a filter denotes an expression, because the code
// system has no property of that name.
func isConstraint(x *codesystem.Index, property string) bool {
	if property != constraintProperty {
		return false
	}
	if _, own := x.PropertyNumber(property); own {
		return false
	}
	header := x.Header()
	for i := range header.Property {
		if header.Property[i].Code == property {
			return false
		}
	}
	return true
}

// Set returns the concepts that pass the filter. The set is frozen: it may be shared and must not
// be modified. Errors: those of ctx, and codesystem.ErrDamaged for a corrupted snapshot.
func (f *Filter) Set(ctx context.Context) (*roaring.Bitmap, error) {
	switch {
	case f.composed != nil:
		return f.composed.set(ctx)
	case f.constraint != nil:
		return f.constraint.Set(ctx)
	}
	return f.property.Set(ctx)
}

// Contains reports whether one concept passes the filter, without evaluating it for the others.
func (f *Filter) Contains(ctx context.Context, o codesystem.Ord) (bool, error) {
	switch {
	case f.composed != nil:
		return f.composed.contains(ctx, o)
	case f.constraint != nil:
		return f.constraint.Contains(ctx, o)
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return f.property.Contains(o), nil
}
