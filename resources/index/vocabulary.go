package index

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// The vocabulary of a parameter is the tokens, or urls, that versions use or used. Its entries
// belong to no version: they are written with the first one that uses a term (Values.Terms),
// and stay.

// A Term is a code with its system, or a url, that some version uses or used.
type Term struct {
	System, Code string // of a token
	URL          string
	key          []byte // of one that is too long for the vocabulary: its entry without the parameter
}

// Long reports that the term is too long for the vocabulary to tell: it may be any.
func (t *Term) Long() bool { return t.key != nil }

// Terms returns the ranges of the vocabulary of a parameter with codes, or of URIs: its terms
// ordered by code and then system, or by url. A term may come more than once.
func (f Field) Terms() []Range { return f.terms(nil) }

// TermsOf returns the ranges of the terms that begin with a code or url, and Long ones.
func (f Field) TermsOf(beginning string) []Range {
	dst := f.terms([]byte(beginning))
	return ordered(append(dst, f.terms([]byte{0xff})...))
}

func (f Field) terms(beginning []byte) []Range {
	var dst []Range
	for _, p := range f.prefixes {
		from := append(append(append(appendNumberOf(nil, 0), keyTerm), p...), beginning...)
		dst = append(dst, Range{From: from, To: after(from)})
	}
	return dst
}

// News returns the ranges of the entry that every version has which brought something new to
// the vocabulary: the vocabulary has not changed when no later Seq is there.
func (f Field) News() []Range {
	var dst []Range
	for _, p := range f.prefixes {
		from := append(append(appendNumberOf(nil, 0), keyNews), p...)
		dst = append(dst, Range{From: from, To: append(slices.Clone(from), 0)})
	}
	return dst
}

// TermOf reads an entry of Terms. The Term does not share memory with it.
func TermOf(entry []byte) Term {
	if len(entry) < termStart {
		return Term{}
	}
	text := entry[termStart:]
	if len(text) > 0 && text[0] == 0xff {
		return Term{key: slices.Clone(text[1:])}
	}
	if code, system, found := bytes.Cut(text, []byte{0}); found {
		return Term{System: string(system), Code: string(code)}
	}
	return Term{URL: string(text)}
}

// termStart is where the text of a term begins: behind 0, the key and the parameter.
const termStart = 4 + 1 + 4

// Term returns the ranges of the values that are a term.
func (f Field) Term(t *Term) []Range {
	switch {
	case t.Long():
		return one(f.starting(t.key[0], t.key[1:]))
	case t.URL != "":
		return f.URL(t.URL)
	}
	return f.Token(t.System, t.Code)
}

// appendTerm appends the entry of a token or, with code "", of a url.
func appendTerm(dst []byte, parameter uint32, url, system, code string) []byte {
	dst = appendNumberOf(append(appendNumberOf(dst, 0), keyTerm), parameter)
	if code == "" && system == "" {
		if len(url) > termCap || strings.IndexByte(url, 0) >= 0 {
			return appendHash(append(dst, 0xff, keyURL), url)
		}
		return append(dst, url...)
	}
	if len(code)+len(system) > termCap || strings.IndexByte(code, 0) >= 0 {
		return appendPair(append(dst, 0xff, keyToken), code, system)
	}
	return append(append(append(dst, code...), 0), system...)
}

// Vocabulary remembers which entries of the vocabulary a store has for certain, so that they
// are not written again and again. It forgets at times, which does no harm. The zero
// Vocabulary knows of none. It is safe for concurrent use.
type Vocabulary struct {
	mu   sync.RWMutex
	seen map[uint64]struct{}
}

// vocabularyCap bounds what a Vocabulary remembers: some 40 MB.
const vocabularyCap = 1 << 20

// Add remembers terms that were written.
func (v *Vocabulary) Add(terms [][]byte) {
	if len(terms) == 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.seen == nil || len(v.seen) >= vocabularyCap {
		v.seen = make(map[uint64]struct{})
	}
	for _, e := range terms {
		v.seen[hash(e)] = struct{}{}
	}
}

// knows reports that the entry is in the store.
func (v *Vocabulary) knows(entry []byte) bool {
	if v == nil {
		return false
	}
	h := hash(entry)
	v.mu.RLock()
	defer v.mu.RUnlock()
	_, found := v.seen[h]
	return found
}
