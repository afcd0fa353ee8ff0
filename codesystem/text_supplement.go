package codesystem

import "github.com/RoaringBitmap/roaring/v2"

// MatchingIn returns the concepts of another index, within a set, whose texts in x a query finds. x
// is a supplement of the other one.
func (x *Index) MatchingIn(q *Query, base *Index, within *roaring.Bitmap) *roaring.Bitmap {
	return x.ConceptsIn(base, x.Matching(q), within)
}

// ConceptsIn returns the concepts of another index, within a set (nil: all), with the codes of a set
// of x.
func (x *Index) ConceptsIn(other *Index, set, within *roaring.Bitmap) *roaring.Bitmap {
	found := roaring.New()
	x.inBase(set, other, within, func(_, theirs Ord) { found.Add(theirs) })
	return found
}

// SearchIn returns the best hits of Search in x, a supplement, that are within a set of concepts of
// the index that it supplements, as concepts of that.
func (x *Index) SearchIn(q *Query, base *Index, within *roaring.Bitmap, limit int) []Hit {
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
