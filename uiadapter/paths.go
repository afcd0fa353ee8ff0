package uiadapter

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/roget-health/roget/codesystem"
)

// Paths lead from the top of a hierarchy to a concept. There can be more of them than anyone would
// read: 507 lead to one concept of SNOMED CT. So they are counted, and the shortest ones are listed.

// maxAncestors is the number of ancestors up to which paths are counted.
const maxAncestors = 20_000

// manyPaths is the number of paths at which counting stops.
const manyPaths = math.MaxInt32

// pathsTo returns the shortest paths to a concept, at most most of them, and their number in all. A
// path begins at the top and ends with the concept. Paths of the same length are in the order of the
// code system.
func pathsTo(x *codesystem.Index, to codesystem.Ord, most int) (paths [][]codesystem.Ord, total int) {
	ancestors := x.Ancestors(to)
	if len(ancestors) > maxAncestors {
		return [][]codesystem.Ord{spanningPath(x, to)}, manyPaths
	}
	order := append(slices.Clone(ancestors), to)
	sortBy(order, func(a, b codesystem.Ord) int { return cmp.Or(cmp.Compare(x.Depth(a), x.Depth(b)), cmp.Compare(a, b)) })
	depth := make(map[codesystem.Ord]int, len(order)) // of the shortest path, in edges
	count := make(map[codesystem.Ord]int, len(order))
	for _, o := range order { // parents first
		parents := x.Parents(o)
		if len(parents) == 0 {
			depth[o], count[o] = 0, 1
			continue
		}
		least, n := math.MaxInt, 0
		for _, parent := range parents {
			least = min(least, depth[parent]+1)
			n = min(n+count[parent], manyPaths)
		}
		depth[o], count[o] = least, n
	}
	queue := &partialPaths{{at: to, length: depth[to]}}
	added := 1
	for queue.Len() > 0 && len(paths) < most {
		p := heap.Pop(queue).(*partialPath)
		parents := x.Parents(p.at)
		if len(parents) == 0 {
			paths = append(paths, p.whole())
			continue
		}
		for _, parent := range parents {
			heap.Push(queue, &partialPath{at: parent, below: p, edges: p.edges + 1, length: p.edges + 1 + depth[parent], added: added})
			added++
		}
	}
	return paths, count[to]
}

// spanningPath returns the path by the parents under which the concepts are numbered.
func spanningPath(x *codesystem.Index, o codesystem.Ord) []codesystem.Ord {
	path := []codesystem.Ord{o}
	for len(x.Parents(o)) > 0 {
		o = x.Parents(o)[0]
		path = append(path, o)
	}
	slices.Reverse(path)
	return path
}

// A partialPath leads from a concept down to the one in question.
type partialPath struct {
	at     codesystem.Ord
	below  *partialPath
	edges  int // so far
	length int // of the shortest path that it is a part of
	added  int
}

// whole returns the path as a list.
func (p *partialPath) whole() []codesystem.Ord {
	var path []codesystem.Ord
	for ; p != nil; p = p.below {
		path = append(path, p.at)
	}
	return path
}

// partialPaths are a heap, the part of the shortest path first, then the longest part, so that a path
// is completed before others are begun.
type partialPaths []*partialPath

func (h partialPaths) Len() int      { return len(h) }
func (h partialPaths) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h partialPaths) Less(i, j int) bool {
	a, b := h[i], h[j]
	return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(b.edges, a.edges), cmp.Compare(a.added, b.added)) < 0
}

// Push implements heap.Interface.
func (h *partialPaths) Push(v any) { *h = append(*h, v.(*partialPath)) }

// Pop implements heap.Interface.
func (h *partialPaths) Pop() any {
	last := len(*h) - 1
	p := (*h)[last]
	*h = (*h)[:last]
	return p
}
