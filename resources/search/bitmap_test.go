package search

import (
	"hash/maphash"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBetween compares ranges of rows, in both directions and to the first few, with all rows one by one.
func TestBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		b := make(bitmap, (n+63)/64)
		for _, row := range rapid.SliceOf(rapid.IntRange(0, n-1)).Draw(t, "rows") {
			b.set(uint32(row))
		}
		from, to, few := rapid.IntRange(0, n).Draw(t, "from"), rapid.IntRange(0, n).Draw(t, "to"), rapid.IntRange(1, 5).Draw(t, "few")
		backward := rapid.Bool().Draw(t, "backward")
		var want, got []uint32
		for row := from; row < to; row++ {
			if b.has(uint32(row)) {
				want = append(want, uint32(row))
			}
		}
		if backward {
			slices.Reverse(want)
		}
		b.between(from, to, backward, func(row uint32) bool {
			got = append(got, row)
			return len(got) < few
		})
		if !slices.Equal(got, want[:min(few, len(want))]) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestLinkPut leads to the row of an id, or to none and keeps the place.
func TestLinkPut(t *testing.T) {
	to := &table{seeds: &[2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	here, gone := to.hash("here"), to.hash("gone")
	if here[0] == here[1] || here == gone {
		t.Errorf("hashes %x and %x", here, gone)
	}
	to.rows = map[[2]uint64]uint32{here: 4}
	l := &link{to: to, rows: []uint32{9, 9}, lost: map[[2]uint64][]uint32{}}
	l.put(0, here)
	l.put(1, gone)
	if !slices.Equal(l.rows, []uint32{5, 0}) || !slices.Equal(l.lost[gone], []uint32{1}) || len(l.lost) != 1 {
		t.Errorf("rows %v, lost %v", l.rows, l.lost)
	}
}
