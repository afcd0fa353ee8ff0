package codesystem

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
)

// layout is the hierarchy while it is laid out, with nodes numbered by Ord.
type layout struct {
	g            *graph
	parentsFirst []uint32
	ends         []uint32
	depths       []uint32
	storage      uint32
	closure      *closure
}

// newHierarchy chooses how to store a hierarchy; perConcept bounds the closure.
func newHierarchy(g *graph, parentsFirst, ends []uint32, perConcept int) *layout {
	h := &layout{g: g, parentsFirst: parentsFirst, ends: ends}
	h.depths = g.depths(parentsFirst)
	switch {
	case len(g.parents) == 0:
		h.storage = storageFlat
	case g.isTree():
		h.storage = storageTree
	default:
		h.storage = storageSearch
		budget := min(perConcept*g.len(), math.MaxInt32)
		if h.closure = newClosure(g, parentsFirst, budget); h.closure != nil {
			h.storage = storageClosure
		}
	}
	return h
}

// sections lays the hierarchy out; a flat system has none.
func (h *layout) sections(ctx context.Context) ([]section, error) {
	if h.storage == storageFlat {
		return nil, nil
	}
	nodes := make([]node, len(h.ends)+1)
	for i, end := range h.ends {
		nodes[i].end = end
	}
	sections := []section{
		{secNodes, bytesOf(nodes)},
		{secDepths, bytesOf(h.depths)},
		{secParentOffsets, bytesOf(h.g.parentOffsets)},
		{secParents, bytesOf(h.g.parents)},
		{secChildOffsets, bytesOf(h.g.childOffsets)},
		{secChildren, bytesOf(h.g.children)},
	}
	switch h.storage {
	case storageSearch:
		for i := range h.ends {
			nodes[i].end |= spreadBit
		}
	case storageClosure:
		ords, offsets, sets, err := spread(ctx, h.closure, h.ends)
		if err != nil {
			return nil, err
		}
		for _, o := range ords {
			nodes[o].end |= spreadBit
		}
		ancestors := make([]uint32, 0, len(h.closure.ancestors))
		for i := range h.ends {
			nodes[i].anc = uint32(len(ancestors))
			ancestors = append(ancestors, h.closure.of(uint32(i))...)
		}
		nodes[len(h.ends)].anc = uint32(len(ancestors))
		sections = append(sections,
			section{secAncestors, bytesOf(ancestors)},
			section{secSpreadOrds, bytesOf(ords)},
			section{secSpreadOffsets, bytesOf(offsets)},
			section{secSpreadSets, sets})
	}
	return sections, nil
}

// hierarchyView reads the hierarchy of an index; nodes is nil in a flat system.
type hierarchyView struct {
	nodes     []node
	ancestors []uint32
	graph     graph
	depths    []uint32

	spreadOrds    []uint32
	spreadOffsets []uint32
	spreadSets    []byte

	// sound has a bit for each stored set that was checked: checking costs the square
	// of its runs, so it is done once, when the set is first asked for.
	sound []atomic.Uint32

	// searches keeps scratch space for storageSearch.
	searches *sync.Pool
}

// openHierarchy opens the sections so that no later access goes out of range and
// every walk up or down ends, whatever the bytes.
func openHierarchy(get func(uint32) []byte, facts *info) (v hierarchyView, err error) {
	if facts.storage == storageFlat {
		return v, nil
	}
	n := int(facts.concepts)
	read := func(id uint32, to *[]uint32) {
		if err == nil {
			if *to, err = numbersOf[uint32](get(id)); err != nil {
				err = fmt.Errorf("section %d: %w", id, err)
			}
		}
	}
	read(secDepths, &v.depths)
	read(secParentOffsets, &v.graph.parentOffsets)
	read(secParents, &v.graph.parents)
	read(secChildOffsets, &v.graph.childOffsets)
	read(secChildren, &v.graph.children)
	read(secAncestors, &v.ancestors)
	read(secSpreadOrds, &v.spreadOrds)
	read(secSpreadOffsets, &v.spreadOffsets)
	v.spreadSets = get(secSpreadSets)
	if err == nil {
		v.nodes, err = numbersOf[node](get(secNodes))
	}
	if err != nil {
		return v, err
	}
	if facts.storage > storageSearch || len(v.nodes) != n+1 || len(v.depths) != n {
		return v, fmt.Errorf("%w: hierarchy of %d concepts: storage %d, %d nodes, %d depths", ErrDamaged, n, facts.storage, len(v.nodes), len(v.depths))
	}
	v.sound = make([]atomic.Uint32, len(v.spreadOrds)/32+1)
	if facts.storage == storageSearch {
		v.searches = &sync.Pool{New: func() any { return &search{seen: make([]uint32, n)} }}
	}
	return v, v.check(n, facts.storage)
}

func (v *hierarchyView) check(n int, storage uint32) error {
	g := &v.graph
	if err := checkOffsets(g.parentOffsets, n, len(g.parents)); err != nil {
		return fmt.Errorf("parents: %w", err)
	}
	if err := checkOffsets(g.childOffsets, n, len(g.children)); err != nil {
		return fmt.Errorf("children: %w", err)
	}
	for name, list := range map[string][]uint32{"parents": g.parents, "children": g.children, "ancestors": v.ancestors, "spread": v.spreadOrds} {
		if err := checkBelow(list, n); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for i := range uint32(n) {
		// A depth is one more than the deepest parent's: so no walk can go in circles.
		depth := uint32(0)
		for _, p := range g.parentsOf(i) {
			depth = max(depth, v.depths[p]+1)
		}
		if v.depths[i] != depth || depth >= uint32(n) {
			return fmt.Errorf("%w: depth of %d", ErrDamaged, i)
		}
		for _, c := range g.childrenOf(i) {
			if v.depths[c] <= v.depths[i] {
				return fmt.Errorf("%w: child %d of %d is not below it", ErrDamaged, c, i)
			}
		}
		if err := v.checkNode(i, n, storage); err != nil {
			return err
		}
	}
	if uint64(v.nodes[n].anc) != uint64(len(v.ancestors)) {
		return fmt.Errorf("%w: %d ancestors, %d expected", ErrDamaged, len(v.ancestors), v.nodes[n].anc)
	}
	if storage != storageClosure {
		return nil
	}
	return checkOffsets(v.spreadOffsets, len(v.spreadOrds), len(v.spreadSets)/alignment)
}

// checkNode verifies the interval and the ancestors of one concept.
func (v *hierarchyView) checkNode(i uint32, n int, storage uint32) error {
	at := v.nodes[i]
	if end := at.end &^ spreadBit; end <= i || end > uint32(n) {
		return fmt.Errorf("%w: interval %d to %d", ErrDamaged, i, end)
	}
	if at.anc > v.nodes[i+1].anc {
		return fmt.Errorf("%w: ancestors of %d", ErrDamaged, i)
	}
	if storage == storageTree && (at.end&spreadBit != 0 || len(v.graph.parentsOf(i)) > 1) {
		return fmt.Errorf("%w: concept %d is not one of a tree", ErrDamaged, i)
	}
	return nil
}

// search is scratch space of an upward search: concepts seen bear the current mark.
type search struct {
	seen  []uint32
	mark  uint32
	stack []uint32
}

func (s *search) begin() {
	if s.mark++; s.mark == 0 {
		clear(s.seen)
		s.mark = 1
	}
	s.stack = s.stack[:0]
}

// push notes a concept to visit, once.
func (s *search) push(o uint32) {
	if s.seen[o] != s.mark {
		s.seen[o] = s.mark
		s.stack = append(s.stack, o)
	}
}

func (s *search) pop() uint32 {
	o := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	return o
}

// Hierarchical reports that any concept has a parent.
func (x *Index) Hierarchical() bool { return x.nodes != nil }

// Parents are the direct parents, ascending. The slice is shared.
func (x *Index) Parents(o Ord) []Ord {
	if x.nodes == nil {
		return nil
	}
	return x.graph.parentsOf(o)
}

// Children are the direct children, ascending, which is source order but for those
// that lie below another parent in the spanning tree. The slice is shared.
func (x *Index) Children(o Ord) []Ord {
	if x.nodes == nil {
		return nil
	}
	return x.graph.childrenOf(o)
}

// Depth is the longest path from a root, in edges.
func (x *Index) Depth(o Ord) int {
	if x.nodes == nil {
		return 0
	}
	return int(x.depths[o])
}

// Interval gives the end of the interval [o+1, end) of concepts that are descendants
// of o by their numbers alone, and whether these are all its descendants.
func (x *Index) Interval(o Ord) (end Ord, all bool) {
	if x.nodes == nil {
		return o + 1, true
	}
	end = x.nodes[o].end
	return end &^ spreadBit, end&spreadBit == 0
}

// IsAncestor reports that a is a proper ancestor of b. It allocates nothing, but for
// scratch space that is kept in hierarchies whose closure is too large to store.
func (x *Index) IsAncestor(a, b Ord) bool {
	if x.nodes == nil {
		return false
	}
	end := x.nodes[a].end
	if a < b && b < end&^spreadBit {
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

// searchUp looks for a among the ancestors of b, leaving out those that are not
// deeper than a.
func (x *Index) searchUp(a, b Ord) bool {
	depth := x.depths[a]
	if x.depths[b] <= depth {
		return false
	}
	s, _ := x.searches.Get().(*search)
	defer x.searches.Put(s)
	s.begin()
	s.push(b)
	end := x.nodes[a].end &^ spreadBit
	for len(s.stack) > 0 {
		for _, p := range x.graph.parentsOf(s.pop()) {
			if p >= a && p < end {
				return true
			}
			if x.depths[p] > depth {
				s.push(p)
			}
		}
	}
	return false
}

// Ancestors are all proper ancestors, ascending. The slice is shared or fresh: not
// to be modified.
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
	s, _ := x.searches.Get().(*search)
	defer x.searches.Put(s)
	s.begin()
	s.push(o)
	var above []Ord
	for len(s.stack) > 0 {
		at := s.pop()
		if at != o {
			above = append(above, at)
		}
		for _, p := range x.graph.parentsOf(at) {
			s.push(p)
		}
	}
	slices.Sort(above)
	return above
}

// Descendants is the set of proper descendants, frozen.
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

// storedDescendants reads a stored set in place, nil if there is none or it is not
// one of concepts of this index (bytes are not trusted).
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

// searchDown collects descendants by walking: whole intervals, and the children that
// lie outside of them.
func (x *Index) searchDown(o Ord) *roaring.Bitmap {
	set := roaring.New()
	todo := []Ord{o}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		end := x.nodes[at].end &^ spreadBit
		for i := at; i < end; i++ {
			if i != at && !set.CheckedAdd(i) {
				// An interval seen before is there with all below it.
				i = x.nodes[i].end&^spreadBit - 1
				continue
			}
			for _, c := range x.graph.childrenOf(i) {
				if (c < at || c >= end) && set.CheckedAdd(c) {
					todo = append(todo, c)
				}
			}
		}
	}
	set.Remove(o)
	set.RunOptimize()
	return set
}
