package codesystem

import (
	"cmp"
	"context"
	"slices"
)

// Section ids of attributes: properties whose values name concepts of the system. All are absent
// when no value does, except secHeldGroups, which is absent when nothing is grouped.
const (
	secHeldGroups    = 64 // []uint16, one for each number of secHeld
	secPairTargets   = 65 // []uint32, pairs: the concept named, or noTarget
	secTargetFirst   = 66 // []uint32, properties+1: first entry of a property
	secTargetOrds    = 67 // []uint32, entries: concepts named, ascending within a property
	secTargetPairs   = 68 // []uint32, entries: the pair of the entry
	secTargetStarts  = 69 // []uint32, entries+1: first holder of an entry
	secTargetHolders = 70 // []uint32: holders of each entry, ascending; none for an entry with more than manyHolders
)

// noTarget stands for no concept.
const noTarget = 1<<32 - 1

// manyHolders is the maximum number of holders that an entry lists. If there are more, they are in
// the bitmap of their pair.
const manyHolders = 1024

// targetSections resolves the values that name concepts, and orders them by these concepts, so
// that the holders of all values below a concept are adjacent. The arguments are those of the
// property sections: first pair of each property, values of the pairs, pairs of each concept.
func targetSections(ctx context.Context, x *Index, first []uint32, values texts, starts, lists []uint32) ([]section, error) {
	pairs := len(values.off) - 1
	targets := make([]uint32, pairs)
	var order []uint32
	for pair := range uint32(pairs) {
		if pair%pageOfConcepts == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		o, ok := x.namedBy(values.at(pair))
		if !ok {
			targets[pair] = noTarget
			continue
		}
		targets[pair] = o
		order = append(order, pair)
	}
	if len(order) == 0 {
		return nil, nil
	}
	firstEntry := make([]uint32, len(first))
	for prop := range first {
		firstEntry[prop], _ = binarySearch(order, first[prop])
	}
	for prop := range len(first) - 1 {
		slices.SortFunc(order[firstEntry[prop]:firstEntry[prop+1]], func(a, b uint32) int {
			return cmp.Or(cmp.Compare(targets[a], targets[b]), cmp.Compare(a, b))
		})
	}
	begin, holders := holdersInOrder(order, pairs, starts, lists)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return []section{
		{secPairTargets, bytesOf(targets)},
		{secTargetFirst, bytesOf(firstEntry)},
		{secTargetOrds, bytesOf(pick(targets, order))},
		{secTargetPairs, bytesOf(order)},
		{secTargetStarts, bytesOf(begin)},
		{secTargetHolders, bytesOf(holders)},
	}, nil
}

// binarySearch is slices.BinarySearch for numbers.
func binarySearch(list []uint32, want uint32) (at uint32, ok bool) {
	i, ok := slices.BinarySearch(list, want)
	return uint32(i), ok
}

// namedBy returns the concept that an encoded value names.
func (x *Index) namedBy(enc string) (Ord, bool) {
	switch enc[0] {
	case letterCode:
		return x.Find(enc[1:])
	case letterCoding:
		c := decodeValue(enc).Coding
		if c.System == "" || c.System == x.URL() {
			return x.Find(c.Code)
		}
	}
	return 0, false
}

// holdersInOrder lists the holders of pairs, as one slice with offsets, in the order of the pairs.
// It leaves out pairs with more than manyHolders.
func holdersInOrder(order []uint32, pairs int, starts, lists []uint32) (begin, holders []uint32) {
	entryOf := make([]uint32, pairs)
	for i := range entryOf {
		entryOf[i] = noTarget
	}
	for entry, pair := range order {
		entryOf[pair] = uint32(entry)
	}
	seen := make([]uint32, len(order)) // the last concept counted, plus 1
	each := func(visit func(entry, o uint32)) {
		clear(seen)
		for o := range uint32(len(starts) - 1) {
			for _, pair := range lists[starts[o]:starts[o+1]] {
				if entry := entryOf[pair]; entry != noTarget && seen[entry] != o+1 {
					seen[entry] = o + 1
					visit(entry, o)
				}
			}
		}
	}
	counts := make([]uint32, len(order))
	each(func(entry, _ uint32) { counts[entry]++ })
	begin = make([]uint32, len(order)+1)
	for entry, pair := range order {
		if counts[entry] > manyHolders {
			counts[entry], entryOf[pair] = 0, noTarget
		}
		begin[entry+1] = begin[entry] + counts[entry]
	}
	next := slices.Clone(begin)
	holders = make([]uint32, begin[len(order)])
	each(func(entry, o uint32) {
		holders[next[entry]] = o
		next[entry]++
	})
	return begin, holders
}
