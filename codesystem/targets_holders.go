package codesystem

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"
)

// HoldersOf gives the concepts that have a property with a value that names one of the
// targets, frozen. Errors: those of ctx, ErrDamaged.
func (x *Index) HoldersOf(ctx context.Context, prop int, targets *roaring.Bitmap) (*roaring.Bitmap, error) {
	return x.holdersOf(ctx, prop, targets, nil)
}

// HoldersWithin gives those of HoldersOf that are within a set. It is the faster way
// when that set is small.
func (x *Index) HoldersWithin(ctx context.Context, prop int, targets, within *roaring.Bitmap) (*roaring.Bitmap, error) {
	return x.holdersOf(ctx, prop, targets, within)
}

// holdersOf answers within all concepts when within is nil.
func (x *Index) holdersOf(ctx context.Context, prop int, targets, within *roaring.Bitmap) (*roaring.Bitmap, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := &x.props
	if v.targets == nil || within != nil && within.IsEmpty() {
		_ = v.first[prop]
		return roaring.New(), nil
	}
	targets = bounded(targets, x.n)
	s := v.scratch.Get().(*targetScratch)
	defer v.scratch.Put(s)
	v.match(s, v.entries[prop], v.entries[prop+1], targets)
	if len(s.runs) == 0 {
		return roaring.New(), nil
	}
	set, err := x.holdersOfRuns(ctx, s)
	if err != nil || within == nil {
		return set, err
	}
	return roaring.And(set, within), nil
}

// holdersOfRuns unites the holders of the entries in the runs.
func (x *Index) holdersOfRuns(ctx context.Context, s *targetScratch) (*roaring.Bitmap, error) {
	v := &x.props
	var large []uint32
	v.large(s.runs, func(pair uint32) { large = append(large, pair) })
	if len(large) == 0 {
		return v.listed(s, s.runs, x.n), nil
	}
	set, err := v.sets.union(ctx, uint32(len(v.names)), large)
	if err != nil {
		return nil, err
	}
	if v.count(s.runs) == 0 {
		return set, nil
	}
	return roaring.Or(set, v.listed(s, s.runs, x.n)), nil
}

// TargetsOf gives the concepts that values of a property name, over the concepts in
// holders. The set is the caller's.
func (x *Index) TargetsOf(prop int, holders *roaring.Bitmap) *roaring.Bitmap {
	v := &x.props
	lo, hi := v.first[prop], v.first[prop+1]
	if v.targets == nil {
		return roaring.New()
	}
	var found []uint32
	for it := bounded(holders, x.n).Iterator(); it.HasNext(); {
		for _, pair := range v.list(it.Next()) {
			if lo <= pair && pair < hi && v.targets[pair] != noTarget {
				found = append(found, v.targets[pair])
			}
		}
	}
	return bitmapOf(found, x.n)
}
