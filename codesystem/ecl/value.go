package ecl

import (
	"context"
	"math/big"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// valueTest tests the value of an attribute.
type valueTest struct {
	node   node // concepts; nil for any value, and for concrete
	negate bool // concepts other than these
	any    bool // every value
	none   bool // no value
	pairs  *concrete
}

// concrete are the values that a comparison with a number, texts or a boolean accepts, as pairs of
// a property. They are computed once per property.
type concrete struct {
	accepts func(*r4.Value) bool
	mu      sync.Mutex
	found   map[int][]uint32
}

// value binds the value that an attribute is compared with. The wildcard stands for any value,
// concept or not, so that no value differs from it.
func (b *binder) value(op comparison, v *value) (valueTest, error) {
	if v.kind != valueConcepts {
		return valueTest{pairs: &concrete{accepts: accepting(op, v), found: map[int][]uint32{}}}, nil
	}
	if s, ok := v.set.(*sub); ok && s.bare() && s.wildcard() {
		return valueTest{any: op == equal, none: op == notEqual}, nil
	}
	n, err := b.bind(v.set)
	return valueTest{node: n, negate: op == notEqual}, err
}

// acceptsConcept tests a concept.
func (t *valueTest) acceptsConcept(ctx context.Context, o codesystem.Ord) (bool, error) {
	if t.node == nil {
		return t.any, nil
	}
	in, err := t.node.has(ctx, o)
	return in != t.negate && err == nil, err
}

// accepts tests the value of a relationship.
func (t *valueTest) accepts(ctx context.Context, x *codesystem.Index, a codesystem.Attribute) (bool, error) {
	switch {
	case t.any:
		return true, nil
	case t.none:
		return false, nil
	case t.pairs != nil:
		pairs, err := t.pairs.of(ctx, x, a.Property)
		if err != nil {
			return false, err
		}
		_, in := slices.BinarySearch(pairs, a.Pair)
		return in, nil
	}
	o, ok := x.PairTarget(a.Pair)
	if !ok {
		return false, nil
	}
	return t.acceptsConcept(ctx, o)
}

// targets returns the accepted concepts.
func (t *valueTest) targets(ctx context.Context, x *codesystem.Index) (*roaring.Bitmap, error) {
	switch {
	case t.any:
		return x.All(), nil
	case t.node == nil:
		return roaring.New(), nil
	}
	set, err := t.node.set(ctx)
	if err == nil && t.negate {
		set = roaring.AndNot(x.All(), set)
	}
	return set, err
}

// holders returns the concepts with one of the attributes and an accepted value.
func (t *valueTest) holders(ctx context.Context, x *codesystem.Index, names *attributeNames) (*roaring.Bitmap, error) {
	targets, err := t.targets(ctx, x)
	if err != nil {
		return nil, err
	}
	var sets []*roaring.Bitmap
	if names.isA && !targets.IsEmpty() {
		children, err := neighbours(ctx, targets, x.Children)
		if err != nil {
			return nil, err
		}
		sets = append(sets, children)
	}
	for _, prop := range names.props {
		set, err := t.holdersOf(ctx, x, prop, targets)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	if len(sets) == 1 {
		return sets[0], nil
	}
	return roaring.FastOr(sets...), nil
}

// holdersOf returns the holders for one property.
func (t *valueTest) holdersOf(ctx context.Context, x *codesystem.Index, prop int, targets *roaring.Bitmap) (*roaring.Bitmap, error) {
	switch {
	case t.any:
		return x.PropertyHolders(ctx, prop)
	case t.pairs != nil:
		pairs, err := t.pairs.of(ctx, x, prop)
		if err != nil {
			return nil, err
		}
		return x.PairHolders(ctx, pairs)
	}
	return x.HoldersOf(ctx, prop, targets)
}

// of returns the pairs of a property with accepted values, ascending.
func (c *concrete) of(ctx context.Context, x *codesystem.Index, prop int) ([]uint32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if pairs, ok := c.found[prop]; ok {
		return pairs, nil
	}
	pairs, err := pairsWith(ctx, x, prop, c.accepts)
	if err == nil {
		c.found[prop] = pairs
	}
	return pairs, err
}

// pairsWith returns the pairs of a property with accepted values, ascending.
func pairsWith(ctx context.Context, x *codesystem.Index, prop int, accepts func(*r4.Value) bool) (pairs []uint32, err error) {
	lo, hi := x.PairRange(prop)
	for pair := lo; pair < hi; pair++ {
		if (pair-lo)%pollEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if v := x.PairValue(pair); accepts(&v) {
			pairs = append(pairs, pair)
		}
	}
	return pairs, nil
}

// accepting returns the test of a concrete value. A value of a type other than the one it is
// compared with is neither equal nor unequal.
func accepting(op comparison, v *value) func(*r4.Value) bool {
	switch v.kind {
	case valueNumber:
		want, _ := new(big.Rat).SetString(v.number)
		return func(have *r4.Value) bool {
			if have.Type != "Decimal" && have.Type != "Integer" {
				return false
			}
			number, ok := rational(have.Text)
			return ok && op.holds(number.Cmp(want))
		}
	case valueBoolean:
		want := map[bool]string{true: "true", false: "false"}[v.boolean]
		return func(have *r4.Value) bool {
			return have.Type == "Boolean" && (have.Text == want) == (op == equal)
		}
	}
	matcher := matching(v.terms)
	return func(have *r4.Value) bool {
		return have.Type == "String" && matcher.matches(have.Text) == (op == equal)
	}
}

// longestNumber is the length of the longest text parsed as a number, longestExponent that of its
// exponent from the e on. Longer ones would take excessive time.
const (
	longestNumber   = 400
	longestExponent = len("e-999")
)

// rational parses a number. ok is false for any other text, or if it is too long.
func rational(text string) (*big.Rat, bool) {
	if len(text) > longestNumber {
		return nil, false
	}
	for i := range len(text) {
		if text[i]|0x20 == 'e' && len(text)-i > longestExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}
