package codesystem

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// searchScratch is the memory of one search, reused by the next. Bitmaps have room for whole
// chunks; all of them are zero between searches.
type searchScratch struct {
	union  []uint64 // concepts found
	within []uint64 // concepts asked for
	seen   []uint64 // concepts ranked
	marks  []uint64 // for sorting
	acc    chunkMap // descriptions found in one chunk
	word   chunkMap // descriptions with one word in one chunk

	ranges  []wordRange
	cursors []uint32
	ids     []uint32
	ranked  []uint32
	few     []Hit
	native  []bool
}

// prepare sets up the pool of scratch space for an index of n concepts, and what is computed
// later.
func (v *textView) prepare(n int) {
	v.languages = new(textLanguages)
	concepts, all := wholeChunks(n), wholeChunks(max(n, len(v.owners)))
	v.scratch = &sync.Pool{New: func() any {
		words := make([]uint64, 3*concepts+all)
		return &searchScratch{
			union:  words[:concepts:concepts],
			within: words[concepts : 2*concepts : 2*concepts],
			seen:   words[2*concepts : 3*concepts : 3*concepts],
			marks:  words[3*concepts:],
		}
	}}
}

// wholeChunks returns the number of words that hold n bits in whole chunks.
func wholeChunks(n int) int { return (n + 1<<chunkBits - 1) >> chunkBits * chunkWords }

// setWithin fills within from a set of concepts.
func (s *searchScratch) setWithin(set *roaring.Bitmap, all *roaring.Bitmap) {
	if set.DenseSize() > uint64(len(s.within)) {
		set = roaring.And(set, all)
	}
	set.WriteDenseTo(s.within)
}

func (s *searchScratch) isWithin(o Ord) bool { return s.within[o>>6]>>(o&63)&1 != 0 }

// release zeroes the used parts of the concept bitmaps.
func (s *searchScratch) release(union, within bool) {
	if union {
		clear(s.union)
	}
	if within {
		clear(s.within)
	}
	if len(s.ranked) > len(s.seen)/8 {
		clear(s.seen)
	} else {
		for _, o := range s.ranked {
			s.seen[o>>6] = 0
		}
	}
	s.ranked = s.ranked[:0]
}

// fewToSort is the number of items up to which sorting compares instead of marking.
const fewToSort = 192

// sort sorts distinct numbers of descriptions or concepts.
func (s *searchScratch) sort(ids []uint32) {
	if len(ids) <= fewToSort {
		slices.Sort(ids)
		return
	}
	low, high := ids[0]>>6, ids[0]>>6
	for _, id := range ids {
		at := id >> 6
		s.marks[at] |= 1 << (id & 63)
		low, high = min(low, at), max(high, at)
	}
	n := 0
	for i := low; i <= high; i++ {
		for w := s.marks[i]; w != 0; w &= w - 1 {
			ids[n] = i<<6 | uint32(bits.TrailingZeros64(w))
			n++
		}
		s.marks[i] = 0
	}
}

// countUnion counts the concepts found, within those asked for if within is set.
func (s *searchScratch) countUnion(within bool) int {
	n := 0
	if !within {
		for _, w := range s.union {
			n += bits.OnesCount64(w)
		}
		return n
	}
	for i, w := range s.union {
		n += bits.OnesCount64(w & s.within[i])
	}
	return n
}
