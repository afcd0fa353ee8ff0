package codesystem

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// hierarchyView reads the hierarchy of an index; nodes is nil in a flat system.
type hierarchyView struct {
	nodes     []node
	ancestors []uint32
	graph     graph
	depths    []uint32

	spreadOrds    []uint32
	spreadOffsets []uint32
	spreadSets    []byte

	// sound has a bit for each stored set that was checked. A check costs the square of the number
	// of runs, so it is done once, when the set is first needed.
	sound []atomic.Uint32

	// searches holds scratch space for storageSearch.
	searches *sync.Pool
}

// openHierarchy opens the sections, and makes sure that no later access is out of range and that
// every walk up or down ends.
func openHierarchy(in opener, facts *info) (v hierarchyView, err error) {
	if facts.storage == storageFlat {
		return v, nil
	}
	n := int(facts.concepts)
	read := func(id uint32, to *[]uint32) {
		if err == nil {
			if *to, err = numbersOf[uint32](in.get(id)); err != nil {
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
	v.spreadSets = in.get(secSpreadSets)
	if err == nil {
		v.nodes, err = numbersOf[node](in.get(secNodes))
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
	if err := in.offsets(v.graph.parentOffsets, n, len(v.graph.parents)); err != nil {
		return v, fmt.Errorf("parents: %w", err)
	}
	if err := in.offsets(v.graph.childOffsets, n, len(v.graph.children)); err != nil {
		return v, fmt.Errorf("children: %w", err)
	}
	if facts.storage == storageClosure {
		if err := in.offsets(v.spreadOffsets, len(v.spreadOrds), len(v.spreadSets)/alignment); err != nil {
			return v, fmt.Errorf("spread: %w", err)
		}
	}
	if in.trusted {
		return v, nil
	}
	return v, v.check(n, facts.storage)
}

// check verifies the nodes of the hierarchy.
func (v *hierarchyView) check(n int, storage uint32) error {
	g := &v.graph
	for name, list := range map[string][]uint32{"parents": g.parents, "children": g.children, "ancestors": v.ancestors, "spread": v.spreadOrds} {
		if err := checkBelow(list, n); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for i := range uint32(n) {
		// The depth is one more than that of the deepest parent, so no walk can be circular.
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
	return nil
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
