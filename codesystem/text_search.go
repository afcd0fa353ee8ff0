package codesystem

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Hit is one concept found by Search.
type Hit struct {
	Concept Ord
	Score   Score
}

// Search finds concepts whose code, display or a designation matches the query,
// within a set (nil: all), best first, ties by Ord. It appends at most limit hits
// (those ranked offset to offset+limit) to dst and returns the exact total.
func (x *Index) Search(q *Query, within *roaring.Bitmap, offset, limit int, dst []Hit) (hits []Hit, total int) {
	var all []Hit
	for o := range uint32(x.Len()) {
		if within != nil && !within.Contains(o) {
			continue
		}
		if s, ok := x.score(q, o); ok {
			all = append(all, Hit{o, s})
		}
	}
	slices.SortFunc(all, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Concept, b.Concept))
	})
	total = len(all)
	if offset < total {
		all = all[max(offset, 0):]
		dst = append(dst, all[:min(len(all), max(limit, 0))]...)
	}
	return dst, total
}

// score scores one concept by looking at its code and texts.
func (x *Index) score(q *Query, o Ord) (best Score, found bool) {
	if q.Empty() {
		return 0, true
	}
	if s, ok := q.matchCode(x.Code(o)); ok {
		return s, true
	}
	best, found = q.matchText(x.Display(o), false)
	first, end := x.designationRange(o)
	for i := first; i < end; i++ {
		if s, ok := q.matchText(x.designationValue(i), true); ok && (!found || s < best) {
			best, found = s, true
		}
	}
	return best, found
}
