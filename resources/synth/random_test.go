package synth

import "testing"

// The stream is SplitMix64: it produces the published numbers for the state 1234567.
func TestStream(t *testing.T) {
	s := stream{1234567}
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := s.next(); got != want {
			t.Errorf("number %d is %d, not %d", i, got, want)
		}
	}
}

// Draws are uniform: chi-square over 100,000 draws with 9 degrees of freedom (1 in 10,000 seeds
// exceeds 33.7; the seed is fixed).
func TestFair(t *testing.T) {
	s := newStream(42)
	var counts [10]int
	for range 100_000 {
		counts[s.below(10)]++
	}
	if x := chiSquare(counts[:], []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}); x > 33.7 {
		t.Errorf("chi-square %.1f: %v", x, counts)
	}
	weights := []int{70, 15, 10, 5, 0}
	counts = [10]int{}
	for range 100_000 {
		counts[s.weighted(weights)]++
	}
	if x := chiSquare(counts[:4], weights[:4]); x > 21.1 || counts[4] != 0 {
		t.Errorf("weights: chi-square %.1f: %v", x, counts)
	}
}

// chiSquare compares counts with weights.
func chiSquare(counts, weights []int) float64 {
	all, sum := 0, 0
	for i := range counts {
		all += counts[i]
		sum += weights[i]
	}
	x := 0.0
	for i, n := range counts {
		want := float64(all) * float64(weights[i]) / float64(sum)
		x += (float64(n) - want) * (float64(n) - want) / want
	}
	return x
}

// Streams differ if any of their numbers differs.
func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64][2]uint64{}
	for a := range uint64(200) {
		for b := range uint64(200) {
			s := newStream(a, b)
			x := s.next()
			if other, ok := seen[x]; ok {
				t.Fatalf("streams (%d %d) and %v begin alike", a, b, other)
			}
			seen[x] = [2]uint64{a, b}
		}
	}
}
