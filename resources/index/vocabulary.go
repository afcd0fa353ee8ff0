package index

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// The vocabulary of a parameter consists of the tokens or URLs that versions use or have used. Its
// entries belong to no version: they are written with the first version that uses a term
// (Values.Terms), and stay.

// A Term is a code with its system, or a URL, that some version uses or has used.
type Term struct {
	System, Code string // of a token
	URL          string
	key          []byte // for a term that is too long for the vocabulary: its entry without the parameter
}

// Long reports whether the term is too long for the vocabulary, so that only its hash is known.
func (t *Term) Long() bool { return t.key != nil }

// Terms returns the ranges of the vocabulary of a token or URI parameter, ordered by code and then
// system, or by URL. A term may be repeated.
func (f Field) Terms() []Range { return f.terms(nil) }

// TermsOf returns the ranges of the terms that begin with a code or URL, and of Long terms.
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

// News returns the ranges of the entry of every version that brought a new term. The vocabulary has
// not changed since the latest Seq in them.
func (f Field) News() []Range {
	var dst []Range
	for _, p := range f.prefixes {
		from := append(append(appendNumberOf(nil, 0), keyNews), p...)
		dst = append(dst, Range{From: from, To: append(slices.Clone(from), 0)})
	}
	return dst
}

// TermOf decodes an entry of Terms. The Term does not share memory with it.
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

// termStart is where the text of a term begins: after 0, the key and the parameter.
const termStart = 4 + 1 + 4

// Term returns the ranges of the values that are equal to a term.
func (f Field) Term(t *Term) []Range {
	switch {
	case t.Long():
		return one(f.starting(t.key[0], t.key[1:]))
	case t.URL != "":
		return f.URL(t.URL)
	}
	return f.Token(t.System, t.Code)
}

// appendTerm appends the entry of a token or, with code and system "", of a URL.
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

// A Vocabulary caches which vocabulary entries a store certainly has, so that they are not written
// again. It may forget entries, which does no harm. The zero Vocabulary is empty. It is safe for
// concurrent use.
type Vocabulary struct {
	mu   sync.RWMutex
	seen map[uint64]struct{}
}

// maxVocabulary bounds a Vocabulary, to about 40 MB.
const maxVocabulary = 1 << 20

// Add records terms that were written.
func (v *Vocabulary) Add(terms [][]byte) {
	if len(terms) == 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.seen == nil || len(v.seen) >= maxVocabulary {
		v.seen = make(map[uint64]struct{})
	}
	for _, e := range terms {
		v.seen[hash(e)] = struct{}{}
	}
}

// knows reports whether an entry is known to be in the store.
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
