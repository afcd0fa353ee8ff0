package ecl

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// attributeNames are the attributes that a name stands for, as property numbers.
type attributeNames struct {
	props []int
	is    []bool // by number
	isA   bool   // the hierarchy, which is not a property
	of    node   // the concepts, for attributes that only an expression has; nil if there are none
}

// add adds a property.
func (a *attributeNames) add(prop, count int) {
	if a.is == nil {
		a.is = make([]bool, count)
	}
	if !a.is[prop] {
		a.is[prop] = true
		a.props = append(a.props, prop)
	}
}

// has reports whether a property is included.
func (a *attributeNames) has(prop int) bool { return a.is != nil && a.is[prop] }

// names resolves the name of an attribute. One concept names the property with its code; any other
// constraint names the properties whose codes are among its concepts. The wildcard stands for all
// attributes, without the hierarchy.
func (b *binder) names(c constraint) (names attributeNames, err error) {
	s, plain := c.(*sub)
	plain = plain && s.bare()
	if plain && s.wildcard() {
		for prop, is := range b.defining {
			if is {
				names.add(prop, len(b.props))
			}
		}
		names.of = anyNode{b.x, true}
		return names, nil
	}
	if plain && s.concept != nil {
		if ref := s.concept; b.own(ref) {
			if prop, ok := b.x.PropertyNumber(ref.code); ok {
				names.add(prop, len(b.props))
				return names, nil
			}
			if ref.code == isA {
				names.isA = true
				return names, nil
			}
		}
	}
	n, err := b.bind(c)
	if err != nil {
		return names, err
	}
	names.of = n
	// There are few concepts, and each is looked up separately.
	ctx := context.Background()
	among := func(code string) (bool, error) {
		o, ok := b.x.Find(code)
		if !ok {
			return false, nil
		}
		return n.has(ctx, o)
	}
	for prop, name := range b.props {
		in, err := among(name)
		if err != nil {
			return names, err
		}
		if in {
			names.add(prop, len(b.props))
		}
	}
	if _, stored := b.x.PropertyNumber(isA); !stored {
		names.isA, err = among(isA)
	}
	return names, err
}

// attributeTest tests an attribute: it is a leaf of a refinement.
type attributeTest struct {
	x       *codesystem.Index
	count   cardinality
	reverse bool
	names   attributeNames
	value   valueTest
}

// attribute binds an attribute.
func (b *binder) attribute(a *attribute) (*attributeTest, error) {
	t := &attributeTest{x: b.x, count: a.count, reverse: a.reverse}
	var err error
	if t.names, err = b.names(a.name); err != nil {
		return nil, err
	}
	t.value, err = b.value(a.op, &a.value)
	return t, err
}

// present reports whether one matching relationship is sufficient.
func (t *attributeTest) present() bool { return t.count == atLeastOnce }

// fewConcepts is the number of concepts up to which each is tested separately, instead of by the
// sets of concepts that have an attribute.
const fewConcepts = 100

// narrow returns the concepts that satisfy the test.
func (t *attributeTest) narrow(ctx context.Context, within *roaring.Bitmap) (*roaring.Bitmap, error) {
	if t.count.min == 0 && t.count.max < 0 || within.IsEmpty() {
		return within, nil
	}
	if within.GetCardinality() <= fewConcepts && !t.reverse {
		return those(ctx, within, t.holds)
	}
	matching, err := t.matching(ctx)
	if err != nil {
		return nil, err
	}
	switch found := roaring.And(within, matching); {
	case t.present():
		return found, nil
	case t.count.max == 0:
		return roaring.AndNot(within, found), nil
	case t.count.min == 0:
		return without(ctx, within, found, t.holds)
	default:
		return those(ctx, found, t.holds)
	}
}

// those returns the concepts that satisfy a test.
func those(ctx context.Context, set *roaring.Bitmap, holds func(context.Context, codesystem.Ord) (bool, error)) (*roaring.Bitmap, error) {
	var found []uint32
	err := each(ctx, set, func(o codesystem.Ord) error {
		in, err := holds(ctx, o)
		if in {
			found = append(found, o)
		}
		return err
	})
	return roaring.BitmapOf(found...), err
}

// without removes those of some concepts that do not satisfy a test.
func without(ctx context.Context, set, some *roaring.Bitmap, holds func(context.Context, codesystem.Ord) (bool, error)) (*roaring.Bitmap, error) {
	passing, err := those(ctx, some, holds)
	if err != nil {
		return nil, err
	}
	return roaring.AndNot(set, roaring.AndNot(some, passing)), nil
}

// matching returns the concepts with at least one matching relationship.
func (t *attributeTest) matching(ctx context.Context) (*roaring.Bitmap, error) {
	if t.reverse {
		sources, err := t.value.targets(ctx, t.x)
		if err != nil {
			return nil, err
		}
		return valuesOf(ctx, t.x, &t.names, sources)
	}
	return t.value.holders(ctx, t.x, &t.names)
}

// valuesOf returns the concepts that the attributes of some concepts name.
func valuesOf(ctx context.Context, x *codesystem.Index, names *attributeNames, sources *roaring.Bitmap) (*roaring.Bitmap, error) {
	values := roaring.New()
	if names.isA {
		parents, err := neighbours(ctx, sources, x.Parents)
		if err != nil {
			return nil, err
		}
		values = parents
	}
	for _, prop := range names.props {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		values.Or(x.TargetsOf(prop, sources))
	}
	return values, nil
}

// holds tests one concept.
func (t *attributeTest) holds(ctx context.Context, o codesystem.Ord) (bool, error) {
	enough := t.count.min
	if t.count.max >= 0 {
		enough = t.count.max + 1
	}
	if enough == 0 {
		return true, nil
	}
	n, err := t.number(ctx, o, enough)
	return t.count.holds(n), err
}

// number counts the matching relationships of a concept, in all of its groups, up to a maximum. One
// that is repeated within a group counts once.
func (t *attributeTest) number(ctx context.Context, o codesystem.Ord, enough int) (int, error) {
	if t.reverse {
		return t.sources(ctx, o, enough)
	}
	n := 0
	var counted distinct
	if t.names.isA {
		for _, p := range t.x.Parents(o) {
			in, err := t.value.acceptsConcept(ctx, p)
			if err != nil {
				return 0, err
			}
			if in {
				n++
			}
		}
	}
	for a := range t.x.Attributes(o) {
		if n >= enough {
			break
		}
		in, err := t.matches(ctx, a)
		if err != nil {
			return 0, err
		}
		if in && (!t.count.counts() || counted.add(a)) {
			n++
		}
	}
	return n, nil
}

// distinct are relationships that have been counted, in order.
type distinct []uint64

// add adds a relationship, and reports whether it was not there.
func (d *distinct) add(a codesystem.Attribute) bool {
	key := uint64(a.Pair)<<32 | uint64(a.Group)
	i, there := slices.BinarySearch(*d, key)
	if !there {
		*d = slices.Insert(*d, i, key)
	}
	return !there
}

// noPair stands for a relationship that is not a pair.
const noPair = 1<<32 - 1

// matches reports whether a relationship has one of the names and an accepted value.
func (t *attributeTest) matches(ctx context.Context, a codesystem.Attribute) (bool, error) {
	if !t.names.has(a.Property) {
		return false, nil
	}
	return t.value.accepts(ctx, t.x, a)
}

// sources counts the distinct concepts that have a concept as value, up to a maximum.
func (t *attributeTest) sources(ctx context.Context, o codesystem.Ord, enough int) (int, error) {
	from := roaring.New()
	if t.names.isA {
		from.AddMany(t.x.Children(o))
	}
	only := roaring.BitmapOf(o)
	for _, prop := range t.names.props {
		holders, err := t.x.HoldersOf(ctx, prop, only)
		if err != nil {
			return 0, err
		}
		from.Or(holders)
	}
	n := 0
	var it roaring.IntIterator
	for it.Initialize(from); it.HasNext() && n < enough; {
		in, err := t.value.acceptsConcept(ctx, it.Next())
		if err != nil {
			return 0, err
		}
		if in {
			n++
		}
	}
	return n, nil
}

// dottedNode is the values of attributes of concepts.
type dottedNode struct {
	x     *codesystem.Index
	focus node
	names attributeNames
}

func (n *dottedNode) set(ctx context.Context) (*roaring.Bitmap, error) {
	focus, err := n.focus.set(ctx)
	if err != nil {
		return nil, err
	}
	return valuesOf(ctx, n.x, &n.names, focus)
}

func (n *dottedNode) has(ctx context.Context, o codesystem.Ord) (bool, error) {
	reversed := attributeTest{x: n.x, reverse: true, names: n.names, value: valueTest{node: n.focus}}
	count, err := reversed.sources(ctx, o, 1)
	return count > 0, err
}
