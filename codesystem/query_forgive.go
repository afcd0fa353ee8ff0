package codesystem

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// How far a query may be from the texts that it finds. A text is only found with more effort if no
// text is found with less.
const (
	asWritten   = iota // words begin with those of the query
	byStem             // or differ from them in their ending only
	nearUnknown        // words of the query that are not known are spelled nearly so
	nearlyUnknown
	nearEvery // any word of the query may be misspelt, as another word
	efforts
)

// mostForgiven bounds the words of a query that is forgiven.
const mostForgiven = 16

// wordForms are the words of texts that a word of a query stands for.
type wordForms struct {
	begins bool     // all that begin with it
	tokens []uint32 // and these, ascending
	texts  []string // the same as texts, ascending
}

// Forgiving returns the query as one that forgives: where it finds nothing as written, Search and
// Matching also find words with another ending, then words with one letter (in words of five or
// more), then with two letters (of nine or more) that are wrong, missing, doubled or swapped. So hits
// and totals of a query that finds something do not change.
func (q *Query) Forgiving() *Query {
	forgiving := *q
	forgiving.forgiving = true
	return &forgiving
}

// Tries yields the queries by which a forgiving query is searched in several places: the first one
// that finds something anywhere counts. It yields only q if it does not forgive.
func (q *Query) Tries() iter.Seq[*Query] {
	return func(yield func(*Query) bool) {
		try := *q
		try.forgiving = false
		for yield(&try) && q.forgiving && try.effort+1 < efforts && len(q.words) > 0 && len(q.words) <= mostForgiven {
			next := try
			next.effort++
			try = next
		}
	}
}

// Among returns a query of Tries for texts that are not in an index, such as those listed in a value
// set. It is nil if it finds none of them that a query before did not find.
func (q *Query) Among(texts iter.Seq[string]) *Query {
	if q.effort == asWritten {
		return q
	}
	var words []string
	for text := range texts {
		words = append(words, strings.Fields(string(appendNormal(nil, text)))...)
	}
	slices.Sort(words)
	list := newArena()
	for _, w := range slices.Compact(words) {
		list.add(w)
	}
	v := textView{tokens: list.texts(), alone: make([]uint32, list.len())}
	return v.loosen(q, []string{"en"})
}

// loosen returns the query for one dictionary, nil if it finds nothing that a query of less effort
// did not find.
func (v *textView) loosen(q *Query, languages []string) *Query {
	loose := *q
	loose.forms = make([]wordForms, len(q.words))
	gained, unknown := false, 0
	for i, w := range q.words {
		f := &loose.forms[i]
		lo, hi := v.words(w)
		f.begins = lo < hi
		f.tokens = v.stemmed(w, languages)
		known := f.begins || len(f.tokens) > 0
		gained = gained || q.effort == byStem && len(f.tokens) > 0
		if !known {
			unknown++
		}
		if q.effort == nearEvery || q.effort > byStem && !known {
			limit := 1
			if q.effort == nearlyUnknown {
				limit = 2
			}
			if !strings.ContainsFunc(w, unicode.IsNumber) {
				near := v.near(w, limit)
				gained = gained || len(near) > 0
				f.tokens = append(f.tokens, near...)
				slices.Sort(f.tokens)
				f.tokens = slices.Compact(f.tokens)
			}
		}
		if !f.begins && len(f.tokens) == 0 {
			return nil
		}
		for _, t := range f.tokens {
			f.texts = append(f.texts, v.tokens.at(t))
		}
	}
	if !gained || q.effort == nearEvery && unknown == len(q.words) {
		return nil
	}
	return &loose
}

// spans returns the ranges of tokens that a form stands for, apart from each other.
func (f *wordForms) spans(dst []span, begins span) []span {
	if f.begins {
		dst = append(dst, begins)
	}
	for _, t := range f.tokens {
		if t < begins.lo || t >= begins.hi {
			dst = append(dst, span{t, t + 1})
		}
	}
	return dst
}

// has reports whether a text in normal form has the word w in one of its forms.
func (f *wordForms) has(normal []byte, w string) bool {
	if f.begins && hasWordPrefix(normal, w) {
		return true
	}
	for word, rest := "", textOf(normal); rest != ""; { // an iterator would make the text escape to the heap
		word, rest, _ = strings.Cut(rest, " ")
		if _, found := slices.BinarySearch(f.texts, word); found {
			return true
		}
	}
	return false
}
