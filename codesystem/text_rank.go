package codesystem

import (
	"math/bits"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// rank searches by merging sets.
func (f *finder) rank() (total int) {
	several := !f.noText && len(f.s.ranges) > 1
	if !several {
		if total = f.countConcepts(); f.fewOfMany(total) {
			f.listFound()
			return f.scoreListed()
		}
	}
	if f.want > 0 {
		f.rankCodes()
	}
	if f.noText {
		return total
	}
	for all := several; ; all = false {
		if f.want > 0 {
			f.rankBeginnings()
		}
		if f.want > 0 || all {
			f.rankWords(all)
		}
		if !f.nextPass() {
			break
		}
	}
	if several {
		f.addCodes()
		total = f.s.countUnion(f.within)
	}
	return total
}

// fewOfMany reports whether the concepts counted are so few among those with the word that scoring
// them all is cheaper than reading the word's descriptions, best first, until enough of them are
// found.
func (f *finder) fewOfMany(total int) bool {
	if !f.union || f.noText || f.want == 0 {
		return false
	}
	visits := f.s.ranges[0].count
	if wanted := f.skip + f.want; wanted < total {
		visits = int(float64(visits) / float64(total) * float64(wanted))
	}
	return total*costOfScoring < visits*costOfVisit
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

// countConcepts counts the results of a query of one word, or of a code only.
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

// addCodes adds the concepts found by code to the results.
func (f *finder) addCodes() {
	for _, o := range f.v.codes[f.codeFrom:f.codeTo] {
		f.s.union[o>>6] |= 1 << (o & 63)
	}
}

// emit ranks a concept next. It returns false when no more are needed.
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

// rankCodes ranks the concepts found by code: the code itself first, then by length.
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

// rankBeginnings ranks the texts equal to the query, then those that begin with it.
func (f *finder) rankBeginnings() {
	from, alone, to := f.beginnings()
	if f.rankOf(f.v.order[from:alone], scoreText) {
		f.rankOf(f.v.order[alone:to], scoreTextPrefix)
	}
}

// beginnings finds the texts in order that equal the query (from, alone) or begin with it (alone,
// to).
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
		// A word that another word follows is complete: all matching texts begin with its token.
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

// Bounds that searchOrder looks for among the texts in order.
const (
	beforeText      = iota // texts less than the query
	withinText             // or equal to it
	withinBeginning        // or beginning with it
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

// rankOf ranks distinct descriptions given in any order.
func (f *finder) rankOf(descs []uint32, class Score) bool {
	s := f.s
	first := f.best(descs)
	if !f.emitTexts(first, class) {
		return false
	}
	if len(first) == len(descs) {
		return true
	}
	bound := first[len(first)-1]
	rest := s.ids[:0]
	for _, desc := range descs {
		if desc > bound {
			rest = append(rest, desc)
		}
	}
	s.ids = rest
	s.sort(rest)
	return f.emitTexts(rest, class)
}

// emitTexts ranks descriptions in the given order.
func (f *finder) emitTexts(descs []uint32, class Score) bool {
	for _, desc := range descs {
		if f.mask(desc>>6)>>(desc&63)&1 == 0 {
			continue
		}
		if !f.emit(f.v.owners[desc], f.other|class|Score(f.v.key(desc))) {
			return false
		}
	}
	return true
}

// best returns the best of some descriptions, in order: all of them when they are few or many are
// needed, else somewhat more than are needed, as several may belong to one concept.
func (f *finder) best(descs []uint32) []uint32 {
	s := f.s
	limit := 2*(f.skip+f.want) + 16
	if len(descs) <= fewToSort || limit > len(descs)/8 {
		s.ids = append(s.ids[:0], descs...)
		s.sort(s.ids)
		return s.ids
	}
	// It keeps those below a bound, which falls each time there is no more room.
	ids := s.ids[:0]
	bound := uint32(1<<32 - 1)
	for _, desc := range descs {
		if desc > bound {
			continue
		}
		if ids = append(ids, desc); len(ids) == 2*limit {
			slices.Sort(ids)
			ids = ids[:limit]
			bound = ids[limit-1]
		}
	}
	slices.Sort(ids)
	s.ids = ids
	return ids[:min(limit, len(ids))]
}
