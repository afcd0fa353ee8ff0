package codesystem

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// search is scratch space for an upward search. Visited concepts carry the current mark.
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

// push queues a concept to visit, once.
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

// searchUp looks for a among the ancestors of b. It skips concepts that are not deeper than a.
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

// searchAll collects the ancestors of a concept by walking up.
func (x *Index) searchAll(o Ord) []Ord {
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

// searchDown collects descendants by walking: whole intervals, and the children outside of them.
func (x *Index) searchDown(o Ord) *roaring.Bitmap {
	set := roaring.New()
	todo := []Ord{o}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		end := x.nodes[at].end &^ spreadBit
		for i := at; i < end; i++ {
			if i != at && !set.CheckedAdd(i) {
				// An interval that was visited is complete, with everything below it.
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
