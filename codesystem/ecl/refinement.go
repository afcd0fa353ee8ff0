package ecl

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// refinementTest is a refinement bound to an index: *attributeTest, *groupTest or
// *junctionTest. narrow and holds agree.
type refinementTest interface {
	// narrow returns the concepts of a set that satisfy the test, frozen.
	narrow(ctx context.Context, within *roaring.Bitmap) (*roaring.Bitmap, error)
	// holds tests one concept.
	holds(ctx context.Context, o codesystem.Ord) (bool, error)
	// rank orders the tests of a conjunction: those that quickly leave few concepts come first.
	rank() int
}

// refinedNode is the concepts of a focus that satisfy a refinement.
type refinedNode struct {
	focus node
	test  refinementTest
}

func (n *refinedNode) set(ctx context.Context) (*roaring.Bitmap, error) {
	focus, err := n.focus.set(ctx)
	if err != nil || focus.IsEmpty() {
		return focus, err
	}
	return n.test.narrow(ctx, focus)
}

func (n *refinedNode) has(ctx context.Context, o codesystem.Ord) (bool, error) {
	in, err := n.focus.has(ctx, o)
	if err != nil || !in {
		return false, err
	}
	return n.test.holds(ctx, o)
}

// refinement binds a refinement.
func (b *binder) refinement(r refinement) (refinementTest, error) {
	switch r := r.(type) {
	case *junction:
		return b.junction(r)
	case *group:
		return b.group(r)
	}
	return b.attribute(r.(*attribute))
}

// junctionTest joins tests by AND or OR.
type junctionTest struct {
	or    bool
	parts []refinementTest
}

func (b *binder) junction(j *junction) (refinementTest, error) {
	t := &junctionTest{or: j.op == opOr}
	for _, part := range j.parts {
		test, err := b.refinement(part)
		if err != nil {
			return nil, err
		}
		at := len(t.parts)
		for at > 0 && t.parts[at-1].rank() > test.rank() {
			at--
		}
		t.parts = append(t.parts[:at], append([]refinementTest{test}, t.parts[at:]...)...)
	}
	return t, nil
}

// Ranks, by the cost of a test and the number of concepts it leaves.
const (
	rankPresent = iota // a required attribute
	rankJunction
	rankGroup
	rankCounted
)

func (t *attributeTest) rank() int {
	if t.present() {
		return rankPresent
	}
	return rankCounted
}

func (t *junctionTest) rank() int { return rankJunction }

func (t *junctionTest) narrow(ctx context.Context, within *roaring.Bitmap) (*roaring.Bitmap, error) {
	left := within
	var sets []*roaring.Bitmap
	for _, part := range t.parts {
		if left.IsEmpty() {
			break
		}
		set, err := part.narrow(ctx, left)
		if err != nil {
			return nil, err
		}
		if t.or {
			sets = append(sets, set)
			continue
		}
		left = set
	}
	if t.or {
		return roaring.FastOr(sets...), nil
	}
	return left, nil
}

func (t *junctionTest) holds(ctx context.Context, o codesystem.Ord) (bool, error) {
	for _, part := range t.parts {
		if in, err := part.holds(ctx, o); err != nil || in == t.or {
			return in, err
		}
	}
	return !t.or, nil
}
