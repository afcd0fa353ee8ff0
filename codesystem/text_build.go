package codesystem

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
)

// textBuilder collects the descriptions of an index, in the order of the concepts.
type textBuilder struct {
	x      *Index
	tokens pairTable // numbered as they occur; rankTokens sorts them

	owners  []uint32
	sources []uint32
	keys    []uint32
	starts  []uint32 // tokens of description i lie from starts[i] to starts[i+1]
	words   []uint32

	normal []byte
}

// pageOfConcepts is how many concepts are processed before the context is checked again.
const pageOfConcepts = 4096

// buildText lays out the text sections (ids 48 to 63) from an index that has everything else:
// codes, displays, designations, hierarchy, flags, properties.
func buildText(ctx context.Context, x *Index) ([]section, error) {
	if x.Len() == 0 {
		return nil, nil
	}
	b := &textBuilder{x: x, tokens: newPairTable(), starts: []uint32{0}}
	for o := range uint32(x.Len()) {
		if o%pageOfConcepts == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := b.addConcept(o); err != nil {
			return nil, err
		}
	}
	tokens := b.rankTokens()
	ranked, keys := b.rankTexts() // ranked[i] is the description that gets number i
	var codes, order, sets []section
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		order = b.orderTexts(ranked)
		codes, err = orderCodes(ctx, x)
		return err
	})
	group.Go(func() (err error) {
		sets, err = b.invert(ctx, ranked)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat([]section{
		{secTokenOffsets, bytesOf(tokens.off)},
		{secTokens, tokens.data},
		{secTextOwners, bytesOf(pick(b.owners, ranked))},
		{secTextSources, bytesOf(pick(b.sources, ranked))},
		{secTextKeys, bytesOf(keys)},
	}, sets, order, codes), nil
}

// pick returns values[order[i]] for every i.
func pick(values, order []uint32) []uint32 {
	picked := make([]uint32, len(order))
	for i, at := range order {
		picked[i] = values[at]
	}
	return picked
}

func (b *textBuilder) addConcept(o Ord) error {
	mine := len(b.owners)
	if err := b.addText(o, mine, sourceDisplay, b.x.Display(o)); err != nil {
		return err
	}
	first, end := b.x.DesignationRange(o)
	for i := first; i < end; i++ {
		if b.x.designations.hidden(i) {
			continue
		}
		if err := b.addText(o, mine, i, b.x.designationValue(i)); err != nil {
			return err
		}
	}
	return nil
}

// sameAsLast is how many descriptions of a concept are compared with a new one. A text that is
// stored twice only costs space.
const sameAsLast = 32

// addText adds a description, unless it has no words or the concept, whose descriptions begin at
// mine, already has the same words in the same language.
func (b *textBuilder) addText(o Ord, mine int, source uint32, text string) error {
	b.normal = appendNormal(b.normal[:0], text)
	if len(b.normal) == 0 {
		return nil
	}
	if len(b.owners) >= maxConcepts || len(b.words)+len(b.normal) > math.MaxInt32 {
		return fmt.Errorf("%w: %d descriptions of %d words", ErrTooLarge, len(b.owners), len(b.words))
	}
	start := len(b.words)
	for rest := b.normal; len(rest) > 0; {
		word, after, _ := bytes.Cut(rest, []byte{' '})
		rest = after
		token, err := b.tokens.intern(0, word)
		if err != nil {
			return err
		}
		b.words = append(b.words, token)
	}
	words := b.words[start:]
	key := textKey(utf8.RuneCount(b.normal), b.x.isPreferred(source))
	for i := max(mine, len(b.owners)-sameAsLast); i < len(b.owners); i++ {
		if slices.Equal(words, b.words[b.starts[i]:b.starts[i+1]]) && b.standsFor(i, source, key) {
			b.words = b.words[:start]
			return nil
		}
	}
	b.starts = append(b.starts, uint32(len(b.words)))
	b.owners = append(b.owners, o)
	b.sources = append(b.sources, source)
	b.keys = append(b.keys, key)
	return nil
}

// standsFor lets a description stand for another text of its concept with the same words and the
// given key, if no query ranks that text better.
func (b *textBuilder) standsFor(desc int, source, key uint32) bool {
	mine, others := b.x.languageOf(b.sources[desc]), b.x.languageOf(source)
	if mine == others {
		b.keys[desc] = min(b.keys[desc], key)
		return true
	}
	return mine == "" && b.keys[desc] <= key
}

// of returns the tokens of a description.
func (b *textBuilder) of(desc uint32) []uint32 { return b.words[b.starts[desc]:b.starts[desc+1]] }

// rankTokens numbers the tokens in the order of their bytes.
func (b *textBuilder) rankTokens() arena {
	order := make([]uint32, b.tokens.len())
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return bytes.Compare(b.tokens.value(x), b.tokens.value(y)) })
	rank := make([]uint32, len(order))
	sorted := newArena()
	for i, token := range order {
		rank[token] = uint32(i)
		sorted.add(textOf(b.tokens.value(token)))
	}
	for i, token := range b.words {
		b.words[i] = rank[token]
	}
	b.tokens = pairTable{}
	return sorted
}

// rankTexts numbers the descriptions best first: by key, then in the order of concepts. keys are
// the pairs of section secTextKeys.
func (b *textBuilder) rankTexts() (ranked, keys []uint32) {
	next := map[uint32]uint32{}
	for _, key := range b.keys {
		next[key]++
	}
	distinct := make([]uint32, 0, len(next))
	for key := range next {
		distinct = append(distinct, key)
	}
	slices.Sort(distinct)
	at := uint32(0)
	for _, key := range distinct {
		keys = append(keys, at, key)
		at, next[key] = at+next[key], at
	}
	ranked = make([]uint32, len(b.keys))
	for desc, key := range b.keys {
		ranked[next[key]] = uint32(desc)
		next[key]++
	}
	return ranked, keys
}

// prefixed is a text of tokens or bytes, with its beginning copied for fast comparison.
type prefixed struct {
	prefix uint64
	at     uint32
}

// orderTexts sorts the descriptions by their words.
func (b *textBuilder) orderTexts(ranked []uint32) []section {
	tokens := 0
	list := make([]prefixed, len(ranked))
	for i, desc := range ranked {
		words := b.of(desc)
		// The second word counts from 1, so that a text of one word sorts first.
		prefix := uint64(words[0]) << 32
		if len(words) > 1 {
			prefix |= uint64(words[1]) + 1
		}
		list[i] = prefixed{prefix: prefix, at: uint32(i)}
		tokens = max(tokens, int(slices.Max(words))+1)
	}
	slices.SortFunc(list, func(x, y prefixed) int {
		if x.prefix != y.prefix {
			return cmp.Compare(x.prefix, y.prefix)
		}
		return cmp.Or(slices.Compare(b.of(ranked[x.at]), b.of(ranked[y.at])), cmp.Compare(x.at, y.at))
	})
	order := make([]uint32, len(list))
	first := make([]uint32, tokens+1)
	alone := make([]uint32, tokens)
	for i, p := range list {
		order[i] = p.at
		words := b.of(ranked[p.at])
		first[words[0]+1]++
		if len(words) == 1 {
			alone[words[0]]++
		}
	}
	for t := range alone {
		first[t+1] += first[t]
		alone[t] += first[t]
	}
	return []section{{secTextOrder, bytesOf(order)}, {secTextFirst, bytesOf(first)}, {secTextAlone, bytesOf(alone)}}
}

// invert builds the sets of descriptions and of concepts of each token.
func (b *textBuilder) invert(ctx context.Context, ranked []uint32) ([]section, error) {
	tokens := 0
	for _, token := range b.words {
		tokens = max(tokens, int(token)+1)
	}
	var sets idSetsBuilder
	sets.first, sets.totals = []uint32{0}, []uint32{0}
	add := func(each func(visit func(token, number uint32))) error {
		counts := make([]uint32, tokens)
		each(func(token, _ uint32) { counts[token]++ })
		at := uint32(0)
		for t, c := range counts {
			counts[t] = at
			at += c
		}
		numbers := make([]uint32, at)
		each(func(token, number uint32) {
			numbers[counts[token]] = number
			counts[token]++
		})
		at = 0
		for _, end := range counts {
			sets.add(numbers[at:end])
			at = end
		}
		return ctx.Err()
	}
	seen := make([]uint32, tokens) // the last number counted for a token, plus 1
	err := add(func(visit func(token, number uint32)) {
		clear(seen)
		for i, desc := range ranked {
			for _, token := range b.of(desc) {
				if seen[token] != uint32(i)+1 {
					seen[token] = uint32(i) + 1
					visit(token, uint32(i))
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	err = add(func(visit func(token, number uint32)) {
		clear(seen)
		for desc, o := range b.owners {
			for _, token := range b.of(uint32(desc)) {
				if seen[token] != o+1 {
					seen[token] = o + 1
					visit(token, o)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return []section{
		{secWordFirst, bytesOf(sets.first)},
		{secWordTotals, bytesOf(sets.totals)},
		{secWordChunks, bytesOf(sets.chunks)},
		{secWordLows, bytesOfHalves(sets.lows)},
		{secWordBitmaps, bytesOf(sets.words)},
	}, nil
}

// orderCodes sorts the concepts by their folded codes. These may be longer than the codes: a
// character may decompose into 18.
func orderCodes(ctx context.Context, x *Index) ([]section, error) {
	folded := arena{off: make([]uint32, 1, x.Len()+1)}
	list := make([]prefixed, x.Len())
	var buf []byte
	for o := range list {
		if o%pageOfConcepts == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		buf = appendFoldedText(buf[:0], x.Code(uint32(o)))
		if !folded.fits(len(buf)) {
			return nil, fmt.Errorf("%w: folded codes", ErrTooLarge)
		}
		folded.add(textOf(buf))
		var head [8]byte
		copy(head[:], buf)
		list[o] = prefixed{prefix: binary.BigEndian.Uint64(head[:]), at: uint32(o)}
	}
	slices.SortFunc(list, func(a, b prefixed) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return cmp.Or(cmp.Compare(folded.at(a.at), folded.at(b.at)), cmp.Compare(a.at, b.at))
	})
	order := make([]uint32, len(list))
	lengths := make([]uint32, len(list))
	for i, p := range list {
		order[i] = p.at
		lengths[i] = uint32(utf8.RuneCountInString(folded.at(p.at)))
	}
	return []section{{secCodeOrder, bytesOf(order)}, {secCodeLengths, bytesOf(lengths)}}, nil
}
