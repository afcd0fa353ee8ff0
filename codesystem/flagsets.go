package codesystem

import (
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// Sets that are derived from the flags of an index when they are first needed.
const (
	setAll = iota
	setInactive
	setAbstract
	setDeprecated
	setRoots
	setLeaves
	countSets
)

// prepareSets makes the derived sets available.
func (x *Index) prepareSets() {
	x.sets[setAll] = sync.OnceValue(func() *roaring.Bitmap {
		set := roaring.New()
		set.AddRange(0, uint64(x.n))
		return set
	})
	for set, bit := range map[int]byte{
		setInactive: flagInactive, setAbstract: flagAbstract, setDeprecated: flagDeprecated,
		setRoots: flagRoot, setLeaves: flagLeaf,
	} {
		x.sets[set] = sync.OnceValue(func() *roaring.Bitmap { return x.flagged(bit) })
	}
}

// flagged returns the concepts that have a flag.
func (x *Index) flagged(bit byte) *roaring.Bitmap {
	set := roaring.New()
	var some [1024]uint32
	count := 0
	for o, f := range x.flags {
		if f&bit == 0 {
			continue
		}
		some[count] = uint32(o)
		if count++; count == len(some) {
			set.AddMany(some[:])
			count = 0
		}
	}
	set.AddMany(some[:count])
	set.RunOptimize()
	return set
}

// All returns the set of all concepts, frozen.
func (x *Index) All() *roaring.Bitmap { return x.sets[setAll]() }

// InactiveSet returns the set of inactive concepts, frozen.
func (x *Index) InactiveSet() *roaring.Bitmap { return x.sets[setInactive]() }

// AbstractSet returns the set of abstract concepts, frozen.
func (x *Index) AbstractSet() *roaring.Bitmap { return x.sets[setAbstract]() }

// DeprecatedSet returns the set of deprecated concepts, frozen.
func (x *Index) DeprecatedSet() *roaring.Bitmap { return x.sets[setDeprecated]() }

// Roots returns the set of concepts without a parent, frozen.
func (x *Index) Roots() *roaring.Bitmap { return x.sets[setRoots]() }

// Leaves returns the set of concepts without a child, frozen.
func (x *Index) Leaves() *roaring.Bitmap { return x.sets[setLeaves]() }
