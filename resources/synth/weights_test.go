package synth_test

import (
	"slices"
	"testing"

	"github.com/roget-health/roget/resources/synth"
)

// The documented weights hold: chi-square over 10,000 resources. One seed in 10,000 exceeds a
// limit by chance.
func TestWeights(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		typ, element string
		codes        []string
		weights      []int // in percent
		limit        float64
	}{
		{"DiagnosticReport", "status", []string{"final", "preliminary", "amended", "registered"}, []int{70, 15, 10, 5}, 21.1}, // 3 degrees of freedom
		{"Immunization", "status", []string{"completed", ""}, []int{95, 5}, 15.1},                                             // 1
		{"ServiceRequest", "priority", []string{"routine", ""}, []int{70, 30}, 15.1},                                          // 1
	} {
		for _, seed := range []uint64{0, 1, 42}[:max(1, many(3))] {
			counts := make([]int, len(row.codes))
			each(t, row.typ, synth.Options{Seed: seed}, 10_000, func(_ int, body []byte) {
				codesOf(parse(t, body), row.element, func(code string) {
					n := slices.Index(row.codes, code)
					if n < 0 {
						n = slices.Index(row.codes, "") // all others
					}
					if n < 0 {
						t.Fatalf("%s: %q", row.typ, code)
					}
					counts[n]++
				})
			})
			if x := synth.ChiSquare(counts, row.weights); x > row.limit {
				t.Errorf("%s.%s, seed %d: chi-square %.1f: %v", row.typ, row.element, seed, x, counts)
			}
		}
	}
}
