package codesystem

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/resources/r4"
)

// Filter evaluates one value set filter on this index (R4 ValueSet.compose.include.filter).
//
// Properties are concept and code (both the code of the concept), display, definition, parent,
// child, ancestor, descendant, inactive, deprecated, abstract and notSelectable, status, and every
// property that concepts have or the header declares. LOINC and RxNorm have their own filters, see
// filter_systems.go. Operators:
//
//   - = : one of the values equals the given one. Codes compare by the case rule of the system,
//     numbers by value, a Coding by its code or by system|code (in LOINC and RxNorm also by its
//     display, by the case rule), and everything else exactly. In LOINC letter case does not matter.
//   - in, not-in: = for one, or for none, of the values in a comma-separated list. On concept or
//     code, a list that only has codes of reference sets selects their members (R4
//     snomedct.html, "By Reference Set").
//   - regex: one of the values matches as a whole (RE2), a Coding by its code (in LOINC and
//     RxNorm also by its display). On concept, code, parent and child, and in LOINC, it follows
//     the case rule of the system.
//   - exists: true selects concepts that have a value, false all others.
//   - is-a, descendent-of, is-not-a, generalizes, and child-of and descendent-leaf of R5: the
//     hierarchy, by the code given; on concept, code, parent.
//
// A concept without any value satisfies not-in. abstract, notSelectable and not-selectable are
// equivalent where the system has only one of them. It counts as stated: a concept that does not
// state whether it may be selected has neither value. inactive and deprecated are true or false
// for every concept. status is Index.Status, or the value of the property status.
//
// The set is frozen: it may be shared and must not be modified. Errors: ErrUnknownProperty,
// ErrUnknownOperator, ErrBadFilterValue, ErrUnknownCode (a hierarchical operator names a code that
// does not exist), ErrNotSubsumptive, the error of ctx, and ErrDamaged.
func (x *Index) Filter(ctx context.Context, f r4.Filter) (*roaring.Bitmap, error) {
	c, err := x.CompileFilter(f)
	if err != nil {
		return nil, err
	}
	return c.Set(ctx)
}

// MatchFilter reports whether one concept satisfies a filter, without evaluating it for the other
// concepts. It agrees with Filter and returns the same errors.
func (x *Index) MatchFilter(ctx context.Context, f r4.Filter, o Ord) (bool, error) {
	c, err := x.compileFilter(f)
	if err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return c.Contains(o), nil
}

// CompiledFilter is a filter bound to an index: it is checked once, and evaluated as a set or for
// one concept at a time. It is immutable.
type CompiledFilter struct {
	x       *Index
	target  filterTarget
	op      filterOp
	prop    int    // number of the property, -1 for none
	root    Ord    // of a hierarchical operator
	roots   []Ord  // of ancestor and descendant
	exists  bool   // the value of exists
	value   string // the value of =
	values  []string
	refsets []*Refset // whose members in and not-in select; nil: none
	regex   *anchoredRegexp
	rule    valueRule
	added   []CompiledFilter // on the supplements
}

// CompileFilter checks a filter against this index. It returns the errors of Filter. Values of
// properties and displays that supplements add to concepts count as the concepts' own; what
// supplements say about hierarchy and status is ignored.
func (x *Index) CompileFilter(f r4.Filter, supplements ...*Index) (*CompiledFilter, error) {
	c, err := x.compileFilter(f, supplements...)
	if err != nil {
		return nil, err
	}
	return &c, nil
}

func (x *Index) compileFilter(f r4.Filter, supplements ...*Index) (c CompiledFilter, err error) {
	c = CompiledFilter{x: x, rule: x.valueRule()}
	if f, err = x.native(f); err != nil {
		return c, err
	}
	if c.target, c.prop, err = x.targetOf(f.Property); err != nil && !c.declaredBy(supplements, f.Property) {
		return c, err
	}
	if c.op, err = opOf(f.Op); err != nil {
		return c, fmt.Errorf("filter %.100s %.100s: %w", f.Property, f.Op, err)
	}
	if !c.target.takes(c.op) {
		return c, fmt.Errorf("filter %.100s %.100s: %w on this property", f.Property, f.Op, ErrUnknownOperator)
	}
	if err = c.setValue(f.Value); err != nil {
		return c, fmt.Errorf("filter %.100s %.100s %.200q: %w", f.Property, f.Op, f.Value, err)
	}
	c.supplement(supplements, f.Property)
	return c, nil
}
