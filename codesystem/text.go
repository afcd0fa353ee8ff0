package codesystem

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

// Section ids of text.
const (
	secTokenOffsets = 48 // []uint32, tokens+1
	secTokens       = 49 // bytes: distinct words of all descriptions, sorted
	secWordFirst    = 50 // []uint32: idSets.first of two sets per token: descriptions with it, then (all tokens again) concepts
	secWordTotals   = 51 // []uint32: idSets.totals
	secWordChunks   = 52 // []uint64: idSets.chunks
	secWordLows     = 53 // []uint16: idSets.lows
	secWordBitmaps  = 54 // []uint64: idSets.words
	secTextOwners   = 55 // []uint32, one per description: its concept
	secTextSources  = 56 // []uint32, one per description: number of the designation, or sourceDisplay
	secTextOrder    = 57 // []uint32: descriptions in the order of their texts
	secTextFirst    = 58 // []uint32, tokens+1: where in that order the texts that begin with a token begin
	secTextAlone    = 59 // []uint32, tokens: where the texts that only consist of this token end
	secTextKeys     = 60 // []uint32, pairs: first description with a key, the key (see textKey)
	secCodeOrder    = 61 // []uint32, n: concepts by folded code
	secCodeLengths  = 62 // []uint32, n, in code order: length in characters, folded
)

// sourceDisplay marks a description that is the display of its concept.
const sourceDisplay = 1<<32 - 1

// textView reads the text sections.
//
// A description is a distinct text of a concept in normal form: its display or a designation.
// Descriptions are numbered best first, by textKey, then by concept. A set of them is thus a
// ranking, and a page of hits is its beginning.
type textView struct {
	tokens  texts
	sets    idSets
	owners  []uint32
	sources []uint32
	order   []uint32
	first   []uint32
	alone   []uint32
	keys    []uint32
	codes   []uint32
	lengths []uint32
	// languages of the descriptions, for queries with a preferred language.
	languages *textLanguages
	// scratch pools *searchScratch for this index.
	scratch *sync.Pool
}

// openText opens the text sections of n concepts, under the contract of opener.
func openText(in opener, n int) (v textView, err error) {
	if n == 0 {
		return v, nil
	}
	for _, s := range []struct {
		id  uint32
		dst *[]uint32
	}{
		{secWordFirst, &v.sets.first},
		{secWordTotals, &v.sets.totals},
		{secTextOwners, &v.owners},
		{secTextSources, &v.sources},
		{secTextOrder, &v.order},
		{secTextFirst, &v.first},
		{secTextAlone, &v.alone},
		{secTextKeys, &v.keys},
		{secCodeOrder, &v.codes},
		{secCodeLengths, &v.lengths},
	} {
		if *s.dst, err = numbersOf[uint32](in.get(s.id)); err != nil {
			return v, fmt.Errorf("section %d: %w", s.id, err)
		}
	}
	if v.sets.chunks, err = numbersOf[uint64](in.get(secWordChunks)); err != nil {
		return v, fmt.Errorf("section %d: %w", secWordChunks, err)
	}
	if v.sets.words, err = numbersOf[uint64](in.get(secWordBitmaps)); err != nil {
		return v, fmt.Errorf("section %d: %w", secWordBitmaps, err)
	}
	if v.sets.lows, err = halves(in.get(secWordLows)); err != nil {
		return v, fmt.Errorf("section %d: %w", secWordLows, err)
	}
	if err := v.fit(in, n); err != nil {
		return v, fmt.Errorf("text: %w", err)
	}
	if !in.trusted {
		if err := v.check(n); err != nil {
			return v, fmt.Errorf("text: %w", err)
		}
	}
	v.prepare(n)
	return v, nil
}

// fit verifies that the lengths of the sections fit each other.
func (v *textView) fit(in opener, n int) (err error) {
	tokens, descs := len(v.alone), len(v.owners)
	if v.tokens, err = in.texts(secTokenOffsets, secTokens, tokens, false); err != nil {
		return err
	}
	if err := in.offsets(v.sets.first, 2*tokens, len(v.sets.chunks)); err != nil {
		return err
	}
	if total := v.sets.totals; len(total) != 2*tokens+1 {
		return fmt.Errorf("%w: %d totals of %d tokens", ErrDamaged, len(total), tokens)
	} else if err := in.offsets(total, 2*tokens, int(total[2*tokens])); err != nil {
		return err
	}
	if len(v.sources) != descs || len(v.order) != descs || len(v.codes) != n || len(v.lengths) != n {
		return fmt.Errorf("%w: counts of descriptions and codes", ErrDamaged)
	}
	if len(v.keys)%2 != 0 || (descs > 0) != (len(v.keys) > 0) || descs > 0 && v.keys[0] != 0 {
		return fmt.Errorf("%w: ranks of descriptions", ErrDamaged)
	}
	return in.offsets(v.first, tokens, descs)
}

// check walks through the sections.
func (v *textView) check(n int) error {
	tokens, descs := uint32(len(v.alone)), len(v.owners)
	if err := v.sets.check(0, tokens, descs); err != nil {
		return err
	}
	if err := v.sets.check(tokens, 2*tokens, n); err != nil {
		return err
	}
	for t, end := range v.alone {
		if end < v.first[t] || end > v.first[t+1] {
			return fmt.Errorf("%w: texts of token %d", ErrDamaged, t)
		}
	}
	for _, list := range [][]uint32{v.owners, v.codes} {
		if err := checkBelow(list, n); err != nil {
			return err
		}
	}
	return checkBelow(v.order, descs)
}

// words returns the range, from lo up to hi, of the tokens that begin with a word.
func (v *textView) words(w string) (lo, hi uint32) {
	n := uint32(len(v.alone))
	lo = uint32(sort.Search(int(n), func(i int) bool { return v.tokens.at(uint32(i)) >= w }))
	// The end is near for all but the shortest words: gallop, then bisect.
	step := uint32(1)
	hi = lo
	for hi < n && strings.HasPrefix(v.tokens.at(hi), w) {
		lo2 := hi + 1
		hi = min(hi+step, n)
		step *= 2
		if hi == n || !strings.HasPrefix(v.tokens.at(hi), w) {
			hi = lo2 + uint32(sort.Search(int(hi-lo2), func(i int) bool { return !strings.HasPrefix(v.tokens.at(lo2+uint32(i)), w) }))
			break
		}
	}
	return lo, hi
}

// token finds the token that equals a word.
func (v *textView) token(w string) (uint32, bool) {
	i, ok := sort.Find(len(v.alone), func(i int) int { return strings.Compare(w, v.tokens.at(uint32(i))) })
	return uint32(i), ok
}

// normal appends the normal form of a description.
func (x *Index) normal(dst []byte, desc uint32) []byte {
	if source := x.text.sources[desc]; uint64(source) < uint64(len(x.designations.kinds)) {
		return appendNormal(dst, x.designationValue(source))
	}
	return appendNormal(dst, x.Display(x.text.owners[desc]))
}
