package synth_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/synth"
	"github.com/roget-health/roget/resources/validate"
)

// inOrder checks that the members of a value, at all depths, have the order of the type's
// definition. For a choice, only the order of its element counts.
func inOrder(t *testing.T, v document.Value, typ *definitions.Type) {
	t.Helper()
	last := -1
	for m := range v.Members() {
		e := typ.Element(m.Name())
		if e == nil {
			if m.Name() != "resourceType" {
				t.Errorf("%s has no %s", typ.Name, m.Name())
			}
			continue
		}
		i := slices.Index(typ.Elements, e)
		if i <= last {
			t.Errorf("%s: %s comes after %s", typ.Name, m.Name(), typ.Elements[last].JSON)
		}
		last = i
		if m.Kind() != document.Array {
			inOrder(t, m, e.Type)
		}
		for item := range m.Items() {
			inOrder(t, item, e.Type)
		}
	}
}

// Members have the order of the definitions.
func TestOrder(t *testing.T) {
	t.Parallel()
	defs := definitions.R4()
	for _, typ := range synth.TypeNames() {
		each(t, typ, synth.Options{Seed: 4}, many(300), func(_ int, body []byte) {
			if inOrder(t, parse(t, body), defs.Type(typ)); t.Failed() {
				t.Fatalf("%s", body)
			}
		})
	}
}

// Chosen codes are drawn exclusively, and the resources are valid, even if the codes have no
// display.
func TestChosenCodes(t *testing.T) {
	t.Parallel()
	v := validate.New(definitions.R4())
	for _, typ := range synth.Types() {
		for _, path := range typ.Codes {
			_, element, _ := strings.Cut(path, ".")
			counts := map[string]int{}
			chosen := []synth.Coding{{System: "https://example.org/s", Code: "one", Display: "One \"1\""}, {System: "https://example.org/s", Code: "two"}}
			each(t, typ.Name, synth.Options{Seed: 6, Codes: map[string][]synth.Coding{path: chosen}}, 300, func(n int, body []byte) {
				doc, err := document.Parse(body, r4.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				codesOf(doc.Root(), element, func(code string) { counts[code]++ })
				for _, issue := range v.Validate(doc) {
					if strings.HasPrefix(issue.Text, "dom-6: ") {
						continue // they have no narrative
					}
					t.Errorf("%s %d: %s: %s", path, n, issue.Expression, issue.Text)
				}
			})
			if counts["one"] == 0 || counts["two"] == 0 || len(counts) != 2 {
				t.Errorf("%s: %v", path, counts)
			}
		}
	}
}

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
