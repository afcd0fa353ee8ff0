package codesystem

import (
	"context"
	"math"
)

// layout is the hierarchy during layout, with nodes numbered by Ord.
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
