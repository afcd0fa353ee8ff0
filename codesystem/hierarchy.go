package codesystem

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Hierarchical reports whether any concept has a parent.
func (x *Index) Hierarchical() bool { return x.nodes != nil }

// Parents returns the direct parents, ascending. The slice is shared.
func (x *Index) Parents(o Ord) []Ord {
	if x.nodes == nil {
		return nil
	}
	return x.graph.parentsOf(o)
}

// Children returns the direct children, ascending. That is source order, except for children that
// are below another parent in the spanning tree. The slice is shared.
func (x *Index) Children(o Ord) []Ord {
	if x.nodes == nil {
		return nil
	}
	return x.graph.childrenOf(o)
}

// Depth returns the length of the longest path from a root, in edges.
func (x *Index) Depth(o Ord) int {
	if x.nodes == nil {
		return 0
	}
	return int(x.depths[o])
}

// Interval returns the end of the interval [o+1, end), which only holds descendants of o, and
// whether it holds all of them.
func (x *Index) Interval(o Ord) (end Ord, all bool) {
	if x.nodes == nil {
		return o + 1, true
	}
	end = x.nodes[o].end
	return end &^ spreadBit, end&spreadBit == 0
}

// IsAncestor reports whether a is a proper ancestor of b. It allocates nothing, except for reused
// scratch space in hierarchies whose closure is too large to store.
func (x *Index) IsAncestor(a, b Ord) bool {
	if x.nodes == nil {
		return false
	}
	end := x.nodes[a].end
	// One comparison tests a < b && b < end: if b <= a, the subtraction wraps around.
	if b-a-1 < end&^spreadBit-a-1 {
		return true
	}
	if end&spreadBit == 0 {
		return false
	}
	if x.searches != nil {
		return x.searchUp(a, b)
	}
	above := x.ancestors[x.nodes[b].anc:x.nodes[b+1].anc]
	for len(above) > 16 {
		half := len(above) / 2
		if above[half] <= a {
			above = above[half:]
		} else {
			above = above[:half]
		}
	}
	for _, o := range above {
		if o == a {
			return true
		}
	}
	return false
}

// Ancestors returns all proper ancestors, ascending. The slice may be shared and must not be
// modified.
func (x *Index) Ancestors(o Ord) []Ord {
	switch {
	case x.nodes == nil:
		return nil
	case x.info.storage == storageClosure:
		return x.ancestors[x.nodes[o].anc:x.nodes[o+1].anc]
	case x.info.storage == storageTree:
		above := make([]Ord, 0, x.depths[o])
		for ps := x.graph.parentsOf(o); len(ps) > 0; ps = x.graph.parentsOf(ps[0]) {
			above = append(above, ps[0])
		}
		slices.Reverse(above)
		return above
	}
	return x.searchAll(o)
}

// Descendants returns the set of proper descendants, frozen.
func (x *Index) Descendants(o Ord) *roaring.Bitmap {
	set := roaring.New()
	if x.nodes == nil {
		return set
	}
	end := x.nodes[o].end &^ spreadBit
	if x.nodes[o].end&spreadBit != 0 {
		if stored := x.storedDescendants(o); stored != nil {
			return stored
		}
		return x.searchDown(o)
	}
	set.AddRange(uint64(o)+1, uint64(end))
	return set
}

// storedDescendants reads a stored set in place. It returns nil if there is none, or if the set
// holds concepts beyond the index (bytes are not trusted).
func (x *Index) storedDescendants(o Ord) *roaring.Bitmap {
	at, ok := slices.BinarySearch(x.spreadOrds, o)
	if !ok {
		return nil
	}
	data := x.spreadSets[uint64(x.spreadOffsets[at])*alignment : uint64(x.spreadOffsets[at+1])*alignment]
	set := roaring.New()
	if _, err := set.FromBuffer(data); err != nil {
		return nil
	}
	bit := uint32(1) << (at % 32)
	if word := &x.sound[at/32]; word.Load()&bit == 0 {
		if set.Validate() != nil || set.IsEmpty() || set.Maximum() >= uint32(x.n) {
			return nil
		}
		word.Or(bit)
	}
	return set
}

// Subsumptive reports whether the hierarchy expresses subsumption: hierarchyMeaning is absent,
// is-a or classified-with. A hierarchy of part-of or grouped-by does not.
func (x *Index) Subsumptive() bool {
	switch x.header.HierarchyMeaning {
	case "", "is-a", "classified-with":
		return true
	}
	return false
}
