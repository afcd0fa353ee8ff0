package codesystem

import (
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
)

// SearchWith is Search in the texts of an index and of its supplements. It may overwrite dst.
func (x *Index) SearchWith(supplements []*Index, q *Query, within *roaring.Bitmap, offset, limit int, dst []Hit) (hits []Hit, total int) {
	if len(supplements) == 0 || q.Empty() {
		return x.Search(q, within, offset, limit, dst[:0])
	}
	also := roaring.New()
	for _, s := range supplements {
		also.Or(s.ConceptsIn(x, s.Matching(q), within))
	}
	if also.IsEmpty() {
		return x.Search(q, within, offset, limit, dst[:0])
	}
	hits, _ = x.Search(q, within, 0, offset+limit, dst[:0])
	for _, s := range supplements {
		hits = append(hits, s.searchIn(q, x, within, offset+limit)...)
	}
	also.Or(x.MatchingWith(nil, q, within))
	sort.Slice(hits, func(i, j int) bool {
		a, b := hits[i], hits[j]
		return a.Score < b.Score || a.Score == b.Score && a.Concept < b.Concept
	})
	seen := make(map[Ord]bool, len(hits))
	hits = slices.DeleteFunc(hits, func(h Hit) bool {
		known := seen[h.Concept]
		seen[h.Concept] = true
		return known
	})
	return hits[min(offset, len(hits)):min(offset+limit, len(hits))], int(also.GetCardinality())
}

// MatchingWith returns the concepts of SearchWith.
func (x *Index) MatchingWith(supplements []*Index, q *Query, within *roaring.Bitmap) *roaring.Bitmap {
	set := x.Matching(q)
	if within != nil {
		set = roaring.And(set, within)
	}
	for _, s := range supplements {
		set = roaring.Or(set, s.ConceptsIn(x, s.Matching(q), within))
	}
	return set
}

// ConceptsIn returns the concepts of another index, within a set (nil: all), with the codes of a set
// of x.
func (x *Index) ConceptsIn(other *Index, set, within *roaring.Bitmap) *roaring.Bitmap {
	found := roaring.New()
	x.inBase(set, other, within, func(_, theirs Ord) { found.Add(theirs) })
	return found
}

// searchIn returns the best hits of Search in x, a supplement, that are within a set of concepts of
// the index that it supplements, as concepts of that.
func (x *Index) searchIn(q *Query, base *Index, within *roaring.Bitmap, limit int) []Hit {
	mine := roaring.New()
	x.inBase(x.Matching(q), base, within, func(own, _ Ord) { mine.Add(own) })
	hits, _ := x.Search(q, mine, 0, limit, nil)
	for i := range hits {
		hits[i].Concept, _ = base.Find(x.Code(hits[i].Concept))
	}
	return hits
}

// inBase calls visit for each concept of a set that the base has within another set (nil: all).
func (x *Index) inBase(set *roaring.Bitmap, base *Index, within *roaring.Bitmap, visit func(own, theirs Ord)) {
	for it := set.Iterator(); it.HasNext(); {
		own := it.Next()
		if theirs, ok := base.Find(x.Code(own)); ok && (within == nil || within.Contains(theirs)) {
			visit(own, theirs)
		}
	}
}
