package valueset

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// Laws of the algebra, up to order: union is idempotent and commutative, a set minus itself is
// empty, the common codes of two sets are what remains after removing the others, is-a and
// is-not-a divide a system.
func TestAlgebraLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt, t)
		members := func(vs *r4.ValueSet) ([]string, bool) {
			set, err := Compile(context.Background(), w, vs, nil)
			if err != nil {
				return nil, false
			}
			return slices.Sorted(slices.Values(codesOf(t, set, PageRequest{Count: -1}))), true
		}
		var sides [2][]string
		for i, url := range []string{"http://vs/x", "http://vs/y"} {
			vs := valueSet(url, drawCompose(rt, len(w.valueSets)))
			var ok bool
			if sides[i], ok = members(vs); !ok {
				return
			}
			w.valueSets = append(w.valueSets, vs)
		}
		x, y := []string{"http://vs/x"}, []string{"http://vs/y"}
		of := func(include, exclude [][]string) []string {
			var c r4.Compose
			for _, v := range include {
				c.Include = append(c.Include, r4.Include{ValueSet: v})
			}
			for _, v := range exclude {
				c.Exclude = append(c.Exclude, r4.Include{ValueSet: v})
			}
			got, ok := members(valueSet("", c))
			if !ok {
				rt.Fatalf("%v less %v does not compile", include, exclude)
			}
			return got
		}
		equal := func(law string, a, b []string) {
			if diff := cmp.Diff(a, b); diff != "" {
				rt.Fatalf("%s:\n%s", law, diff)
			}
		}
		equal("x ∪ x = x", of([][]string{x, x}, nil), sides[0])
		equal("x ∪ y = y ∪ x", of([][]string{x, y}, nil), of([][]string{y, x}, nil))
		equal("x ∖ x = ∅", of([][]string{x}, [][]string{x}), []string(nil))
		equal("x ∩ x = x", of([][]string{append(slices.Clone(x), x...)}, nil), sides[0])
		equal("(x ∖ y) ∪ y = x ∪ y", union(of([][]string{x}, [][]string{y}), sides[1]), union(sides[0], sides[1]))
	})
}

// union joins two sorted lists of names.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func TestIsAAndIsNotAPartASystem(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSystem(rt, t, "http://a", "")
		w := &world{systems: []*system{s}}
		target := rapid.SampledFrom(s.concepts).Draw(rt, "target").code
		is := r4.Include{System: s.url, Filter: []r4.Filter{{Property: "concept", Op: "is-a", Value: target}}}
		not := r4.Include{System: s.url, Filter: []r4.Filter{{Property: "concept", Op: "is-not-a", Value: target}}}
		a, b := compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{is}})), compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{not}}))
		all := compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{is, not}}))
		if a.Len()+b.Len() != s.index.Len() || all.Len() != s.index.Len() {
			rt.Fatalf("%d + %d, together %d, of %d", a.Len(), b.Len(), all.Len(), s.index.Len())
		}
		less := compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{{System: s.url}}, Exclude: []r4.Include{is}}))
		if diff := cmp.Diff(codesOf(t, b, PageRequest{Count: -1}), codesOf(t, less, PageRequest{Count: -1})); diff != "" {
			rt.Fatalf("is-not-a is all less is-a:\n%s", diff)
		}
	})
}
