package ecl

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
)

// groupTest tests attributes that one group of relationships must satisfy together. Each
// relationship without a group counts as a group by itself.
type groupTest struct {
	x     *codesystem.Index
	count cardinality
	body  refinementTest // built from *attributeTest and *junctionTest
	is    []bool         // by property number: takes part in groups
	isA   bool           // whether the hierarchy takes part too
	// reversed reports whether all attributes are reversed. They are then relationships of other
	// concepts, and the groups of the concept itself do not matter.
	reversed bool
}

func (b *binder) group(g *group) (refinementTest, error) {
	t := &groupTest{x: b.x, count: g.count, is: slices.Clone(b.defining)}
	var err error
	if t.body, err = b.refinement(g.body); err != nil {
		return nil, err
	}
	// A single required attribute is always in some group.
	if single, ok := t.body.(*attributeTest); ok && single.present() && g.count == atLeastOnce {
		return single, nil
	}
	t.reversed = true
	t.include(t.body)
	return t, nil
}

// include lets the named attributes take part.
func (t *groupTest) include(body refinementTest) {
	switch body := body.(type) {
	case *junctionTest:
		for _, part := range body.parts {
			t.include(part)
		}
	case *attributeTest:
		for _, prop := range body.names.props {
			t.is[prop] = true
		}
		t.isA = t.isA || body.names.isA
		t.reversed = t.reversed && body.reverse
	}
}

func (t *groupTest) rank() int {
	if t.count.min > 0 {
		return rankGroup
	}
	return rankCounted
}

func (t *groupTest) narrow(ctx context.Context, within *roaring.Bitmap) (*roaring.Bitmap, error) {
	if t.count.min == 0 && t.count.max < 0 || within.IsEmpty() {
		return within, nil
	}
	possible, err := necessary(ctx, t.body, within)
	if err != nil {
		return nil, err
	}
	if t.count.min == 0 {
		return without(ctx, within, possible, t.holds)
	}
	return those(ctx, possible, t.holds)
}

// necessary returns the concepts of a set that may have a group that satisfies a body, because
// they have its required attributes in some group.
func necessary(ctx context.Context, body refinementTest, within *roaring.Bitmap) (*roaring.Bitmap, error) {
	switch body := body.(type) {
	case *attributeTest:
		if body.count.min == 0 {
			return within, nil
		}
		must := *body
		if !body.reverse {
			must.count = atLeastOnce
		}
		return must.narrow(ctx, within)
	case *junctionTest:
		if !body.or {
			for _, part := range body.parts {
				var err error
				if within, err = necessary(ctx, part, within); err != nil {
					return nil, err
				}
			}
			return within, nil
		}
		sets := make([]*roaring.Bitmap, len(body.parts))
		for i, part := range body.parts {
			var err error
			if sets[i], err = necessary(ctx, part, within); err != nil {
				return nil, err
			}
		}
		return roaring.FastOr(sets...), nil
	}
	return within, nil
}

// relationship is a relationship of a concept. Group 0 means that it has none.
type relationship struct {
	codesystem.Attribute
	parent codesystem.Ord        // where Pair is noPair: the parent
	made   *expression.Attribute // of an expression, instead of a pair and a parent
}

// holds counts the groups of a concept that satisfy the body.
func (t *groupTest) holds(ctx context.Context, o codesystem.Ord) (bool, error) {
	if t.reversed {
		in, err := t.body.holds(ctx, o)
		if in {
			return t.count.holds(1), err
		}
		return t.count.holds(0), err
	}
	var buffer [32]relationship
	all := buffer[:0]
	for a := range t.x.Attributes(o) {
		if t.is[a.Property] {
			all = append(all, relationship{Attribute: a})
		}
	}
	if t.isA {
		for _, p := range t.x.Parents(o) {
			all = append(all, relationship{Attribute: codesystem.Attribute{Pair: noPair}, parent: p})
		}
	}
	slices.SortStableFunc(all, func(a, b relationship) int { return a.Group - b.Group })
	return t.enough(ctx, all, func(reversed *attributeTest) (bool, error) { return reversed.holds(ctx, o) })
}

// enough counts the groups among relationships, which are ordered by group. reversed tests a
// reversed attribute, whose relationships are of other concepts, with groups of their own.
func (t *groupTest) enough(ctx context.Context, all []relationship, reversed func(*attributeTest) (bool, error)) (bool, error) {
	n := 0
	for len(all) > 0 {
		size := 1
		for all[0].Group != 0 && size < len(all) && all[size].Group == all[0].Group {
			size++
		}
		in, err := t.satisfied(ctx, t.body, reversed, all[:size])
		if err != nil {
			return false, err
		}
		if in {
			if n++; t.count.max < 0 && n >= t.count.min || t.count.max >= 0 && n > t.count.max {
				break
			}
		}
		all = all[size:]
	}
	return t.count.holds(n), nil
}

// satisfied tests one group.
func (t *groupTest) satisfied(ctx context.Context, body refinementTest, reversed func(*attributeTest) (bool, error), group []relationship) (bool, error) {
	switch body := body.(type) {
	case *junctionTest:
		for _, part := range body.parts {
			if in, err := t.satisfied(ctx, part, reversed, group); err != nil || in == body.or {
				return in, err
			}
		}
		return !body.or, nil
	case *attributeTest:
		if body.reverse {
			return reversed(body)
		}
		n, err := body.within(ctx, group)
		return body.count.holds(n), err
	}
	return false, nil
}

// within counts the matching relationships of a group, a repeated one once.
func (t *attributeTest) within(ctx context.Context, group []relationship) (int, error) {
	n := 0
	var counted distinct
	for i := range group {
		r := &group[i]
		var in bool
		var err error
		switch {
		case r.made != nil:
			in, err = t.matchesMade(ctx, r)
		case r.Pair != noPair:
			in, err = t.matches(ctx, r.Attribute)
			in = in && (!t.count.counts() || counted.add(r.Attribute))
		case t.names.isA:
			in, err = t.value.acceptsConcept(ctx, r.parent)
		}
		if err != nil {
			return 0, err
		}
		if in {
			n++
		}
	}
	return n, nil
}
