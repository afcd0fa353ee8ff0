package codesystem

import (
	"fmt"
	"sync"
)

// targetView reads the concepts that values name. The zero value has none.
//
// An entry is a pair whose value names a concept. Entries are ordered by property and then by the
// concept named. The entries of a subtree are therefore adjacent, and so are their holders.
type targetView struct {
	targets []uint32 // of pairs
	entries []uint32 // first entry of each property, and the end
	ords    []uint32 // of entries: the concept named
	pairs   []uint32 // of entries
	begin   []uint32 // of entries: first holder, and the end
	holders []uint32
	// scratch pools *targetScratch for this index.
	scratch *sync.Pool
}

// openTargets opens the sections of attributes, under the contract of opener. first holds the
// first pair of each property; pairs and n are the numbers of pairs and of concepts.
func openTargets(in opener, first []uint32, pairs, n int) (v targetView, err error) {
	if in.get(secPairTargets) == nil {
		return v, nil
	}
	for _, s := range []struct {
		id  uint32
		dst *[]uint32
	}{
		{secPairTargets, &v.targets},
		{secTargetFirst, &v.entries},
		{secTargetOrds, &v.ords},
		{secTargetPairs, &v.pairs},
		{secTargetStarts, &v.begin},
		{secTargetHolders, &v.holders},
	} {
		if *s.dst, err = numbersOf[uint32](in.get(s.id)); err != nil {
			return v, fmt.Errorf("section %d: %w", s.id, err)
		}
	}
	if len(v.targets) != pairs || len(v.pairs) != len(v.ords) {
		return v, fmt.Errorf("%w: %d targets of %d values, %d pairs of %d entries", ErrDamaged, len(v.targets), pairs, len(v.pairs), len(v.ords))
	}
	if err := in.offsets(v.entries, len(first)-1, len(v.ords)); err != nil {
		return v, err
	}
	if err := in.offsets(v.begin, len(v.ords), len(v.holders)); err != nil {
		return v, err
	}
	if err := in.below(v.holders, n); err != nil {
		return v, err
	}
	if !in.trusted {
		if err := v.check(first, n); err != nil {
			return v, err
		}
	}
	v.scratch = &sync.Pool{New: func() any { return &targetScratch{words: make([]uint64, (n+63)/64)} }}
	return v, nil
}

// check verifies that the named concepts exist, and that the entries of each property belong to it
// and are in order.
func (v *targetView) check(first []uint32, n int) error {
	for pair, o := range v.targets {
		if o != noTarget && uint64(o) >= uint64(n) {
			return fmt.Errorf("%w: value %d names concept %d of %d", ErrDamaged, pair, o, n)
		}
	}
	for prop := range len(first) - 1 {
		last := uint32(0)
		for entry := v.entries[prop]; entry < v.entries[prop+1]; entry++ {
			o, pair := v.ords[entry], v.pairs[entry]
			if o < last || uint64(o) >= uint64(n) || pair < first[prop] || pair >= first[prop+1] {
				return fmt.Errorf("%w: entry %d of property %d", ErrDamaged, entry, prop)
			}
			last = o
		}
	}
	return nil
}
