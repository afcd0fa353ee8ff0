package codesystem

import (
	"context"
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// How much of the transitive closure an index stores depends on the shape of the hierarchy:
//
//   - flat: nothing.
//   - tree (no concept with two parents): only the preorder interval. Ancestors are found by
//     walking up.
//   - closure (several parents, and at most closurePerConcept ancestors per concept on average):
//     the ancestors of each concept, ascending, in one arena; and a bitmap of all descendants
//     for each concept that has descendants outside its interval.
//   - search (more ancestors than that: long ladders, dense graphs): the interval answers what
//     it can, and an upward search, cut short by the depths of the concepts, answers the rest.
const closurePerConcept = 256

// closure holds the proper ancestors of every node, ascending.
type closure struct {
	offsets   []uint64 // where the ancestors of node i begin
	counts    []uint32
	ancestors []uint32
}

func (c *closure) of(i uint32) []uint32 {
	return c.ancestors[c.offsets[i] : c.offsets[i]+uint64(c.counts[i])]
}

// newClosure finds the ancestors of every node, ascending. It returns nil if they are more than
// budget in total.
func newClosure(g *graph, parentsFirst []uint32, budget int) *closure {
	n := g.len()
	c := &closure{offsets: make([]uint64, n), counts: make([]uint32, n)}
	var a, b []uint32
	for _, i := range parentsFirst {
		start := len(c.ancestors)
		a = a[:0]
		for _, p := range g.parentsOf(i) {
			b = union(b[:0], a, c.of(p), p)
			a, b = b, a
		}
		if start+len(a) > budget {
			return nil
		}
		c.ancestors = append(c.ancestors, a...)
		c.offsets[i], c.counts[i] = uint64(start), uint32(len(a))
	}
	return c
}

// union appends the ascending union of a, b and one more value to dst.
func union(dst, a, b []uint32, one uint32) []uint32 {
	put := func(v uint32) {
		if len(dst) == 0 || dst[len(dst)-1] != v {
			dst = append(dst, v)
		}
	}
	given := false
	for len(a) > 0 || len(b) > 0 {
		var v uint32
		switch {
		case len(b) == 0 || (len(a) > 0 && a[0] < b[0]):
			v, a = a[0], a[1:]
		default:
			v, b = b[0], b[1:]
		}
		if !given && one <= v {
			put(one)
			given = true
		}
		put(v)
	}
	if !given {
		put(one)
	}
	return dst
}

// blockWords is the number of words per node in countAncestors.
const blockWords = 8

// countAncestors counts the ancestors of every node without storing them. It takes the nodes in
// blocks as ancestors, and passes a bit per node of the block down.
func countAncestors(ctx context.Context, g *graph, parentsFirst []uint32) ([]uint32, error) {
	n := len(parentsFirst)
	counts := make([]uint32, n)
	masks := make([][blockWords]uint64, n)
	for block := 0; block < n; block += blockWords * 64 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for at := block; at < n; at++ {
			i := parentsFirst[at]
			var mask [blockWords]uint64
			for _, p := range g.parentsOf(i) {
				up := &masks[p]
				for w := range mask {
					mask[w] |= up[w]
				}
			}
			found := 0
			for _, w := range mask {
				found += bits.OnesCount64(w)
			}
			counts[i] += uint32(found)
			if bit := at - block; bit < blockWords*64 {
				mask[bit/64] |= 1 << (bit % 64)
			}
			masks[i] = mask
		}
		// Nodes of this block are ancestors in no later block's sets.
		for at := block; at < min(n, block+blockWords*64); at++ {
			masks[parentsFirst[at]] = [blockWords]uint64{}
		}
	}
	return counts, nil
}

// spread finds the concepts with descendants outside their interval, and serialises the set of
// descendants of each.
func spread(ctx context.Context, c *closure, ends []uint32) (ords, offsets []uint32, sets []byte, err error) {
	n := len(ends)
	below := make([]uint32, n)
	for _, a := range c.ancestors {
		below[a]++
	}
	var total uint64
	start := make([]uint64, n)
	for i := range uint32(n) {
		if below[i] > ends[i]-i-1 {
			ords = append(ords, i)
			start[i] = total
			total += uint64(below[i])
		} else {
			below[i] = 0
		}
	}
	lists := make([]uint32, total)
	next := slices.Clone(start)
	for i := range uint32(n) {
		for _, a := range c.of(i) {
			if below[a] > 0 {
				lists[next[a]] = i
				next[a]++
			}
		}
	}
	var buf growing
	offsets = append(offsets, 0)
	for at, i := range ords {
		if at%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, nil, nil, err
			}
		}
		set := roaring.New()
		set.AddMany(lists[start[i] : start[i]+uint64(below[i])])
		set.RunOptimize()
		if _, err := set.WriteTo(&buf); err != nil {
			return nil, nil, nil, err
		}
		buf = append(buf, make([]byte, -len(buf)&(alignment-1))...)
		if uint64(len(buf)/alignment) > maxArena {
			return nil, nil, nil, ErrTooLarge
		}
		offsets = append(offsets, uint32(len(buf)/alignment))
	}
	return ords, offsets, buf, nil
}

// growing is a byte slice that implements io.Writer.
type growing []byte

func (g *growing) Write(p []byte) (int, error) {
	*g = append(*g, p...)
	return len(p), nil
}
