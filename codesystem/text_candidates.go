package codesystem

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/RoaringBitmap/roaring/v2"
)

// Likeness is how a word of a text is like a word that is sought.
type Likeness uint8

// Likenesses, the least first.
const (
	Absent    Likeness = iota
	Misspelt           // one letter differs, or two in words of nine or more
	Inflected          // the ending differs
	Beginning          // the word begins with what is sought
	Whole
)

// String returns the likeness in words.
func (l Likeness) String() string {
	return [...]string{"absent", "misspelt", "other ending", "beginning", "whole"}[l]
}

// share returns what a word of this likeness counts.
func (l Likeness) share() float64 { return [...]float64{0, 0.7, 0.9, 0.9, 1}[l] }

// A WordMatch tells where a word of a free text is in the text of a candidate.
type WordMatch struct {
	Word, As string // As is "" if it is absent
	Likeness Likeness
}

// A Candidate is a concept that a free text may mean.
type Candidate struct {
	Concept Ord
	Text    string // of the concept, the one that is most like the free text
	// Score is from 0 to 1: the share of the words that the text has, rare words counting more and
	// inexact ones less; a quarter of that is multiplied with the share of its words that are sought.
	Score float64
	Words []WordMatch // in the order of the free text
}

const (
	mostFreeWords  = 64   // words of a free text that count
	mostCandidates = 1000 // concepts whose texts are read
)

// A soughtWord is a word of a free text.
type soughtWord struct {
	text      string
	weight    float64 // the rarer, the more
	spans     []span
	inflected []string // other words that it may stand for, ascending
	misspelt  []string
}

// Candidates returns at most limit concepts, within a set (nil: all), that a free text may mean, the
// best first. Not every word needs to be found; a concept that has none is no candidate.
func (x *Index) Candidates(text string, within *roaring.Bitmap, limit int) []Candidate {
	words := x.sought(text)
	if len(words) == 0 || x.n == 0 {
		return nil
	}
	var list []Candidate
	for _, o := range x.likely(text, words, within, limit) {
		if c := x.candidate(o, words); c.Score > 0 {
			list = append(list, c)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Score > list[j].Score })
	return list[:min(limit, len(list))]
}

// sought returns the distinct words of a free text, as the dictionary has them.
func (x *Index) sought(text string) (words []soughtWord) {
	v := &x.text
	languages := x.stemLanguages()
	for _, w := range strings.Fields(string(appendNormal(nil, text))) {
		if len(words) == mostFreeWords || slices.ContainsFunc(words, func(s soughtWord) bool { return s.text == w }) {
			continue
		}
		s := soughtWord{text: w}
		f := wordForms{tokens: v.stemmed(w, languages)}
		lo, hi := v.words(w)
		f.begins = lo < hi
		for _, t := range f.tokens {
			s.inflected = append(s.inflected, v.tokens.at(t))
		}
		for limit := 1; limit <= 2 && !f.begins && len(f.tokens) == 0 && !strings.ContainsFunc(w, unicode.IsNumber); limit++ {
			f.tokens = v.near(w, limit)
			for _, t := range f.tokens {
				s.misspelt = append(s.misspelt, v.tokens.at(t))
			}
		}
		s.spans = f.spans(nil, span{lo, hi})
		count, tokens := 1, uint32(len(v.alone))
		for _, p := range s.spans {
			count += v.sets.count(tokens+p.lo, tokens+p.hi)
		}
		s.weight = math.Log1p(float64(x.n) / float64(count))
		words = append(words, s)
	}
	return words
}

// likely returns the concepts, ascending, whose words weigh most, and those that a search finds.
func (x *Index) likely(text string, words []soughtWord, within *roaring.Bitmap, limit int) []Ord {
	likely := roaring.New()
	hits, _ := x.Search(CompileQuery(text).Forgiving(), within, 0, limit, nil)
	for _, h := range hits {
		likely.Add(h.Concept)
	}
	weights := make([]float32, x.n)
	union := make([]uint64, wholeChunks(x.n))
	tokens, most := uint32(len(x.text.alone)), float32(0)
	for i := range words {
		clear(union)
		for _, p := range words[i].spans {
			x.text.sets.addSets(union, tokens+p.lo, tokens+p.hi)
		}
		for at, w := range union {
			for ; w != 0; w &= w - 1 {
				o := at<<6 | bits.TrailingZeros64(w)
				if weights[o] += float32(words[i].weight); weights[o] > most && (within == nil || within.Contains(uint32(o))) {
					most = weights[o]
				}
			}
		}
	}
	// From the heaviest on, an eighth of the most at a time.
	for part := 7; part >= 0 && likely.GetCardinality() < mostCandidates && most > 0; part-- {
		from, to := most*float32(part)/8, most*float32(part+1)/8
		for o, w := range weights {
			if w > from && w <= to && (within == nil || within.Contains(uint32(o))) {
				likely.Add(uint32(o))
				if likely.GetCardinality() >= mostCandidates {
					break
				}
			}
		}
	}
	return likely.ToArray()
}

// candidate compares the texts of a concept with the words.
func (x *Index) candidate(o Ord, words []soughtWord) Candidate {
	best := Candidate{Concept: o}
	total := 0.0
	for i := range words {
		total += words[i].weight
	}
	try := func(text string) {
		have := strings.Fields(string(appendNormal(nil, text)))
		matches := make([]WordMatch, len(words))
		used := make([]bool, len(have))
		covered := 0.0
		for i := range words {
			matches[i].Word = words[i].text
			at := -1
			for j, h := range have {
				if l := words[i].like(h); l > matches[i].Likeness {
					matches[i].Likeness, matches[i].As, at = l, h, j
				}
			}
			if at >= 0 {
				used[at] = true
				covered += words[i].weight * matches[i].Likeness.share()
			}
		}
		n := 0
		for _, is := range used {
			if is {
				n++
			}
		}
		if n == 0 {
			return
		}
		if score := covered / total * (0.75 + 0.25*float64(n)/float64(len(have))); score > best.Score {
			best.Score, best.Text, best.Words = score, text, matches
		}
	}
	try(x.Display(o))
	first, end := x.DesignationRange(o)
	for i := first; i < end; i++ {
		if !x.designations.hidden(i) {
			try(x.designationValue(i))
		}
	}
	return best
}

// like compares a word of a text.
func (s *soughtWord) like(have string) Likeness {
	if have == s.text {
		return Whole
	}
	if strings.HasPrefix(have, s.text) {
		return Beginning
	}
	if _, is := slices.BinarySearch(s.inflected, have); is {
		return Inflected
	}
	if _, is := slices.BinarySearch(s.misspelt, have); is {
		return Misspelt
	}
	return Absent
}

// CandidatesIn returns the candidates of x, a supplement, as concepts of the index that it
// supplements, within a set of these (nil: all).
func (x *Index) CandidatesIn(text string, base *Index, within *roaring.Bitmap, limit int) []Candidate {
	mine := roaring.New()
	x.inBase(x.All(), base, within, func(own, _ Ord) { mine.Add(own) })
	list := x.Candidates(text, mine, limit)
	for i := range list {
		list[i].Concept, _ = base.Find(x.Code(list[i].Concept))
	}
	return list
}
