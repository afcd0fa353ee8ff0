package codesystem

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// listRarest stores the concepts with the rarest word and those found by code in scratch.ids.
func (f *finder) listRarest(within *roaring.Bitmap) {
	s := f.s
	s.ids = append(s.ids[:0], f.v.codes[f.codeFrom:f.codeTo]...)
	if !f.noText {
		tokens := uint32(len(f.v.alone))
		for _, p := range s.ranges[0].spans {
			for token := p.lo; token < p.hi; token++ {
				s.ids = f.v.sets.appendTo(s.ids, tokens+token)
			}
		}
	}
	slices.Sort(s.ids)
	s.ids = slices.Compact(s.ids)
	if within != nil {
		s.ids = slices.DeleteFunc(s.ids, func(o uint32) bool { return !within.Contains(o) })
	}
}

// listWithin stores the concepts asked for in scratch.ids.
func (f *finder) listWithin(within *roaring.Bitmap) {
	f.s.ids = f.s.ids[:0]
	if within == nil {
		for o := range uint32(f.x.n) {
			f.s.ids = append(f.s.ids, o)
		}
		return
	}
	var it roaring.IntIterator
	it.Initialize(within)
	for it.HasNext() {
		if o := it.Next(); o < uint32(f.x.n) {
			f.s.ids = append(f.s.ids, o)
		}
	}
}

// listFound stores the concepts found, within those asked for, in scratch.ids.
func (f *finder) listFound() {
	s := f.s
	s.ids = s.ids[:0]
	for i, w := range s.union {
		if f.within {
			w &= s.within[i]
		}
		for ; w != 0; w &= w - 1 {
			s.ids = append(s.ids, uint32(i<<6|bits.TrailingZeros64(w)))
		}
	}
}

// scoreListed scores the concepts in scratch.ids.
func (f *finder) scoreListed() (total int) {
	few := f.s.few[:0]
	for _, o := range f.s.ids {
		if score, ok := f.x.score(f.q, o); ok {
			few = append(few, Hit{o, score})
		}
	}
	f.s.few = few
	slices.SortFunc(few, compareHits)
	from := min(f.skip, len(few))
	f.dst = append(f.dst, few[from:min(from+f.want, len(few))]...)
	return len(few)
}

// score scores one concept by reading its code and texts.
func (x *Index) score(q *Query, o Ord) (best Score, found bool) {
	if s, ok := q.matchCode(x.Code(o)); ok {
		return s, true
	}
	native := func(source uint32) bool { return q.language == "" || q.prefers(x.languageOf(source)) }
	best, found = q.matchText(x.Display(o), true, native(sourceDisplay))
	first, end := x.DesignationRange(o)
	for i := first; i < end; i++ {
		if x.designations.hidden(i) {
			continue
		}
		if s, ok := q.matchText(x.designationValue(i), x.isPreferred(i), native(i)); ok && (!found || s < best) {
			best, found = s, true
		}
	}
	return best, found
}

// compareHits orders hits of one index, best first.
func compareHits(a, b Hit) int {
	return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Concept, b.Concept))
}
