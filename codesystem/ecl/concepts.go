package ecl

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// The properties that concept filters look at.
const (
	propertyDefined = "sufficientlyDefined"
	propertyModule  = "moduleId"
	propertyTime    = "effectiveTime"
)

// filter binds a filter of descriptions or of concepts.
func (b *binder) filter(f filter, inner node) (node, error) {
	if d, ok := f.(*descriptionFilters); ok {
		return b.descriptions(d, inner)
	}
	n := &conceptNode{x: b.x, inner: inner}
	for i := range f.(*conceptFilters).all {
		t, err := b.conceptTest(&f.(*conceptFilters).all[i].test)
		if err != nil {
			return nil, err
		}
		n.tests = append(n.tests, t)
	}
	return n, nil
}

// conceptNode is the inner concepts that satisfy concept filters.
type conceptNode struct {
	x     *codesystem.Index
	inner node
	tests []conceptTest
}

// conceptTest tests whether a concept is active, or the value of a property.
type conceptTest struct {
	activity activityTest
	prop     int // number of the property, -1 for none
	accepts  func(ctx context.Context, value string) (bool, error)
}

// activityTest states whether active and inactive concepts are accepted.
type activityTest struct{ used, active, inactive bool }

func (a activityTest) accepts(inactive bool) bool {
	if inactive {
		return a.inactive
	}
	return a.active
}

// activityOf reads an active filter.
func activityOf(t *test) activityTest {
	a := activityTest{used: true, active: t.active != inactiveOnly, inactive: t.active != activeOnly}
	if t.op == notEqual {
		a.active, a.inactive = !a.active, !a.inactive
	}
	return a
}

func (b *binder) conceptTest(t *test) (c conceptTest, err error) {
	property := ""
	switch t.subject {
	case subjectActive:
		c.activity = activityOf(t)
		return c, nil
	case subjectTime:
		property = propertyTime
		c.accepts = func(_ context.Context, value string) (bool, error) { return acceptsTime(t.op, t.times, value), nil }
	case subjectModule:
		property = propertyModule
		c.accepts, err = b.codeComparison(t)
	case subjectStatus:
		property = propertyDefined
		var status func(context.Context, string) (bool, error)
		status, err = b.codeComparison(t)
		c.accepts = func(ctx context.Context, value string) (bool, error) {
			if value == "true" {
				return status(ctx, definedStatus)
			}
			return status(ctx, primitiveStatus)
		}
	}
	c.prop = -1
	if prop, ok := b.x.PropertyNumber(property); ok {
		c.prop = prop
	}
	return c, err
}

// codeComparison binds a comparison of a code with concepts.
func (b *binder) codeComparison(t *test) (func(context.Context, string) (bool, error), error) {
	codes, err := b.codes(t.set)
	op := t.op
	return func(ctx context.Context, code string) (bool, error) {
		in, err := codes.accepts(ctx, code)
		return in == (op == equal) && err == nil, err
	}, err
}

// acceptsTime compares a day, "" for none, with several days: = with one of them, the other
// operators with all. Without a day, a concept is neither before nor after any.
func acceptsTime(op comparison, times []string, value string) bool {
	if len(value) > len("YYYYMMDD") {
		value = value[:len("YYYYMMDD")]
	}
	if op == equal {
		return slices.Contains(times, value)
	}
	for _, want := range times {
		if op != notEqual && (want == "" || value == "") {
			return false
		}
		sign := 0
		switch {
		case value < want:
			sign = -1
		case value > want:
			sign = 1
		}
		if !op.holds(sign) {
			return false
		}
	}
	return true
}

func (n *conceptNode) set(ctx context.Context) (*roaring.Bitmap, error) {
	set, err := n.inner.set(ctx)
	for i := 0; i < len(n.tests) && err == nil && !set.IsEmpty(); i++ {
		set, err = n.tests[i].narrow(ctx, n.x, set)
	}
	return set, err
}

// narrow returns the concepts that satisfy the test.
func (t *conceptTest) narrow(ctx context.Context, x *codesystem.Index, set *roaring.Bitmap) (*roaring.Bitmap, error) {
	if t.activity.used {
		switch t.activity {
		case activityTest{true, true, true}:
			return set, nil
		case activityTest{true, true, false}:
			return roaring.AndNot(set, x.InactiveSet()), nil
		case activityTest{true, false, true}:
			return roaring.And(set, x.InactiveSet()), nil
		}
		return roaring.New(), nil
	}
	missing, err := t.accepts(ctx, "")
	if err != nil || t.prop < 0 {
		if missing {
			return set, err
		}
		return roaring.New(), err
	}
	var failure error
	pairs, err := pairsWith(ctx, x, t.prop, func(v *r4.Value) bool {
		in, err := t.accepts(ctx, v.Text)
		if err != nil {
			failure = err
		}
		return in != missing // those that differ from a concept without a value
	})
	if err != nil || failure != nil {
		return nil, firstOf(err, failure)
	}
	holders, err := x.PairHolders(ctx, pairs)
	if err != nil {
		return nil, err
	}
	if missing {
		return roaring.AndNot(set, holders), nil
	}
	return roaring.And(set, holders), nil
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (n *conceptNode) has(ctx context.Context, o codesystem.Ord) (bool, error) {
	in, err := n.inner.has(ctx, o)
	for i := 0; i < len(n.tests) && err == nil && in; i++ {
		in, err = n.tests[i].holds(ctx, n.x, o)
	}
	return in, err
}

// holds tests one concept.
func (t *conceptTest) holds(ctx context.Context, x *codesystem.Index, o codesystem.Ord) (bool, error) {
	if t.activity.used {
		return t.activity.accepts(x.Inactive(o)), nil
	}
	missing, err := t.accepts(ctx, "")
	if err != nil {
		return false, err
	}
	for a := range x.Attributes(o) {
		if a.Property != t.prop {
			continue
		}
		v := x.PairValue(a.Pair)
		if in, err := t.accepts(ctx, v.Text); err != nil || in != missing {
			return in, err
		}
	}
	return missing, nil
}
