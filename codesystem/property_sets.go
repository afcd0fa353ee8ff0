package codesystem

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
)

// Section ids of properties.
const (
	secPropNames   = 32 // JSON: properties by code
	secPropFirst   = 33 // []uint32, properties+1: first pair of a property
	secPairOffsets = 34 // []uint32, pairs+1
	secPairValues  = 35 // bytes: letter of the type and text
	secHeldOffsets = 36 // []uint32, n+1
	secHeld        = 37 // []uint32: pairs of each concept in source order
	secSetCounts   = 38 // []uint32, properties+pairs: number of holders
	secSetRefs     = 39 // []uint32, properties+pairs: the holder, or where the holders begin
	secSetOrds     = 40 // []uint32: holders of small sets
	secSetBitmaps  = 41 // serialised roaring bitmaps of larger sets, each at an 8-byte boundary
)

// smallSet is the maximum size of a set that is stored as a list of Ords.
const smallSet = 64

// holderSets holds the set of holders of each property (the first sets) and of each pair (the
// rest). The reference of a set of one is its member, that of a small set a range of ords, and
// that of a larger set a roaring bitmap that is read in place.
type holderSets struct {
	counts, refs []uint32
	ords         []uint32
	bitmaps      []byte
	n            int
	// sound has a bit for each set whose bitmap was checked, which happens on the first read.
	sound []atomic.Uint32
}

// buildSets inverts the lists of pairs.
func buildSets(ctx context.Context, starts, lists, propOf []uint32, props int) ([]section, error) {
	n := len(starts) - 1
	total := props + len(propOf)
	counts := make([]uint32, total)
	seen := make([]uint32, total) // the last concept counted, plus 1
	each := func(visit func(set, o uint32)) {
		clear(seen)
		for o := range uint32(n) {
			for _, pair := range lists[starts[o]:starts[o+1]] {
				if set := propOf[pair]; seen[set] != o+1 {
					seen[set] = o + 1
					visit(set, o)
				}
				if set := uint32(props) + pair; seen[set] != o+1 {
					seen[set] = o + 1
					visit(set, o)
				}
			}
		}
	}
	each(func(set, _ uint32) { counts[set]++ })
	next := make([]uint32, total+1)
	for i, c := range counts {
		next[i+1] = next[i] + c
	}
	holders := make([]uint32, next[total])
	each(func(set, o uint32) {
		holders[next[set]] = o
		next[set]++
	})
	var ords []uint32
	var bitmaps bytes.Buffer
	refs := make([]uint32, total)
	at := uint32(0)
	for i, c := range counts {
		if i&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		list := holders[at : at+c]
		at += c
		switch {
		case c == 1:
			refs[i] = list[0]
		case c <= smallSet:
			refs[i] = uint32(len(ords))
			ords = append(ords, list...)
		default:
			set := roaring.New()
			set.AddMany(list)
			set.RunOptimize()
			refs[i] = uint32(bitmaps.Len() / alignment)
			if _, err := set.WriteTo(&bitmaps); err != nil {
				return nil, fmt.Errorf("holders of a property: %w", err)
			}
			for bitmaps.Len()%alignment != 0 {
				bitmaps.WriteByte(0)
			}
			if uint64(bitmaps.Len()/alignment) > maxArena {
				return nil, fmt.Errorf("%w: holders of properties", ErrTooLarge)
			}
		}
	}
	return []section{
		{secSetCounts, bytesOf(counts)},
		{secSetRefs, bytesOf(refs)},
		{secSetOrds, bytesOf(ords)},
		{secSetBitmaps, bitmaps.Bytes()},
	}, nil
}

// openSets opens count sets of concepts below n.
func openSets(in opener, count, n int) (h holderSets, err error) {
	h.n = n
	for _, s := range []struct {
		id  uint32
		dst *[]uint32
	}{{secSetCounts, &h.counts}, {secSetRefs, &h.refs}, {secSetOrds, &h.ords}} {
		if *s.dst, err = numbersOf[uint32](in.get(s.id)); err != nil {
			return h, fmt.Errorf("section %d: %w", s.id, err)
		}
	}
	h.bitmaps = in.get(secSetBitmaps)
	h.sound = make([]atomic.Uint32, count/32+1)
	if len(h.counts) != count || len(h.refs) != count {
		return h, fmt.Errorf("%w: %d sets of holders, want %d", ErrDamaged, len(h.counts), count)
	}
	if err := in.below(h.ords, n); err != nil {
		return h, err
	}
	if in.trusted {
		return h, nil
	}
	return h, h.check()
}

// check verifies that every set lies within its section.
func (h *holderSets) check() error {
	for i, c := range h.counts {
		ref := uint64(h.refs[i])
		good := false
		switch {
		case c == 0:
		case c == 1:
			good = ref < uint64(h.n)
		case c <= smallSet:
			good = ref+uint64(c) <= uint64(len(h.ords))
		default:
			good = ref*alignment < uint64(len(h.bitmaps)) && uint64(c) <= uint64(h.n)
		}
		if !good {
			return fmt.Errorf("%w: holders of value %d", ErrDamaged, i)
		}
	}
	return nil
}

// bitmap reads a larger set in place. The caller owns the returned view.
func (h *holderSets) bitmap(set uint32) (*roaring.Bitmap, error) {
	b := roaring.New()
	if _, err := b.FromBuffer(h.bitmaps[uint64(h.refs[set])*alignment:]); err != nil {
		return nil, fmt.Errorf("%w: holders of a property: %w", ErrDamaged, err)
	}
	bit := uint32(1) << (set % 32)
	word := &h.sound[set/32]
	if word.Load()&bit != 0 {
		return b, nil
	}
	if err := b.Validate(); err != nil {
		return nil, fmt.Errorf("%w: holders of a property: %w", ErrDamaged, err)
	}
	if !b.IsEmpty() && uint64(b.Maximum()) >= uint64(h.n) {
		return nil, fmt.Errorf("%w: holders of a property: concept %d of %d", ErrDamaged, b.Maximum(), h.n)
	}
	word.Or(bit)
	return b, nil
}

// union returns the concepts in any of the sets first+numbers[i].
func (h *holderSets) union(ctx context.Context, first uint32, numbers []uint32) (*roaring.Bitmap, error) {
	var small []uint32
	var large []*roaring.Bitmap
	for i, number := range numbers {
		if i&1023 == 1023 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		set := first + number
		switch c := h.counts[set]; {
		case c == 1:
			small = append(small, h.refs[set])
		case c <= smallSet:
			small = append(small, h.ords[h.refs[set]:h.refs[set]+c]...)
		default:
			b, err := h.bitmap(set)
			if err != nil {
				return nil, err
			}
			large = append(large, b)
		}
	}
	if len(small) == 0 && len(large) == 1 {
		return large[0], nil
	}
	if len(small) > 0 {
		large = append(large, bitmapOf(small, h.n))
	}
	return roaring.FastOr(large...), nil
}

// bitmapOf returns the set of Ords below n, given in any order. It may reorder the list.
func bitmapOf(ords []uint32, n int) *roaring.Bitmap {
	b := roaring.New()
	if len(ords) < 1024 || len(ords) < n/64 {
		if !slices.IsSorted(ords) {
			slices.Sort(ords)
		}
		b.AddMany(ords)
		return b
	}
	words := make([]uint64, (n+63)/64)
	for _, o := range ords {
		words[o/64] |= 1 << (o % 64)
	}
	sorted := ords[:0]
	for i, w := range words {
		for ; w != 0; w &= w - 1 {
			sorted = append(sorted, uint32(i*64+bits.TrailingZeros64(w)))
		}
	}
	b.AddMany(sorted)
	return b
}
