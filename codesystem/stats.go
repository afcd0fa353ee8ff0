package codesystem

import (
	"context"
	"strconv"
)

// Stats are counts of a code system. Edges, roots, depth, ancestors and closure cover active
// concepts. An inactive parent counts as a parent and ancestor, but its own ancestors do not. The
// JSON keys are fixed for scripts.
type Stats struct {
	URL      string `json:"url"`
	Version  string `json:"version"`
	Concepts int    `json:"concepts"`
	Active   int    `json:"active"`
	// Edges counts (concept, parent) pairs.
	Edges int `json:"edges"`
	Roots int `json:"roots"`
	// MaxDepth is the length of the longest path from a root, in edges.
	MaxDepth int `json:"maxDepth"`
	// MeanAncestors is rounded to two decimals.
	MeanAncestors float64 `json:"meanAncestors"`
	MaxAncestors  int     `json:"maxAncestors"`
	// ClosurePairs counts (concept, proper ancestor) pairs.
	ClosurePairs int `json:"closurePairs"`
	// Refsets and Members count reference sets and their rows; DroppedMembers counts the rows of
	// the source that were about no concept.
	Refsets        int `json:"refsets,omitempty"`
	Members        int `json:"members,omitempty"`
	DroppedMembers int `json:"droppedMembers,omitempty"`
}

// Stats returns the statistics of the hierarchy, over active concepts.
func (x *Index) Stats() Stats { return x.stats }

// Tree reports whether every active concept has at most one parent.
func (x *Index) Tree() bool { return x.stats.Edges == x.stats.Active-x.stats.Roots }

// stats computes the statistics, once the flags are known.
func (h *layout) stats(ctx context.Context, x *Index) (Stats, error) {
	s := Stats{URL: x.URL(), Version: x.Version(), Concepts: x.Len()}
	counts, depths, err := h.activeAncestors(ctx, x)
	if err != nil {
		return s, err
	}
	for i := range uint32(x.Len()) {
		if x.Inactive(i) {
			continue
		}
		s.Active++
		parents := len(h.g.parentsOf(i))
		if s.Edges += parents; parents == 0 {
			s.Roots++
		}
		s.MaxDepth = max(s.MaxDepth, int(depths[i]))
		s.MaxAncestors = max(s.MaxAncestors, int(counts[i]))
		s.ClosurePairs += int(counts[i])
	}
	if s.Active > 0 {
		mean := strconv.FormatFloat(float64(s.ClosurePairs)/float64(s.Active), 'f', 2, 64)
		s.MeanAncestors, _ = strconv.ParseFloat(mean, 64)
	}
	return s, nil
}

// activeAncestors counts the ancestors of each concept and its depth, in the graph without the
// edges that start at inactive concepts.
func (h *layout) activeAncestors(ctx context.Context, x *Index) (counts, depths []uint32, err error) {
	g, c, depths := h.g, h.closure, h.depths
	if h.inactiveBelow(x) {
		g, c = h.withoutInactive(x), nil
		depths = g.depths(h.parentsFirst)
		if h.storage == storageClosure && !g.isTree() {
			c = newClosure(g, h.parentsFirst, len(h.closure.ancestors))
		}
	}
	switch {
	case g.isTree():
		return depths, depths, nil
	case c != nil:
		return c.counts, depths, nil
	}
	counts, err = countAncestors(ctx, g, h.parentsFirst)
	return counts, depths, err
}

// inactiveBelow reports whether an inactive concept has a parent.
func (h *layout) inactiveBelow(x *Index) bool {
	for i := range uint32(x.Len()) {
		if x.Inactive(i) && len(h.g.parentsOf(i)) > 0 {
			return true
		}
	}
	return false
}

func (h *layout) withoutInactive(x *Index) *graph {
	g := &graph{parentOffsets: make([]uint32, 1, x.Len()+1)}
	for i := range uint32(x.Len()) {
		if !x.Inactive(i) {
			g.parents = append(g.parents, h.g.parentsOf(i)...)
		}
		g.parentOffsets = append(g.parentOffsets, uint32(len(g.parents)))
	}
	return g
}
