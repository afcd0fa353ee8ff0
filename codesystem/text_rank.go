package codesystem

import (
	"math/bits"
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
		if f.pass != nativeTexts || f.want == 0 {
			break
		}
		f.pass, f.other = otherTexts, scoreOther
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
	return total*2*costOfScoring < visits*costOfVisit
}

// countConcepts counts the results of a query of one word, or of a code only.
func (f *finder) countConcepts() int {
	if f.noText {
		if !f.within {
			return f.codeTo - f.codeFrom
		}
	} else {
		if t, one := f.s.ranges[0].token(); one && !f.within && f.codeFrom == f.codeTo {
			t += uint32(len(f.v.alone))
			return f.v.sets.count(t, t+1)
		}
		f.addConcepts()
	}
	f.addCodes()
	f.union = true
	return f.s.countUnion(f.within)
}

// addConcepts adds the concepts with the first word to the results.
func (f *finder) addConcepts() {
	tokens := uint32(len(f.v.alone))
	for _, p := range f.s.ranges[0].spans {
		f.v.sets.addSets(f.s.union, tokens+p.lo, tokens+p.hi)
	}
}

// addCodes adds the concepts found by code to the results.
func (f *finder) addCodes() {
	for _, o := range f.v.codes[f.codeFrom:f.codeTo] {
		f.s.union[o>>6] |= 1 << (o & 63)
	}
}

// countUnion counts the concepts found, within those asked for if within is set.
func (s *searchScratch) countUnion(within bool) int {
	n := 0
	if !within {
		for _, w := range s.union {
			n += bits.OnesCount64(w)
		}
		return n
	}
	for i, w := range s.union {
		n += bits.OnesCount64(w & s.within[i])
	}
	return n
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
