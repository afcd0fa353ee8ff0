package valueset

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// A nested listing contains each member once, below one member that is its ancestor: a direct
// parent if one is in the set, otherwise one of the nearest ancestors in the set. If there are
// several, it is the one whose interval in the preorder of the index contains the concept;
// failing that, the last one before the concept, and otherwise the first one after it. Ancestors
// that are not members are not added.

// nested lists n members in preorder of that forest, starting at offset.
func (l *lister) nested(r *run, offset, n int) error {
	g := &l.set.groups[r.group]
	if !g.index.Hierarchical() {
		return l.ascending(r, offset, n)
	}
	if r.n == g.index.Len() {
		return l.whole(g, offset, n)
	}
	f, err := plantForest(l.ctx, g.index, r.members, r.n)
	if err != nil {
		return err
	}
	return f.walk(offset, n, func(rank, depth int) error {
		return l.concept(g, f.members[rank], depth)
	})
}

// whole lists a whole system. The order of the index is already the order of the forest.
func (l *lister) whole(g *group, offset, n int) error {
	for o := codesystem.Ord(offset); o < codesystem.Ord(offset+n); o++ {
		depth := 0
		for up := o; ; depth++ {
			var ok bool
			if up, ok = closest(g.index, nil, g.index.Parents(up), up); !ok {
				break
			}
		}
		if err := l.concept(g, o, depth); err != nil {
			return err
		}
	}
	return nil
}

// forest holds the members of a run by rank, linked as children and siblings.
type forest struct {
	members     []codesystem.Ord
	child, next []int32 // first child and next sibling by rank, or -1
	parent      []int32
	root        int32 // first root, linked by next
}

func plantForest(ctx context.Context, x *codesystem.Index, set *roaring.Bitmap, n int) (*forest, error) {
	f := &forest{members: make([]codesystem.Ord, 0, n), root: -1}
	f.members = append(f.members, set.ToArray()...)
	n = len(f.members)
	links := make([]int32, 3*n)
	f.child, f.next, f.parent = links[:n:n], links[n:2*n:2*n], links[2*n:]
	for i := range f.child {
		f.child[i] = -1
	}
	var c climber
	// Iterating backwards makes each list of siblings ascending.
	for i := n - 1; i >= 0; i-- {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		up, ok := c.nearest(x, set, f.members[i])
		if !ok {
			f.parent[i], f.next[i], f.root = -1, f.root, int32(i)
			continue
		}
		rank := f.rank(up, x.Len())
		f.parent[i], f.next[i], f.child[rank] = rank, f.child[rank], int32(i)
	}
	return f, nil
}

// rank returns the position of a member among the members.
func (f *forest) rank(o codesystem.Ord, all int) int32 {
	if len(f.members) == all {
		return int32(o)
	}
	i, _ := slices.BinarySearch(f.members, o)
	return int32(i)
}

// walk visits n nodes in preorder, starting at offset.
func (f *forest) walk(offset, n int, visit func(rank, depth int) error) error {
	at, depth := f.root, 0
	for at >= 0 && n > 0 {
		if offset > 0 {
			offset--
		} else {
			if err := visit(int(at), depth); err != nil {
				return err
			}
			n--
		}
		if f.child[at] >= 0 {
			at, depth = f.child[at], depth+1
			continue
		}
		for at >= 0 && f.next[at] < 0 {
			at, depth = f.parent[at], depth-1
		}
		if at >= 0 {
			at = f.next[at]
		}
	}
	return nil
}

// climber finds the member to nest under. It reuses its buffers.
type climber struct {
	level, above []codesystem.Ord
	visited      map[codesystem.Ord]bool
}

// nearest returns the nearest ancestor of o in set.
func (c *climber) nearest(x *codesystem.Index, set *roaring.Bitmap, o codesystem.Ord) (codesystem.Ord, bool) {
	parents := x.Parents(o)
	if up, ok := closest(x, set, parents, o); ok || len(parents) == 0 {
		return up, ok
	}
	c.level = append(c.level[:0], parents...)
	clear(c.visited)
	for len(c.level) > 0 {
		c.above = c.above[:0]
		for _, p := range c.level {
			for _, q := range x.Parents(p) {
				if !c.visited[q] {
					if c.visited == nil {
						c.visited = map[codesystem.Ord]bool{}
					}
					c.visited[q] = true
					c.above = append(c.above, q)
				}
			}
		}
		if up, ok := closest(x, set, c.above, o); ok {
			return up, true
		}
		c.level, c.above = c.above, c.level
	}
	return 0, false
}

// closest returns the best of the candidates in set (nil: all), by the rules above.
func closest(x *codesystem.Index, set *roaring.Bitmap, candidates []codesystem.Ord, o codesystem.Ord) (best codesystem.Ord, ok bool) {
	above := false
	for _, p := range candidates {
		if set != nil && !set.Contains(p) {
			continue
		}
		end, _ := x.Interval(p)
		around := p < o && o < end
		switch {
		case !ok, around && !above:
			best, ok, above = p, true, around
		case above && !around:
		case p < o && (best > o || p > best), p > o && best > o && p < best:
			best = p
		}
	}
	return best, ok
}
