package valueset

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/resources/r4"
)

// rule tells how the codes that two value sets take from one code system relate; ok is
// false when it cannot. A rule that compares listed codes gives them in c.
type rule func(s *sides, ctx context.Context, c *Comparison) (e evidence, ok bool)

// rulesOf is the table of rules by the shapes of this and the other portion. Each pair
// is there once: a rule holds for the mirror image as well. Where there is none, the
// definitions do not tell.
func rulesOf() [shapes][shapes]rule {
	return [shapes][shapes]rule{
		shapeNothing: {
			shapeWhole:     (*sides).onlyOther,
			shapeListed:    (*sides).onlyOther,
			shapeSelection: (*sides).onlyOther,
			shapeMixed:     (*sides).onlyOther,
		},
		shapeWhole: {
			shapeWhole:     (*sides).alike,
			shapeListed:    (*sides).wholeAndPart,
			shapeSelection: (*sides).wholeAndPart,
			shapeMixed:     (*sides).wholeAndPart,
		},
		shapeListed: {
			shapeListed: (*sides).lists,
		},
		shapeSelection: {
			shapeSelection: (*sides).selections,
		},
		shapeMixed: {
			shapeMixed: (*sides).ifIdentical,
		},
	}
}

// decide applies the rule for the shapes of the two portions.
func (s *sides) decide(ctx context.Context, c *Comparison) (evidence, bool) {
	rules, this, other := rulesOf(), s.this.shape(), s.other.shape()
	if apply := rules[this][other]; apply != nil {
		return apply(s, ctx, c)
	}
	if apply := rules[other][this]; apply != nil {
		mirror := *s
		mirror.this, mirror.other = s.other, s.this
		e, ok := apply(&mirror, ctx, c)
		return e.swap(), ok
	}
	return evidence{}, false
}

// alike: both have the same codes. What cannot be looked at is taken to select something.
func (s *sides) alike(ctx context.Context, _ *Comparison) (evidence, bool) {
	has, err := s.this.some(ctx, s.index)
	if has == maybe || err != nil {
		has = yes
	}
	return evidence{common: has}, true
}

// onlyOther: this side takes nothing from the system.
func (s *sides) onlyOther(ctx context.Context, _ *Comparison) (evidence, bool) {
	has, err := s.other.some(ctx, s.index)
	return evidence{other: has}, err == nil
}

// ifIdentical: they are the same when they are written alike.
func (s *sides) ifIdentical(ctx context.Context, c *Comparison) (evidence, bool) {
	if !identical(&s.this, &s.other) {
		return evidence{}, false
	}
	return s.alike(ctx, c)
}

// lists: two lists of codes are compared code by code.
func (s *sides) lists(_ context.Context, c *Comparison) (evidence, bool) {
	inOther := make(map[string]bool, len(s.other.codes))
	for _, code := range s.other.codes {
		inOther[code] = true
	}
	c.Common, c.Missing, c.Extra = nil, nil, nil
	for _, code := range s.this.codes {
		if inOther[code] {
			c.Common = append(c.Common, code)
			delete(inOther, code)
		} else {
			c.Missing = append(c.Missing, code)
		}
	}
	for code := range inOther {
		c.Extra = append(c.Extra, code)
	}
	alphabetical(c.Extra)
	return evidence{truthOf(c.Common != nil), truthOf(c.Missing != nil), truthOf(c.Extra != nil)}, true
}

// wholeAndPart: all of a system has every code of a part of it. Whether it has more is a
// matter of counting; of a system that is not loaded it is assumed. Codes listed that a
// complete system lacks add nothing.
func (s *sides) wholeAndPart(ctx context.Context, _ *Comparison) (evidence, bool) {
	x := s.index
	if x == nil {
		return evidence{common: yes, this: yes}, true
	}
	sets := make([]*roaring.Bitmap, 0, 1+len(s.other.selections))
	codes, unknown := roaring.New(), false
	for _, code := range s.other.codes {
		if o, ok := x.Find(code); ok {
			codes.Add(o)
		} else {
			unknown = true
		}
	}
	sets = append(sets, codes)
	for _, filters := range s.other.selections {
		p, _, err := selected(ctx, x, filters)
		if err != nil {
			return evidence{}, false
		}
		sets = append(sets, p.members)
	}
	n := int(roaring.FastOr(sets...).GetCardinality())
	if unknown && (n == 0 || !closed(x)) {
		return evidence{}, false
	}
	e := evidence{common: truthOf(n > 0), this: truthOf(n < x.Len())}
	if e.common == no && endless(x) {
		e.common = maybe
	}
	if e.this == no && (endless(x) || !closed(x)) {
		e.this = maybe
	}
	return e, true
}

// selections: the same filters select the same; two branches of a hierarchy contain one
// another or, where no concept of the system has several parents, have nothing in common.
func (s *sides) selections(ctx context.Context, c *Comparison) (evidence, bool) {
	if identical(&s.this, &s.other) {
		return s.alike(ctx, c)
	}
	this, ok := branch(s.this.selections[0])
	other, same := branch(s.other.selections[0])
	x := s.index
	if !ok || !same || x == nil || !x.Subsumptive() || s.this.selections[0][0].Property != s.other.selections[0][0].Property {
		return evidence{}, false
	}
	a, ok := x.Find(this)
	b, known := x.Find(other)
	if !ok || !known {
		return evidence{}, false
	}
	_, allA := x.Interval(a)
	_, allB := x.Interval(b)
	switch {
	case a == b:
		return evidence{common: yes}, true
	case x.IsAncestor(a, b):
		return evidence{common: yes, this: yes}, true
	case x.IsAncestor(b, a):
		return evidence{common: yes, other: yes}, true
	case allA && allB && x.Tree():
		return evidence{this: yes, other: yes}, true
	}
	return evidence{}, false
}

// branch returns the code of a selection that is a concept with all below it.
func branch(s selection) (code string, ok bool) {
	isA := slices.Equal(s, selection{{Property: "concept", Op: "is-a", Value: s[0].Value}}) ||
		slices.Equal(s, selection{r4.Filter{Property: "code", Op: "is-a", Value: s[0].Value}})
	return s[0].Value, isA
}
