package codesystem

import (
	"cmp"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
)

// Hit is one concept found by Search.
type Hit struct {
	Concept Ord
	Score   Score
}

// Search finds concepts whose code, display or a designation matches the query, within a set (nil:
// all). They are ordered best first, ties by Ord. It appends at most limit hits (those ranked
// offset to offset+limit) to dst and returns the exact total. Besides growing dst it allocates
// nothing once warm. A query that forgives is searched with more effort if it finds nothing.
func (x *Index) Search(q *Query, within *roaring.Bitmap, offset, limit int, dst []Hit) (hits []Hit, total int) {
	hits, total = x.search(q, within, offset, limit, dst, byCost)
	if total == 0 && q.forgiving {
		for try := range q.Tries() {
			if try.effort == asWritten {
				continue
			}
			if hits, total = x.search(try, within, offset, limit, dst, byCost); total > 0 {
				break
			}
		}
	}
	return hits, total
}

// Loosen returns a query of Tries as it is searched here, nil if that finds nothing. It has the words
// of this index, so that Match tells which texts it finds.
func (x *Index) Loosen(q *Query) *Query {
	if q.effort == asWritten || x.n == 0 {
		return q
	}
	return x.text.loosen(q, x.stemLanguages())
}

func (x *Index) search(q *Query, within *roaring.Bitmap, offset, limit int, dst []Hit, way int) (hits []Hit, total int) {
	offset, limit = max(offset, 0), max(limit, 0)
	count := x.n
	if within != nil {
		if count = int(within.GetCardinality()); count == x.n && count > 0 && within.Maximum() == uint32(x.n-1) {
			within = nil
		}
	}
	switch {
	case count == 0:
		return dst, 0
	case q.Empty():
		return x.everything(within, offset, limit, dst)
	}
	if q = x.Loosen(q); q == nil {
		return dst, 0
	}
	s := x.text.scratch.Get().(*searchScratch)
	f := finder{x: x, v: &x.text, q: q, s: s, skip: offset, want: limit, dst: dst}
	f.resolve()
	f.choosePass()
	if way == byCost {
		way = f.cheapest(count)
	}
	switch way {
	case byScoring:
		f.listWithin(within)
		total = f.scoreListed()
	case byRarest:
		f.listRarest(within)
		total = f.scoreListed()
	default:
		if within != nil {
			f.within = true
			s.setWithin(within, x.All())
		}
		total = f.rank()
		s.release(f.union, f.within)
	}
	x.text.scratch.Put(s)
	return f.dst, total
}

// everything answers the empty query: all concepts, in their order.
func (x *Index) everything(within *roaring.Bitmap, offset, limit int, dst []Hit) ([]Hit, int) {
	if within == nil {
		for o := offset; o < x.n && limit > 0; o++ {
			dst = append(dst, Hit{Concept: uint32(o)})
			limit--
		}
		return dst, x.n
	}
	total := int(within.GetCardinality())
	if offset >= total || limit == 0 {
		return dst, total
	}
	from, err := within.Select(uint32(offset))
	if err != nil {
		return dst, total
	}
	var it roaring.IntIterator
	it.Initialize(within)
	for it.AdvanceIfNeeded(from); it.HasNext() && limit > 0; limit-- {
		dst = append(dst, Hit{Concept: it.Next()})
	}
	return dst, total
}

// span is the tokens from lo up to hi.
type span struct{ lo, hi uint32 }

// wordRange is the tokens that a word of the query stands for: those that begin with it, or its forms.
type wordRange struct {
	spans  []span
	count  int // descriptions; one with several of the tokens counts once for each
	cursor int // where the cursors of these tokens begin
}

// token returns the token of a word that is one token.
func (r *wordRange) token() (t uint32, ok bool) {
	return r.spans[0].lo, len(r.spans) == 1 && r.spans[0].hi-r.spans[0].lo == 1
}

// finder is one search.
type finder struct {
	x *Index
	v *textView
	q *Query
	s *searchScratch

	skip, want int
	dst        []Hit
	within     bool // hits are limited to scratch.within
	union      bool // scratch.union is in use

	codeFrom, codeTo int // concepts in code order whose code begins with the query
	noText           bool

	languages *textLanguages
	native    []bool   // languages that the query prefers
	pass      textPass // descriptions to rank next
	other     Score    // scoreOther when they are in another language, else 0
}

// resolve finds the words in the dictionary, rarest first, and the codes.
func (f *finder) resolve() {
	f.s.ranges = f.s.ranges[:0]
	f.s.spans = f.s.spans[:0]
	f.noText = len(f.q.words) == 0
	for i, w := range f.q.words {
		from := len(f.s.spans)
		lo, hi := f.v.words(w)
		if f.q.forms != nil {
			f.s.spans = f.q.forms[i].spans(f.s.spans, span{lo, hi})
		} else if lo < hi {
			f.s.spans = append(f.s.spans, span{lo, hi})
		}
		r := wordRange{spans: f.s.spans[from:]}
		if len(r.spans) == 0 {
			f.noText = true
			break
		}
		for _, p := range r.spans {
			r.count += f.v.sets.count(p.lo, p.hi)
		}
		f.s.ranges = append(f.s.ranges, r)
	}
	slices.SortFunc(f.s.ranges, func(a, b wordRange) int { return cmp.Compare(a.count, b.count) })
	f.codeFrom, f.codeTo = f.codeRange()
}

// codeRange finds the codes that begin with the query.
func (f *finder) codeRange() (from, to int) {
	from = sort.Search(f.x.n, func(i int) bool { return f.compareCode(i, false) >= 0 })
	if from == f.x.n || f.compareCode(from, true) != 0 {
		return from, from
	}
	return from, from + sort.Search(f.x.n-from, func(i int) bool { return f.compareCode(from+i, true) > 0 })
}

// compareCode compares a folded code, or its beginning, with the query.
func (f *finder) compareCode(i int, beginning bool) int {
	var buf [64]byte
	code := appendFoldedText(buf[:0], f.x.Code(f.v.codes[i]))
	if beginning {
		code = code[:min(len(code), len(f.q.code))]
	}
	switch {
	case string(code) < f.q.code:
		return -1
	case string(code) > f.q.code:
		return 1
	}
	return 0
}
