package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// A code system with a language pack and a supplement that is named answers every filter as one
// code system that has what they add.
func TestSupplementedFilters(t *testing.T) {
	const url, more, set = "http://example.org/birds", "http://example.org/birds-1", "http://example.org/vs/birds"
	entry := func(i int, concepts []c) *engine.Entry {
		h := r4.CodeSystem{Header: r4.Header{URL: url, Language: "en"}}
		if i < 2 {
			h.URL, h.Content, h.Supplements = url+"-"+string('0'+rune(i)), "supplement", url
		}
		if i == 0 {
			h.Extension = json.RawMessage(languagePack)
		}
		return engine.CodeSystemEntry(build(t, h, concepts...), "test")
	}
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(list ...string) string { return rapid.SampledFrom(list).Draw(rt, "pick") }
		word := func() string { return pick("owl", "crow", "rook", "crow rook") }
		var parts [3][]c // those of the supplements, and the code system
		var merged []c
		for _, code := range []string{"a", "b", "c", "d"} {
			whole := c{code: code, display: word()}
			shown := rapid.SampledFrom([]int{0, 2}).Draw(rt, "shown")
			for i := range parts {
				one := c{code: code}
				if i == shown {
					one.display = whole.display
				}
				for range rapid.IntRange(0, 2).Draw(rt, "count") {
					one.properties = append(one.properties, p(pick("x", "y", "z"), r4.String(word())))
					one.designations = append(one.designations, r4.Designation{Language: pick("de", "en"), Value: word()})
				}
				whole.properties = append(whole.properties, one.properties...)
				whole.designations = append(whole.designations, one.designations...)
				parts[i] = append(parts[i], one)
			}
			merged = append(merged, whole)
		}
		f := r4.Filter{Property: pick("display", "x", "y", "z", "constraint"), Op: pick("=", "in", "not-in", "regex", "exists"), Value: pick("crow", "owl,rook", ".*rook")}
		switch {
		case f.Property == "constraint":
			f.Op = "="
			f.Value = pick("*", "(* MINUS b)", "a") + " {{ " + pick(`term = "crow"`, `term != "crow"`, `term = wild:"*ook"`, `term = "ro", language = de`, `language != en`, `term = exact:"owl", type = syn`) + " }}"
		case f.Op == "exists":
			f.Value = pick("true", "false")
		}
		vs := &r4.ValueSet{Header: r4.Header{ResourceType: "ValueSet", URL: set}, Compose: &r4.Compose{Include: []r4.Include{{System: url, Filter: []r4.Filter{f}}}}}
		one, split := engine.New(), engine.New()
		publish(t, one, entry(2, merged), engine.ValueSetEntry(vs, "test"))
		want, err := one.Expand(t.Context(), &engine.ExpandRequest{URL: set})
		named := []string{more}
		if rapid.Bool().Draw(rt, "by extension") {
			vs.Extension, named = json.RawMessage(`[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-supplement","valueCanonical":"`+more+`"}]`), nil
		}
		publish(t, split, entry(2, parts[2]), entry(0, parts[0]), entry(1, parts[1]), engine.ValueSetEntry(vs, "test"))
		_, _ = split.Expand(t.Context(), &engine.ExpandRequest{URL: set}) // which is cached
		got, failed := split.Expand(t.Context(), &engine.ExpandRequest{URL: set, UseSupplements: named})
		if err != nil || failed != nil {
			if err == nil || failed == nil {
				rt.Fatalf("%v: %v, want %v", f, failed, err)
			}
			return
		}
		if codes(got) != codes(want) {
			rt.Fatalf("%v: %q, want %q", f, codes(got), codes(want))
		}
		for i := range merged {
			code := merged[i].code
			v, err := split.ValidateCode(t.Context(), &engine.ValidateCodeRequest{URL: set, System: url, Code: code, UseSupplements: named})
			if err != nil || v.Result != strings.Contains(codes(want), code) {
				rt.Fatalf("%v: %s: %v, %v", f, code, v.Result, err)
			}
		}
		if f.Op == "=" && f.Property != "constraint" {
			r, err := split.FindMatches(t.Context(), &engine.FindMatchesRequest{System: url, Properties: []codesystem.Property{p(f.Property, r4.String(f.Value))}, UseSupplements: []string{more}})
			if err != nil || r.Total != want.Total {
				rt.Fatalf("%v: %v, %v", f, r, err)
			}
		}
	})
}
