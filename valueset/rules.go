package valueset

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/resources/r4"
)

// A rule relates the codes that two value sets select from one code system. ok is false if it
// cannot. A rule that compares listed codes stores them in c.
type rule func(s *sides, ctx context.Context, c *Comparison) (e evidence, ok bool)

// rulesOf returns the table of rules by the shapes of both parts. Each pair occurs once, because
// a rule also applies to the mirrored pair. If there is no rule, the definitions are not
// sufficient.
func rulesOf() [shapes][shapes]rule {
	return [shapes][shapes]rule{
		shapeNothing: {
			shapeWhole:     (*sides).onlyOther,
			shapeListed:    (*sides).onlyOther,
			shapeSelection: (*sides).onlyOther,
			shapeMixed:     (*sides).onlyOther,
		},
		shapeWhole: {
			shapeWhole:     (*sides).sameCodes,
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

// decide applies the rule for the shapes of the two parts.
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

// sameCodes: both sides have the same codes. A part that cannot be evaluated counts as nonempty.
func (s *sides) sameCodes(ctx context.Context, _ *Comparison) (evidence, bool) {
	has, err := s.this.hasCodes(ctx, s.index, s.supplements)
	if has == maybe || err != nil {
		has = yes
	}
	return evidence{common: has}, true
}

// onlyOther: this side selects nothing from the system.
func (s *sides) onlyOther(ctx context.Context, _ *Comparison) (evidence, bool) {
	has, err := s.other.hasCodes(ctx, s.index, s.supplements)
	return evidence{other: has}, err == nil
}

// ifIdentical: the sides are the same if their definitions are.
func (s *sides) ifIdentical(ctx context.Context, c *Comparison) (evidence, bool) {
	if !identical(&s.this, &s.other) {
		return evidence{}, false
	}
	return s.sameCodes(ctx, c)
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

// wholeAndPart: a whole system contains every code of a part of it. Counting shows whether it
// contains more; for a system that is not loaded this is assumed. Listed codes that a complete
// system lacks are ignored.
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
		p, _, err := conceptsSelected(ctx, x, filters, s.supplements...)
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
	if e.common == no && compositional(x) {
		e.common = maybe
	}
	if e.this == no && (compositional(x) || !closed(x)) {
		e.this = maybe
	}
	return e, true
}

// selections: equal filters select the same codes. Of two branches of a hierarchy one contains
// the other, or they are disjoint if no concept of the system has several parents.
func (s *sides) selections(ctx context.Context, c *Comparison) (evidence, bool) {
	if identical(&s.this, &s.other) {
		return s.sameCodes(ctx, c)
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
	case allA && allB:
		return evidence{this: yes, other: yes}, true
	}
	return evidence{}, false
}

// branch returns the code of a selection that consists of a concept and its descendants.
func branch(s selection) (code string, ok bool) {
	isA := slices.Equal(s, selection{{Property: "concept", Op: "is-a", Value: s[0].Value}}) ||
		slices.Equal(s, selection{r4.Filter{Property: "code", Op: "is-a", Value: s[0].Value}})
	return s[0].Value, isA
}
