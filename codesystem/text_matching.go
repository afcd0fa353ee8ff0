package codesystem

import (
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"
)

// DisplayText stands for the display of a concept among its texts. Other texts are numbers of
// designations.
const DisplayText = sourceDisplay

// Matching returns all concepts that Search finds, without ranking them, as a frozen set. It costs
// far less than Search without a limit.
func (x *Index) Matching(q *Query) *roaring.Bitmap {
	for try := range q.Tries() {
		if found := x.matching(try); !found.IsEmpty() {
			return found
		}
	}
	return roaring.New()
}

func (x *Index) matching(q *Query) *roaring.Bitmap {
	if x.n == 0 || q.Empty() {
		return x.All()
	}
	if q = x.Loosen(q); q == nil {
		return roaring.New()
	}
	s := x.text.scratch.Get().(*searchScratch)
	defer x.text.scratch.Put(s)
	f := finder{x: x, v: &x.text, q: q, s: s}
	f.resolve()
	switch {
	case f.noText:
	case len(s.ranges) > 1:
		f.rankWords(true)
	default:
		f.addConcepts()
	}
	f.addCodes()
	found := roaring.FromDense(s.union, true)
	s.release(true, false)
	return found
}

// MatchingTexts calls visit for the texts that have all words of a query, with the concept and the
// number of the designation or DisplayText. It may visit only one of several texts of a concept
// with the same words, and visits no inactive texts. A query without words has no texts.
func (x *Index) MatchingTexts(q *Query, visit func(o Ord, text uint32)) {
	if x.n == 0 || len(q.words) == 0 {
		return
	}
	s := x.text.scratch.Get().(*searchScratch)
	defer x.text.scratch.Put(s)
	v := &x.text
	f := finder{x: x, v: v, q: q, s: s}
	if f.resolve(); f.noText {
		return
	}
	f.startCursors()
	for key := range uint32((len(v.owners) + 1<<chunkBits - 1) >> chunkBits) {
		if !f.chunk(key) {
			continue
		}
		for i, w := range &s.acc {
			s.acc[i] = 0
			for ; w != 0; w &= w - 1 {
				desc := key<<chunkBits | uint32(i<<6|bits.TrailingZeros64(w))
				visit(v.owners[desc], v.sources[desc])
			}
		}
	}
}
