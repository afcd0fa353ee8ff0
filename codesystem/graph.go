package codesystem

// graph is a hierarchy in flat arrays: the parents and the children of node i lie between two
// offsets.
type graph struct {
	parentOffsets, parents []uint32
	childOffsets, children []uint32
}

func (g *graph) len() int { return len(g.parentOffsets) - 1 }

func (g *graph) parentsOf(i uint32) []uint32 {
	return g.parents[g.parentOffsets[i]:g.parentOffsets[i+1]]
}

func (g *graph) childrenOf(i uint32) []uint32 {
	return g.children[g.childOffsets[i]:g.childOffsets[i+1]]
}

// edge states that child is below parent.
type edge struct{ child, parent uint32 }

// newGraph returns a graph of n nodes. The parents of a node keep the order of the edges, without
// repetitions; children are ascending.
func newGraph(n int, edges []edge) *graph {
	g := &graph{parentOffsets: make([]uint32, n+1), parents: make([]uint32, len(edges))}
	for _, e := range edges {
		g.parentOffsets[e.child+1]++
	}
	for i := range n {
		g.parentOffsets[i+1] += g.parentOffsets[i]
	}
	next := make([]uint32, n)
	copy(next, g.parentOffsets)
	for _, e := range edges {
		g.parents[next[e.child]] = e.parent
		next[e.child]++
	}
	g.dropRepeated()
	g.linkChildren()
	return g
}

// dropRepeated removes all but the first of repeated parents.
func (g *graph) dropRepeated() {
	seen := make([]uint32, g.len())
	to, from := uint32(0), uint32(0)
	for i := range uint32(g.len()) {
		end := g.parentOffsets[i+1]
		for ; from < end; from++ {
			if p := g.parents[from]; seen[p] != i+1 {
				seen[p] = i + 1
				g.parents[to] = p
				to++
			}
		}
		g.parentOffsets[i+1] = to
	}
	g.parents = g.parents[:to]
}

// linkChildren derives the children, ascending, from the parents.
func (g *graph) linkChildren() {
	n := g.len()
	g.childOffsets = make([]uint32, n+1)
	g.children = make([]uint32, len(g.parents))
	for _, p := range g.parents {
		g.childOffsets[p+1]++
	}
	for i := range n {
		g.childOffsets[i+1] += g.childOffsets[i]
	}
	next := make([]uint32, n)
	copy(next, g.childOffsets)
	for i := range uint32(n) {
		for _, p := range g.parentsOf(i) {
			g.children[next[p]] = i
			next[p]++
		}
	}
}

// parentsFirst returns the nodes in an order in which parents come before children. If there are
// cycles, the nodes on them and below them are missing.
func (g *graph) parentsFirst() []uint32 {
	n := g.len()
	order := make([]uint32, 0, n)
	waiting := make([]uint32, n)
	for i := range uint32(n) {
		waiting[i] = g.parentOffsets[i+1] - g.parentOffsets[i]
		if waiting[i] == 0 {
			order = append(order, i)
		}
	}
	for at := 0; at < len(order); at++ {
		for _, c := range g.childrenOf(order[at]) {
			if waiting[c]--; waiting[c] == 0 {
				order = append(order, c)
			}
		}
	}
	return order
}

// cycle finds a cycle, given the incomplete order of parentsFirst. It starts from the first
// missing node and follows one parent of each node.
func (g *graph) cycle(order []uint32) []uint32 {
	n := g.len()
	done := make([]bool, n)
	for _, i := range order {
		done[i] = true
	}
	at := uint32(0)
	for done[at] {
		at++
	}
	// Every missing node has a missing parent, so walking up must return to a visited node.
	step := make([]int, n)
	var path []uint32
	for step[at] == 0 {
		path = append(path, at)
		step[at] = len(path)
		for _, p := range g.parentsOf(at) {
			if !done[p] {
				at = p
				break
			}
		}
	}
	return path[step[at]-1:]
}

// depths returns the length of the longest path from a root to each node, in edges.
func (g *graph) depths(parentsFirst []uint32) []uint32 {
	depths := make([]uint32, g.len())
	for _, i := range parentsFirst {
		for _, p := range g.parentsOf(i) {
			depths[i] = max(depths[i], depths[p]+1)
		}
	}
	return depths
}

// isTree reports whether no node has two parents.
func (g *graph) isTree() bool {
	for i := range uint32(g.len()) {
		if g.parentOffsets[i+1]-g.parentOffsets[i] > 1 {
			return false
		}
	}
	return true
}

// preorder numbers the nodes of a spanning tree in preorder: roots and children in the order of
// the nodes, each node below its first parent. It returns the new number of each node and the size
// of its subtree.
func (g *graph) preorder(parentsFirst []uint32) (newOf, size []uint32) {
	n := g.len()
	newOf, size = make([]uint32, n), make([]uint32, n)
	for i := n - 1; i >= 0; i-- {
		node := parentsFirst[i]
		size[node]++
		if ps := g.parentsOf(node); len(ps) > 0 {
			size[ps[0]] += size[node]
		}
	}
	next := uint32(0)
	for i := range uint32(n) {
		if len(g.parentsOf(i)) == 0 {
			newOf[i] = next
			next += size[i]
		}
	}
	for _, i := range parentsFirst {
		next := newOf[i] + 1
		for _, c := range g.childrenOf(i) {
			if g.parentsOf(c)[0] == i {
				newOf[c] = next
				next += size[c]
			}
		}
	}
	return newOf, size
}

// renumbered returns the graph with new numbers, with parents and children ascending.
func (g *graph) renumbered(newOf, oldOf []uint32) *graph {
	n := g.len()
	r := &graph{childOffsets: make([]uint32, n+1), children: make([]uint32, len(g.children))}
	for i, old := range oldOf {
		r.childOffsets[i+1] = r.childOffsets[i] + uint32(len(g.childrenOf(old)))
	}
	next := make([]uint32, n)
	copy(next, r.childOffsets)
	for i, old := range oldOf {
		for _, p := range g.parentsOf(old) {
			at := newOf[p]
			r.children[next[at]] = uint32(i)
			next[at]++
		}
	}
	r.parentOffsets = make([]uint32, n+1)
	r.parents = make([]uint32, len(g.parents))
	for i, old := range oldOf {
		r.parentOffsets[i+1] = r.parentOffsets[i] + uint32(len(g.parentsOf(old)))
	}
	copy(next, r.parentOffsets)
	for i := range uint32(n) {
		for _, c := range r.childrenOf(i) {
			r.parents[next[c]] = i
			next[c]++
		}
	}
	return r
}
