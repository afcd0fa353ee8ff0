package codesystem

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// targetScratch is scratch space for one query about attributes.
type targetScratch struct {
	words []uint64   // a bit for each concept; all 0 between queries
	runs  []entryRun // entries that match
	rest  []entryRun
	ords  []uint32
	pairs []uint32
}

// entryRun is the entries from lo up to, but not including, hi.
type entryRun struct{ lo, hi uint32 }

// add appends an entry to the runs.
func (s *targetScratch) add(entry uint32) {
	if last := len(s.runs) - 1; last >= 0 && s.runs[last].hi == entry {
		s.runs[last].hi++
		return
	}
	s.runs = append(s.runs, entryRun{entry, entry + 1})
}

// fill sets the bits of a set of concepts of the index.
func (s *targetScratch) fill(set *roaring.Bitmap) { set.WriteDenseTo(s.words) }

func (s *targetScratch) has(o Ord) bool { return s.words[o/64]>>(o%64)&1 != 0 }

// bounded returns the members of a set below n.
func bounded(set *roaring.Bitmap, n int) *roaring.Bitmap {
	if set.IsEmpty() || uint64(set.Maximum()) < uint64(n) {
		return set
	}
	set = set.Clone()
	set.RemoveRange(uint64(n), 1<<32)
	return set
}

// fewEntries is the number of entries up to which each is looked up in a set.
const fewEntries = 32

// match finds the entries from lo to hi that name a concept in targets, which are
// concepts of the index.
func (v *targetView) match(s *targetScratch, lo, hi uint32, targets *roaring.Bitmap) {
	s.runs = s.runs[:0]
	if lo == hi || targets.IsEmpty() {
		return
	}
	low, high := targets.Minimum(), targets.Maximum()
	at, _ := binarySearch(v.ords[lo:hi], low)
	lo += at
	at, _ = binarySearch(v.ords[lo:hi], high+1)
	end := lo + at
	if lo == end {
		return
	}
	count := targets.GetCardinality()
	switch entries := uint64(end - lo); {
	case count == uint64(high-low)+1:
		s.runs = append(s.runs, entryRun{lo, end})
	case entries <= fewEntries:
		for entry := lo; entry < end; entry++ {
			if targets.Contains(v.ords[entry]) {
				s.add(entry)
			}
		}
	case count < entries/8:
		for it := targets.Iterator(); it.HasNext(); {
			want := it.Next()
			at, _ := binarySearch(v.ords[lo:end], want)
			for lo += at; lo < end && v.ords[lo] == want; lo++ {
				s.add(lo)
			}
		}
	default:
		s.fill(targets)
		for entry := lo; entry < end; entry++ {
			if s.has(v.ords[entry]) {
				s.add(entry)
			}
		}
		clear(s.words)
	}
}

// count returns the number of holders that the runs list. A holder with several pairs counts once
// for each.
func (v *targetView) count(runs []entryRun) (holders int) {
	for _, r := range runs {
		holders += int(v.begin[r.hi] - v.begin[r.lo])
	}
	return holders
}

// large appends the pairs of the runs whose holders are not listed.
func (v *targetView) large(dst []uint32, runs []entryRun) []uint32 {
	for _, r := range runs {
		for entry := r.lo; entry < r.hi; entry++ {
			if v.begin[entry] == v.begin[entry+1] {
				dst = append(dst, v.pairs[entry])
			}
		}
	}
	return dst
}

// listed returns the listed holders of the runs as a set.
func (v *targetView) listed(s *targetScratch, runs []entryRun) *roaring.Bitmap {
	if v.count(runs) < s.sortable() {
		s.ords = s.ords[:0]
		for _, r := range runs {
			s.ords = append(s.ords, v.holders[v.begin[r.lo]:v.begin[r.hi]]...)
		}
		return s.setOf(s.ords)
	}
	for _, r := range runs {
		s.mark(v.holders[v.begin[r.lo]:v.begin[r.hi]])
	}
	return s.marked()
}

// sortable returns the number of concepts up to which sorting them is the faster way to make a
// set. More are marked, which reads all bits.
func (s *targetScratch) sortable() int { return 64 + len(s.words)/32 }

// mark sets the bits of concepts.
func (s *targetScratch) mark(ords []uint32) {
	words := s.words
	for _, o := range ords {
		words[o/64] |= 1 << (o % 64)
	}
}

// marked returns the set of concepts whose bits are set, and clears the bits.
func (s *targetScratch) marked() *roaring.Bitmap {
	set := roaring.FromDense(s.words, true)
	clear(s.words)
	return set
}

// setOf returns the set of concepts given in any order. It may reorder the list.
func (s *targetScratch) setOf(ords []uint32) *roaring.Bitmap {
	if len(ords) >= s.sortable() {
		s.mark(ords)
		return s.marked()
	}
	slices.Sort(ords)
	return roaring.BitmapOf(ords...)
}
