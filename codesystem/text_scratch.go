package codesystem

import (
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
	spans   []span
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
