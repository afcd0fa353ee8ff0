package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

const (
	birds = "http://example.org/birds"
	pack  = `[{"url":"http://hl7.org/fhir/StructureDefinition/codesystem-supplement-type","valueCode":"lang-pack"}]`
	names = `[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-supplement","valueCanonical":"http://example.org/birds-more"}]`
)

// flock makes an entry from concepts: of the code system, or of a supplement with this id.
func flock(t testing.TB, id, extension string, concepts []c) *engine.Entry {
	header := r4.CodeSystem{Header: r4.Header{ID: "birds" + id, URL: birds + id, Language: "en"}}
	if id != "" {
		header.Content, header.Supplements, header.Extension = "supplement", birds, json.RawMessage(extension)
	}
	return engine.CodeSystemEntry(build(t, header, concepts...), "test")
}

// A code system with a language pack and a supplement that is named answers every filter as one
// code system that has what they add.
func TestSupplementedFilters(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.SampledFrom([]string{"owl", "crow", "rook", "crow rook"})
		var base, added, more, merged []c
		add := func(list *[]c, whole, one *c) {
			for range rapid.IntRange(0, 2).Draw(rt, "properties") {
				one.properties = append(one.properties, p(rapid.SampledFrom([]string{"x", "y", "z"}).Draw(rt, "property"), r4.String(word.Draw(rt, "value"))))
			}
			for range rapid.IntRange(0, 2).Draw(rt, "designations") {
				one.designations = append(one.designations, r4.Designation{Language: rapid.SampledFrom([]string{"de", "en"}).Draw(rt, "language"), Value: word.Draw(rt, "term")})
			}
			whole.properties = append(whole.properties, one.properties...)
			whole.designations = append(whole.designations, one.designations...)
			*list = append(*list, *one)
		}
		for _, code := range []string{"a", "b", "c", "d"} {
			whole := c{code: code, display: word.Draw(rt, "display")}
			own, other := c{code: code}, c{code: code}
			if rapid.Bool().Draw(rt, "displayed") {
				own.display = whole.display
			} else {
				other.display = whole.display
			}
			add(&base, &whole, &own)
			add(&added, &whole, &other)
			add(&more, &whole, &c{code: code})
			merged = append(merged, whole)
		}
		split, one := engine.New(), engine.New()
		publish(t, split, flock(t, "", "", base), flock(t, "-pack", pack, added), flock(t, "-more", "[]", more))
		publish(t, one, flock(t, "", "", merged))
		f := r4.Filter{
			Property: rapid.SampledFrom([]string{"display", "x", "y", "z", "constraint"}).Draw(rt, "of"),
			Op:       rapid.SampledFrom([]string{"=", "in", "not-in", "regex", "exists"}).Draw(rt, "op"),
		}
		switch {
		case f.Property == "constraint":
			f.Op = "="
			f.Value = rapid.SampledFrom([]string{"*", "(* MINUS b)", "a"}).Draw(rt, "focus") + " {{ " + rapid.SampledFrom([]string{
				`term = "crow"`, `term != "crow"`, `term = wild:"*ook"`, `term = "ro", language = de`, `language != en`, `term = ("owl" "rook"), type = syn`, `term = exact:"owl"`,
			}).Draw(rt, "test") + " }}"
		case f.Op == "exists":
			f.Value = rapid.SampledFrom([]string{"true", "false"}).Draw(rt, "yes")
		default:
			f.Value = rapid.SampledFrom([]string{"crow", "owl,rook", ".*rook"}).Draw(rt, "sought")
		}
		vs := &r4.ValueSet{Header: r4.Header{ResourceType: "ValueSet", URL: birds + "/vs", Status: "active"}, Compose: &r4.Compose{Include: []r4.Include{{System: birds, Filter: []r4.Filter{f}}}}}
		named := *vs
		useSupplements := []string{birds + "-more"}
		if rapid.Bool().Draw(rt, "by extension") {
			named.Extension, useSupplements = json.RawMessage(names), nil
		}
		want, err := one.Expand(ctx, &engine.ExpandRequest{ValueSet: vs})
		publish(t, split, engine.ValueSetEntry(&named, "test"))
		_, _ = split.Expand(ctx, &engine.ExpandRequest{URL: vs.URL}) // which is cached
		got, failed := split.Expand(ctx, &engine.ExpandRequest{URL: vs.URL, UseSupplements: useSupplements})
		if (err == nil) != (failed == nil) {
			rt.Fatalf("%v: %v, want %v", f, failed, err)
		} else if err != nil {
			return
		}
		if codes(got) != codes(want) {
			rt.Fatalf("%v: %q, want %q", f, codes(got), codes(want))
		}
		for _, code := range []string{"a", "b", "c", "d"} {
			v, err := split.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: vs.URL, System: birds, Code: code, UseSupplements: useSupplements})
			if err != nil || v.Result != strings.Contains(codes(want), code) {
				rt.Fatalf("%v: %s: %v, %v", f, code, v.Result, err)
			}
		}
		if f.Op == "=" && f.Property != "constraint" {
			r, err := split.FindMatches(ctx, &engine.FindMatchesRequest{System: birds, Properties: []codesystem.Property{p(f.Property, r4.String(f.Value))}, UseSupplements: []string{birds + "-more"}})
			if err != nil || r.Total != want.Total {
				rt.Fatalf("%v: %v, %v", f, r, err)
			}
		}
	})
}
