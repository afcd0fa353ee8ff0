package search

import (
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
