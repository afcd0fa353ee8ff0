package codesystem

import (
	"math/bits"
	"slices"
	"sort"
	"strings"
)

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
	if q.forms != nil {
		return 0, 0, 0 // no text begins with the query, else it would have been found as written
	}
	if len(q.words) == 1 && q.words[0] == q.normal {
		lo, hi := f.s.ranges[0].spans[0].lo, f.s.ranges[0].spans[0].hi
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
