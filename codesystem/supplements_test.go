package codesystem

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// split moves some texts and properties of concepts into supplements, which also say something about a
// code that is not there.
func split(t *rapid.T, concepts []Concept, movable []string) (base []Concept, supplements [][]Concept) {
	supplements = make([][]Concept, rapid.IntRange(0, 2).Draw(t, "supplements"))
	for i := range supplements {
		supplements[i] = []Concept{{Code: "elsewhere", Display: "a", Parent: -1, Properties: []Property{{Code: "p", Value: r4.Code("a")}}}}
	}
	for _, c := range concepts {
		own := c
		own.Properties, own.Designations, own.Details = nil, nil, nil
		parts := make([]Concept, len(supplements))
		part := func() *Concept {
			if i := rapid.IntRange(0, 2*len(parts)).Draw(t, "to") - 1; i >= 0 {
				return &parts[i%len(parts)]
			}
			return &own
		}
		own.Display = ""
		part().Display = c.Display
		for _, p := range c.Properties {
			to := &own
			if slices.Contains(movable, p.Code) {
				to = part()
			}
			to.Properties = append(to.Properties, p)
		}
		for i, d := range c.Designations {
			to := part()
			to.Designations = append(to.Designations, d)
			if c.Details != nil {
				to.Details = append(to.Details, c.Details[i])
			}
		}
		base = append(base, own)
		for i, p := range parts {
			if p.Display != "" || p.Properties != nil || p.Designations != nil {
				p.Code, p.Parent, p.Definition = c.Code, -1, "x"
				supplements[i] = append(supplements[i], p)
			}
		}
	}
	return base, supplements
}

// A filter with supplements is one on a system that says all itself.
func TestFilterWithSupplements(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := filtered().Draw(rt, "system")
		concepts, others := split(rt, r.concepts, []string{"n", "p", "q", "d"})
		base := *r
		base.concepts = concepts
		x := base.index(rt)
		var supplements []*Index
		for _, list := range others {
			s := reference{concepts: list, sensitive: r.sensitive, meaning: r.meaning}
			supplements = append(supplements, s.index(rt))
		}
		for range 20 {
			f := r.filter().Draw(rt, "filter")
			if f.Property == "p" && !r.used("p") && len(others) > 0 {
				continue // only the code that is not there has it
			}
			c, err := x.CompileFilter(f, supplements...)
			if want := r.wants(f); !errors.Is(err, want) || want == nil && err != nil {
				rt.Fatalf("%v: %v, want %v", f, err, want)
			}
			if err != nil {
				continue
			}
			set, err := c.Set(context.Background())
			if err != nil {
				rt.Fatal(err)
			}
			for i := range r.concepts {
				o, _ := x.Find(r.concepts[i].Code)
				if want := r.matches(i, f); set.Contains(o) != want || c.Contains(o) != want {
					rt.Fatalf("%v of %s: as a set %v, alone %v, want %v", f, x.Code(o), set.Contains(o), c.Contains(o), want)
				}
			}
		}
	})
}

// A search with supplements is one in a system that has all texts itself.
func TestSearchWithSupplements(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		concepts := searchConcepts().Draw(rt, "system")
		base, others := split(rt, concepts, nil)
		language := rapid.SampledFrom(searchLanguages).Draw(rt, "system language")
		x := flatIn(t, language, base)
		var supplements []*Index
		for _, list := range others {
			supplements = append(supplements, flatIn(t, language, list))
		}
		for range 8 {
			text := searchTexts().Draw(rt, "query")
			prefers := rapid.SampledFrom([]string{"", "de"}).Draw(rt, "prefers")
			var within *roaring.Bitmap
			if rapid.Bool().Draw(rt, "limited") {
				within = roaring.And(x.All(), roaring.BitmapOf(rapid.SliceOf(rapid.Uint32Range(0, uint32(len(concepts)+1))).Draw(rt, "within")...))
			}
			offset, limit := rapid.IntRange(0, 6).Draw(rt, "offset"), rapid.IntRange(0, 12).Draw(rt, "limit")
			q := CompileQuery(text).In(prefers)
			want, total := naiveSearch(x, concepts, text, prefers, within, offset, limit)
			got, n := x.SearchWith(supplements, q, within, offset, limit, nil)
			if n != total || !slices.Equal(got, want) {
				rt.Fatalf("%q: %v of %d, want %v of %d", text, got, n, want, total)
			}
			if set := x.MatchingWith(supplements, q, within); strings.TrimSpace(text) != "" && int(set.GetCardinality()) != total {
				rt.Fatalf("%q: matches %v, want %d", text, set, total)
			}
		}
	})
}
