package codesystem

import (
	"context"
	"iter"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/resources/r4"
)

// maxGroup is the highest group number of a property.
const maxGroup = 1<<16 - 1

// Attribute is a property of a concept as numbers, which can be read without allocating.
type Attribute struct {
	Property int    // see PropertyNumber
	Pair     uint32 // number of the distinct (property, value): see PairValue
	Group    int    // attributes of a concept with the same group belong together; 0 is ungrouped
}

// PropertyNumber returns the number of a property that concepts have: its index in PropertyNames.
// Properties that only state the hierarchy have no number.
func (x *Index) PropertyNumber(code string) (prop int, ok bool) {
	prop, ok = x.props.find(code)
	if !ok {
		return 0, false
	}
	return prop, true
}

// PropertyCode returns the code of the property with a number.
func (x *Index) PropertyCode(prop int) string { return x.props.names[prop].Code }

// Grouped reports whether any property of any concept is in a group.
func (x *Index) Grouped() bool { return x.props.groups != nil }

// Attributes yields the properties of a concept as numbers. It allocates nothing.
func (x *Index) Attributes(o Ord) iter.Seq[Attribute] {
	return func(yield func(Attribute) bool) {
		v := &x.props
		first, end := v.heldRange(o)
		for i := first; i < end; i++ {
			pair := v.held[i]
			if !yield(Attribute{Property: v.number(pair), Pair: pair, Group: v.group(i)}) {
				return
			}
		}
	}
}

// PairRange returns the numbers of the distinct values of a property: lo up to, but not including,
// hi.
func (x *Index) PairRange(prop int) (lo, hi uint32) {
	return x.props.first[prop], x.props.first[prop+1]
}

// PairValue returns the value of a pair.
func (x *Index) PairValue(pair uint32) r4.Value { return decodeValue(x.props.values.at(pair)) }

// PairTarget returns the concept that the value of a pair names, as a code of this system or a
// Coding with one.
func (x *Index) PairTarget(pair uint32) (Ord, bool) {
	if x.props.targets == nil {
		return 0, false
	}
	o := x.props.targets[pair]
	return o, o != noTarget
}

// PropertyHolders returns the concepts that have a property, as a frozen set. Errors: ErrDamaged.
func (x *Index) PropertyHolders(ctx context.Context, prop int) (*roaring.Bitmap, error) {
	return x.props.sets.union(ctx, 0, []uint32{uint32(prop)})
}

// PairHolders returns the concepts that hold any of the pairs, as a frozen set. Errors:
// ErrDamaged, or the error of ctx.
func (x *Index) PairHolders(ctx context.Context, pairs []uint32) (*roaring.Bitmap, error) {
	return x.props.sets.union(ctx, uint32(len(x.props.names)), pairs)
}
