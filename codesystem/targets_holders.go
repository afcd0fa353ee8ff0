package codesystem

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"
)

// HoldersOf returns the concepts that have a property with a value that names one of the targets,
// as a frozen set. Errors: ErrDamaged, or the error of ctx.
func (x *Index) HoldersOf(ctx context.Context, prop int, targets *roaring.Bitmap) (*roaring.Bitmap, error) {
	return x.holdersOf(ctx, prop, targets, nil)
}

// HoldersWithin returns the members of HoldersOf that are within a set. It is faster than
// HoldersOf when that set is small.
func (x *Index) HoldersWithin(ctx context.Context, prop int, targets, within *roaring.Bitmap) (*roaring.Bitmap, error) {
	return x.holdersOf(ctx, prop, targets, within)
}

// Costs of the ways to find holders, in units of reading one holder.
const (
	costOfConcept = 32 // reading the properties of a concept
	fewConcepts   = 64 // up to this many concepts are read before anything else
)

// holdersOf returns the holders among all concepts when within is nil.
func (x *Index) holdersOf(ctx context.Context, prop int, targets, within *roaring.Bitmap) (*roaring.Bitmap, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := &x.props
	if v.first[prop] == v.first[prop+1] || v.targets == nil || targets.IsEmpty() {
		return roaring.New(), nil
	}
	targets = bounded(targets, x.n)
	few := uint64(0)
	if within != nil {
		if few = within.GetCardinality(); few <= fewConcepts {
			return x.holdersAmong(ctx, prop, targets, within)
		}
	}
	s := v.scratch.Get().(*targetScratch)
	defer v.scratch.Put(s)
	v.match(s, v.entries[prop], v.entries[prop+1], targets)
	if len(s.runs) == 0 {
		return roaring.New(), nil
	}
	listed := v.count(s.runs)
	if within != nil && few*costOfConcept < uint64(listed+x.n/64) {
		return x.holdersAmong(ctx, prop, targets, within)
	}
	set, err := x.holdersOfRuns(ctx, s, prop, targets)
	if err != nil || within == nil {
		return set, err
	}
	return roaring.And(set, within), nil
}

// holdersAmong reads each concept of a set.
func (x *Index) holdersAmong(ctx context.Context, prop int, targets, within *roaring.Bitmap) (*roaring.Bitmap, error) {
	var found []uint32
	for it := bounded(within, x.n).Iterator(); it.HasNext(); {
		o := it.Next()
		if o%pageOfConcepts == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if x.holds(o, prop, targets) {
			found = append(found, o)
		}
	}
	return roaring.BitmapOf(found...), nil
}

// holds reports whether a concept has a property with a value that names a target.
func (x *Index) holds(o Ord, prop int, targets *roaring.Bitmap) bool {
	v := &x.props
	lo, hi := v.first[prop], v.first[prop+1]
	for _, pair := range v.list(o) {
		if lo <= pair && pair < hi && v.targets[pair] != noTarget && targets.Contains(v.targets[pair]) {
			return true
		}
	}
	return false
}

// holdersOfRuns unites the holders of the entries in the runs, which are the entries of a property
// that name a target.
func (x *Index) holdersOfRuns(ctx context.Context, s *targetScratch, prop int, targets *roaring.Bitmap) (*roaring.Bitmap, error) {
	v := &x.props
	if v.nearlyAll(s, prop) {
		return x.holdersBut(ctx, s, prop, targets)
	}
	s.pairs = v.large(s.pairs[:0], s.runs)
	if len(s.pairs) == 0 {
		return v.listed(s, s.runs), nil
	}
	set, err := v.sets.union(ctx, uint32(len(v.names)), s.pairs)
	if err != nil || v.count(s.runs) == 0 {
		return set, err
	}
	return roaring.Or(set, v.listed(s, s.runs)), nil
}

// nearlyAll reports whether so few entries of a property are outside the runs that it is faster to
// read the concepts that hold these. It stores the entries between the runs in s.rest.
func (v *propertyView) nearlyAll(s *targetScratch, prop int) bool {
	lo, hi := v.entries[prop], v.entries[prop+1]
	if hi-lo != v.first[prop+1]-v.first[prop] {
		return false // some values name no concept
	}
	s.rest = s.rest[:0]
	from := lo
	for _, r := range append(s.runs, entryRun{hi, hi}) {
		if from < r.lo {
			s.rest = append(s.rest, entryRun{from, r.lo})
		}
		from = r.hi
	}
	if len(s.rest) == 0 {
		return true
	}
	others := v.count(s.rest)
	return others*costOfConcept < v.count(s.runs) && len(v.large(s.pairs[:0], s.rest)) == 0
}

// holdersBut returns the concepts that hold a property, without those that only hold values in
// s.rest.
func (x *Index) holdersBut(ctx context.Context, s *targetScratch, prop int, targets *roaring.Bitmap) (*roaring.Bitmap, error) {
	v := &x.props
	set, err := x.PropertyHolders(ctx, prop)
	if err != nil || len(s.rest) == 0 {
		return set, err
	}
	others := v.listed(s, s.rest)
	without := make([]uint32, 0, others.GetCardinality())
	for it := others.Iterator(); it.HasNext(); {
		if o := it.Next(); !x.holds(o, prop, targets) {
			without = append(without, o)
		}
	}
	return roaring.AndNot(set, roaring.BitmapOf(without...)), nil
}

// TargetsOf returns the concepts that values of a property name, for the concepts in holders. The
// caller owns the set.
func (x *Index) TargetsOf(prop int, holders *roaring.Bitmap) *roaring.Bitmap {
	v := &x.props
	if v.first[prop] == v.first[prop+1] || v.targets == nil || holders.IsEmpty() {
		return roaring.New()
	}
	holders = bounded(holders, x.n)
	all := []entryRun{{v.entries[prop], v.entries[prop+1]}}
	s := v.scratch.Get().(*targetScratch)
	defer v.scratch.Put(s)
	if holders.GetCardinality()*costOfConcept < uint64(v.count(all)+x.n/64) {
		return x.targetsAmong(s, prop, holders)
	}
	s.fill(holders)
	s.ords = s.ords[:0]
	for entry := all[0].lo; entry < all[0].hi; entry++ {
		if x.heldIn(s, entry, holders) {
			s.ords = append(s.ords, v.ords[entry])
		}
	}
	clear(s.words)
	return s.setOf(s.ords)
}

// heldIn reports whether a concept of a set, whose bits are set in s, holds an entry.
func (x *Index) heldIn(s *targetScratch, entry uint32, set *roaring.Bitmap) bool {
	v := &x.props
	list := v.holders[v.begin[entry]:v.begin[entry+1]]
	if len(list) == 0 {
		all, err := v.sets.union(context.Background(), uint32(len(v.names)), v.pairs[entry:entry+1])
		return err == nil && all.Intersects(set)
	}
	found := uint64(0)
	for _, o := range list {
		found |= s.words[o/64] >> (o % 64)
	}
	return found&1 != 0
}

// targetsAmong reads each concept of a set.
func (x *Index) targetsAmong(s *targetScratch, prop int, holders *roaring.Bitmap) *roaring.Bitmap {
	v := &x.props
	lo, hi := v.first[prop], v.first[prop+1]
	s.ords = s.ords[:0]
	for it := holders.Iterator(); it.HasNext(); {
		for _, pair := range v.list(it.Next()) {
			if lo <= pair && pair < hi && v.targets[pair] != noTarget {
				s.ords = append(s.ords, v.targets[pair])
			}
		}
	}
	return s.setOf(s.ords)
}
