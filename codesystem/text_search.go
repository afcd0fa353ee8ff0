package codesystem

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
)

// Hit is one concept found by Search.
type Hit struct {
	Concept Ord
	Score   Score
}

// Search finds concepts whose code, display or a designation matches the query,
// within a set (nil: all), best first, ties by Ord. It appends at most limit hits
// (those ranked offset to offset+limit) to dst and returns the exact total. Besides
// growing dst it allocates nothing once warm.
func (x *Index) Search(q *Query, within *roaring.Bitmap, offset, limit int, dst []Hit) (hits []Hit, total int) {
	return x.search(q, within, offset, limit, dst, byCost)
}

// Ways to search. All give the same hits.
const (
	byCost    = iota // whichever of the following seems cheapest
	byMerging        // merge the sets of words
	byScoring        // look at the texts of all concepts asked for
	byRarest         // look at the texts of the concepts with the rarest word
)

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
	s := x.text.scratch.Get().(*searchScratch)
	defer x.text.scratch.Put(s)
	f := finder{x: x, v: &x.text, q: q, s: s, skip: offset, want: limit, dst: dst}
	f.resolve()
	if way == byCost {
		way = f.cheapest(count)
	}
	switch way {
	case byScoring:
		f.listWithin(within)
		return f.scoreListed()
	case byRarest:
		f.listRarest(within)
		return f.scoreListed()
	}
	if within != nil {
		f.within = true
		s.setWithin(within, x.All())
	}
	total = f.rank()
	s.release(f.union, f.within)
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

// score scores one concept by looking at its code and texts.
func (x *Index) score(q *Query, o Ord) (best Score, found bool) {
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

// wordRange is the tokens that begin with a word of the query.
type wordRange struct {
	lo, hi uint32
	count  int // descriptions, one with several of the tokens counted as often
	cursor int // where the cursors of these tokens begin
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
}

// resolve finds the words in the dictionary, rarest first, and the codes.
func (f *finder) resolve() {
	f.s.ranges = f.s.ranges[:0]
	f.noText = len(f.q.words) == 0
	for _, w := range f.q.words {
		lo, hi := f.v.words(w)
		if lo == hi {
			f.noText = true
			break
		}
		f.s.ranges = append(f.s.ranges, wordRange{lo: lo, hi: hi, count: f.v.sets.count(lo, hi)})
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

// Costs in nanoseconds, by which a way to search is chosen.
const (
	costOfScoring = 500  // a concept by its texts
	costOfChunk   = 1500 // a pass over a chunk for one word
)

// cheapest chooses the way to search. count is how many concepts are asked for.
func (f *finder) cheapest(count int) int {
	s := f.s
	merging := costOfChunk * (2 + len(s.union)/chunkWords)
	candidates := f.codeTo - f.codeFrom
	if !f.noText {
		for _, r := range s.ranges {
			merging += r.count
			if len(s.ranges) > 1 {
				merging += costOfChunk * len(s.marks) / chunkWords
			}
		}
		tokens := uint32(len(f.v.alone))
		candidates += f.v.sets.count(tokens+s.ranges[0].lo, tokens+s.ranges[0].hi)
	}
	switch {
	case count*costOfScoring <= merging:
		return byScoring
	case candidates*costOfScoring <= merging && (f.noText || len(s.ranges) > 1):
		return byRarest
	}
	return byMerging
}

// listRarest leaves the concepts with the rarest word and those found by code in
// scratch.ids.
func (f *finder) listRarest(within *roaring.Bitmap) {
	s := f.s
	s.ids = append(s.ids[:0], f.v.codes[f.codeFrom:f.codeTo]...)
	if !f.noText {
		tokens := uint32(len(f.v.alone))
		for token := s.ranges[0].lo; token < s.ranges[0].hi; token++ {
			s.ids = f.v.sets.appendTo(s.ids, tokens+token)
		}
	}
	slices.Sort(s.ids)
	s.ids = slices.Compact(s.ids)
	if within != nil {
		s.ids = slices.DeleteFunc(s.ids, func(o uint32) bool { return !within.Contains(o) })
	}
}

// listWithin leaves the concepts asked for in scratch.ids.
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

// scoreListed scores the concepts in scratch.ids.
func (f *finder) scoreListed() ([]Hit, int) {
	few := f.s.few[:0]
	for _, o := range f.s.ids {
		if score, ok := f.x.score(f.q, o); ok {
			few = append(few, Hit{o, score})
		}
	}
	f.s.few = few
	slices.SortFunc(few, compareHits)
	from := min(f.skip, len(few))
	return append(f.dst, few[from:min(from+f.want, len(few))]...), len(few)
}

// compareHits orders hits of one index, best first.
func compareHits(a, b Hit) int {
	return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Concept, b.Concept))
}

// rank searches by merging sets.
func (f *finder) rank() (total int) {
	several := !f.noText && len(f.s.ranges) > 1
	if !several {
		total = f.countConcepts()
	}
	if f.want > 0 {
		f.rankCodes()
	}
	if f.noText {
		return total
	}
	if f.want > 0 {
		f.rankBeginnings()
	}
	if f.want > 0 || several {
		f.rankWords(several)
	}
	if several {
		f.addCodes()
		total = f.s.countUnion(f.within)
	}
	return total
}

// countConcepts counts what a query of one word, or of a code only, finds.
func (f *finder) countConcepts() int {
	tokens := uint32(len(f.v.alone))
	if f.noText {
		if !f.within {
			return f.codeTo - f.codeFrom
		}
	} else {
		r := f.s.ranges[0]
		if !f.within && f.codeFrom == f.codeTo && r.hi == r.lo+1 {
			return f.v.sets.count(tokens+r.lo, tokens+r.hi)
		}
		f.v.sets.addSets(f.s.union, tokens+r.lo, tokens+r.hi)
	}
	f.addCodes()
	f.union = true
	return f.s.countUnion(f.within)
}

// addCodes adds the concepts found by code to those found.
func (f *finder) addCodes() {
	for _, o := range f.v.codes[f.codeFrom:f.codeTo] {
		f.s.union[o>>6] |= 1 << (o & 63)
	}
}

// emit ranks a concept next. It returns false when no more are wanted.
func (f *finder) emit(o Ord, score Score) bool {
	if f.within && !f.s.isWithin(o) {
		return true
	}
	w, bit := &f.s.seen[o>>6], uint64(1)<<(o&63)
	if *w&bit != 0 {
		return true
	}
	*w |= bit
	f.s.ranked = append(f.s.ranked, o)
	if f.skip > 0 {
		f.skip--
		return true
	}
	f.dst = append(f.dst, Hit{o, score})
	f.want--
	return f.want > 0
}

// rankCodes ranks the concepts found by code: the code itself, then by length.
func (f *finder) rankCodes() {
	from := f.codeFrom
	length := utf8.RuneCountInString(f.q.code)
	for ; from < f.codeTo && int(f.v.lengths[from]) == length; from++ {
		if !f.emit(f.v.codes[from], codeScore(true, int(f.v.lengths[from]))) {
			return
		}
	}
	lengths := f.v.lengths[from:f.codeTo]
	for done := uint32(0); ; {
		next := uint32(1<<32 - 1)
		for _, n := range lengths {
			if n > done && n < next {
				next = n
			}
		}
		if next == 1<<32-1 {
			return
		}
		f.s.ids = f.s.ids[:0]
		for i, n := range lengths {
			if n == next {
				f.s.ids = append(f.s.ids, f.v.codes[from+i])
			}
		}
		f.s.sort(f.s.ids)
		for _, o := range f.s.ids {
			if !f.emit(o, codeScore(false, int(next))) {
				return
			}
		}
		done = next
	}
}

// rankBeginnings ranks the texts that are the query, then those that begin with it.
func (f *finder) rankBeginnings() {
	from, alone, to := f.beginnings()
	if f.rankOf(f.v.order[from:alone], scoreText) {
		f.rankOf(f.v.order[alone:to], scoreTextPrefix)
	}
}

// beginnings finds the texts in order that are the query (from, alone) or begin with
// it (alone, to).
func (f *finder) beginnings() (from, alone, to uint32) {
	v, q := f.v, f.q
	if len(q.words) == 1 && q.words[0] == q.normal {
		lo, hi := f.s.ranges[0].lo, f.s.ranges[0].hi
		from, to = v.first[lo], v.first[hi]
		alone = from
		if v.tokens.at(lo) == q.normal {
			alone = v.alone[lo]
		}
		return from, alone, to
	}
	if first, _, more := strings.Cut(q.normal, " "); more {
		// A word that another follows is whole: all texts looked for begin with its token.
		token, ok := v.token(first)
		if !ok {
			return 0, 0, 0
		}
		from, to = v.first[token], v.first[token+1]
	} else {
		to = uint32(len(v.order))
	}
	from = f.searchOrder(from, to, beforeText)
	alone = f.searchOrder(from, to, withinText)
	return from, alone, f.searchOrder(alone, to, withinBeginning)
}

// Bounds of the texts in order that searchOrder finds the end of.
const (
	beforeText      = iota // texts less than the query
	withinText             // or the query itself
	withinBeginning        // or that begin with it
)

// searchOrder bisects the texts in order from lo to hi.
func (f *finder) searchOrder(lo, hi uint32, bound int) uint32 {
	want := f.q.normal
	return lo + uint32(sort.Search(int(hi-lo), func(i int) bool {
		var buf [256]byte
		normal := f.x.normal(buf[:0], f.v.order[lo+uint32(i)])
		switch bound {
		case beforeText:
			return string(normal) >= want
		case withinText:
			return string(normal) > want
		}
		return string(normal[:min(len(normal), len(want))]) > want
	}))
}

// rankOf ranks descriptions given in any order.
func (f *finder) rankOf(descs []uint32, class Score) bool {
	f.s.ids = append(f.s.ids[:0], descs...)
	f.s.sort(f.s.ids)
	for _, desc := range f.s.ids {
		if !f.emit(f.v.owners[desc], class|Score(f.v.key(desc))) {
			return false
		}
	}
	return true
}

// rankWords ranks the descriptions that have all words. If all is set, it goes on
// when no more are wanted, to collect every concept found.
func (f *finder) rankWords(all bool) {
	s, v := f.s, f.v
	f.union = f.union || all
	f.startCursors()
	more := f.want > 0
	for key := uint32(0); key < uint32((len(v.owners)+1<<chunkBits-1)>>chunkBits); key++ {
		if !f.chunk(key) {
			continue
		}
		for i, w := range &s.acc {
			if w == 0 {
				continue
			}
			s.acc[i] = 0
			if !more && !all {
				continue
			}
			for ; w != 0; w &= w - 1 {
				desc := key<<chunkBits | uint32(i<<6|bits.TrailingZeros64(w))
				o := v.owners[desc]
				if all {
					s.union[o>>6] |= 1 << (o & 63)
				}
				if more {
					more = f.emit(o, scoreWords|Score(v.key(desc)))
				}
			}
		}
		if !more && !all {
			return
		}
	}
}

// startCursors points at the first chunk of every token.
func (f *finder) startCursors() {
	f.s.cursors = f.s.cursors[:0]
	for i := range f.s.ranges {
		r := &f.s.ranges[i]
		r.cursor = len(f.s.cursors)
		f.s.cursors = append(f.s.cursors, f.v.sets.first[r.lo:r.hi]...)
	}
}

// chunk leaves the descriptions of one chunk that have all words in scratch.acc. It
// returns false, and leaves scratch.acc zero, if there are none.
func (f *finder) chunk(key uint32) bool {
	s := f.s
	for i := range s.ranges {
		dst := &s.word
		if i == 0 {
			dst = &s.acc
		}
		if !f.addWord(dst, &s.ranges[i], key) {
			if i > 0 {
				clear(s.acc[:])
			}
			return false
		}
		if i == 0 {
			continue
		}
		var any uint64
		for j := range s.acc {
			s.acc[j] &= s.word[j]
			s.word[j] = 0
			any |= s.acc[j]
		}
		if any == 0 {
			return false
		}
	}
	return true
}

// addWord adds the descriptions of one chunk that have one word.
func (f *finder) addWord(dst *chunkMap, r *wordRange, key uint32) (found bool) {
	sets := &f.v.sets
	cursors := f.s.cursors[r.cursor : r.cursor+int(r.hi-r.lo)]
	for i, at := range cursors {
		end := sets.first[r.lo+uint32(i)+1]
		for at < end && chunkKey(sets.chunks[at]) < key {
			at++
		}
		if at < end && chunkKey(sets.chunks[at]) == key {
			sets.addTo(dst, sets.chunks[at])
			at++
			found = true
		}
		cursors[i] = at
	}
	return found
}
