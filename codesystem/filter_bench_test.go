package codesystem

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/roget-health/roget/codesystem/contexttest"
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

// filtersOf returns the filters that an index supports: each property with its operators, built-in
// ones first, then the declared or used ones, by code. Hierarchical operators are included only if
// the hierarchy supports them.
func filtersOf(x *Index) []r4.CodeSystemFilter {
	var all []r4.CodeSystemFilter
	add := func(property string) {
		target, _, err := x.targetOf(property)
		if err != nil {
			return
		}
		f := r4.CodeSystemFilter{Code: property}
		for _, o := range &operators {
			if target.takes(o.op) && (!o.op.hierarchical() || x.Hierarchical() && (o.op == opChildOf || x.Subsumptive())) {
				f.Operator = append(f.Operator, o.name)
			}
		}
		all = append(all, f)
	}
	for _, name := range filterNames(x) {
		add(name)
	}
	return all
}

// filterNames returns the properties that filters may name.
func filterNames(x *Index) []string {
	names := []string{"concept", "code", "display", "definition", "inactive", "deprecated", "notSelectable", "abstract", "status"}
	if x.Hierarchical() {
		names = append(names, "parent", "child")
		if x.Subsumptive() {
			names = append(names, "ancestor", "descendant")
		}
	}
	builtIn := len(names)
	names = append(names, x.PropertyNames()...)
	for i := range x.Header().Property {
		names = append(names, x.Header().Property[i].Code)
	}
	others := names[builtIn:]
	slices.Sort(others)
	others = slices.Compact(others)
	others = slices.DeleteFunc(others, func(name string) bool { return slices.Contains(names[:builtIn], name) })
	return names[:builtIn+len(others)]
}

// Filters that look at every concept hear of the end of the context on their way.
func TestFilterHearsTheContext(t *testing.T) {
	b := NewBuilder(&r4.CodeSystem{})
	for i := range 3 * pageOfMatches {
		if _, err := b.Add(&Concept{
			Code: string(rune('a' + i)), Display: "d", Definition: "d", Parent: -1,
			Properties: []Property{{Code: "retired", Value: r4.Boolean(true)}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []r4.Filter{
		{Property: "display", Op: "exists", Value: "true"},
		{Property: "definition", Op: "exists", Value: "false"},
		{Property: "display", Op: "=", Value: "d"},
		{Property: "code", Op: "regex", Value: ".*"},
		{Property: "status", Op: "=", Value: "retired"},
	} {
		if _, err := x.Filter(contexttest.After(t.Context(), 2), f); !errors.Is(err, context.Canceled) {
			t.Errorf("%s %s %s: %v, want %v", f.Property, f.Op, f.Value, err, context.Canceled)
		}
		if set, err := x.Filter(t.Context(), f); err != nil || set == nil {
			t.Errorf("%s %s %s: %v", f.Property, f.Op, f.Value, err)
		}
	}
}
