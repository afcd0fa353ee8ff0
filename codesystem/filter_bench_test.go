package codesystem

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/roget-health/roget/resources/r4"
)

// BenchmarkFilter evaluates filters of a request: roots of some size, and property
// values that concepts have.
func BenchmarkFilter(b *testing.B) {
	x := benchIndex(b, 350_000)
	rnd := rand.New(rand.NewPCG(8, 9))
	var roots []string
	for len(roots) < 64 {
		if o := uint32(rnd.IntN(x.Len())); x.Descendants(o).GetCardinality() >= 500 {
			roots = append(roots, x.Code(o))
		}
	}
	values := map[string][]r4.Filter{}
	for len(values["property"]) < 64 {
		for p := range x.Properties(uint32(rnd.IntN(x.Len()))) {
			if p.Value.Type == "Code" {
				values["property"] = append(values["property"], r4.Filter{Property: p.Code, Op: "=", Value: p.Value.Text})
			}
		}
	}
	for _, op := range []string{"is-a", "descendent-of", "is-not-a", "generalizes", "child-of", "descendent-leaf"} {
		for _, code := range roots {
			values[op] = append(values[op], r4.Filter{Property: "concept", Op: op, Value: code})
		}
	}
	values["regex"] = []r4.Filter{{Property: "code", Op: "regex", Value: "1.*77"}}
	values["regex-property"] = []r4.Filter{{Property: values["property"][0].Property, Op: "regex", Value: "1.*"}}
	for name, filters := range values {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				if _, err := x.Filter(context.Background(), filters[i%len(filters)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("match", func(b *testing.B) {
		b.ReportAllocs()
		filters := values["property"]
		for i := range b.N {
			if _, err := x.MatchFilter(context.Background(), filters[i%len(filters)], uint32(i%x.Len())); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkFilterCodings finds the concept of one of 100,000 Codings, by its code, and in
// LOINC by its display.
func BenchmarkFilterCodings(b *testing.B) {
	for _, c := range []struct{ name, url, value string }{
		{"code", "http://example.org/codings", "LP77777-1"},
		{"LOINC code", urlLOINC, "LP77777-1"},
		{"LOINC display", urlLOINC, "Part 77777"},
	} {
		b.Run(c.name, func(b *testing.B) {
			builder := NewBuilder(header(c.url))
			for i := range 100_000 {
				part := &r4.Coding{System: c.url, Code: fmt.Sprintf("LP%d-1", i), Display: fmt.Sprint("Part ", i)}
				concept := Concept{Code: fmt.Sprint(i), Parent: -1, Properties: []Property{{Code: "COMPONENT", Value: r4.Value{Type: "Coding", Coding: part}}}}
				if _, err := builder.Add(&concept); err != nil {
					b.Fatal(err)
				}
			}
			x, err := builder.Build(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				set, err := x.Filter(context.Background(), r4.Filter{Property: "COMPONENT", Op: "=", Value: c.value})
				if err != nil || set.GetCardinality() != 1 {
					b.Fatal(set, err)
				}
			}
		})
	}
}
