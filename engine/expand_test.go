package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

func TestExpand(t *testing.T) {
	e := zoo(t)
	publish(t, e, engine.CodeSystemEntry(animalSystem(t, "0.9.0"), "test"),
		valueSet(`{"id":"both","url":"http://example.org/vs/both","compose":{"include":[
			{"system":"http://example.org/animals","version":"0.9.0","concept":[{"code":"cat"}]},{"system":"http://example.org/animals","version":"1.x","concept":[{"code":"cat"}]}]}}`),
		valueSet(`{"id":"imports","url":"http://example.org/vs/imports","compose":{"include":[{"valueSet":["http://example.org/vs/pets|7","http://example.org/vs/mixed"]}]}}`),
		valueSet(`{"id":"listed","url":"http://example.org/vs/listed","compose":{"include":[{"system":"http://example.org/missing","concept":[{"code":"x","display":"X"},{"code":"y"}]}]}}`),
		valueSet(`{"id":"old","url":"http://example.org/vs/old","compose":{"include":[{"system":"http://example.org/animals","version":"0.9.0","filter":[{"property":"concept","op":"is-a","value":"pet"}]}]}}`))
	posted := decodeValueSet(`{"compose":{"include":[{"system":"http://example.org/animals","filter":[{"property":"legs","op":"=","value":"4"}]}]}}`)
	const whole = "animal mammal cat dog mouse pet bird dodo fowl"
	for _, tt := range []struct {
		name  string
		req   engine.ExpandRequest
		want  string
		total int
	}{
		{"filter of the definition", engine.ExpandRequest{URL: pets}, "cat dog", 2},
		{"version", engine.ExpandRequest{URL: pets, ValueSetVersion: "7"}, "cat dog", 2},
		{"instance", engine.ExpandRequest{ID: "pets"}, "cat dog", 2},
		{"posted", engine.ExpandRequest{ValueSet: posted}, "cat dog", 2},
		{"list order, union, exclude", engine.ExpandRequest{URL: mixed}, "dog cat red cat", 4},
		{"imports intersect", engine.ExpandRequest{URL: "http://example.org/vs/imports"}, "cat dog", 2},
		{"system that is not loaded, listed", engine.ExpandRequest{URL: "http://example.org/vs/listed"}, "x y", 2},
		{"all codes", engine.ExpandRequest{URL: allAnimals}, whole, 9},
		{"all codes of a system", engine.ExpandRequest{URL: animals + "?fhir_vs"}, whole, 9},
		{"all codes of a version", engine.ExpandRequest{URL: animals + "?fhir_vs|0.9.0", Count: ptr(1)}, "animal", 9},
		{"is-a", engine.ExpandRequest{URL: animals + "?fhir_vs=isa/bird"}, "bird dodo fowl", 3},
		{"page", engine.ExpandRequest{URL: allAnimals, Offset: ptr(2), Count: ptr(3)}, "cat dog mouse", 9},
		{"last page", engine.ExpandRequest{URL: allAnimals, Offset: ptr(8), Count: ptr(3)}, "fowl", 9},
		{"beyond", engine.ExpandRequest{URL: allAnimals, Offset: ptr(20), Count: ptr(3)}, "", 9},
		{"total only", engine.ExpandRequest{URL: allAnimals, Count: ptr(0)}, "", 9},
		{"active only", engine.ExpandRequest{URL: allAnimals, ActiveOnly: ptr(true)}, "animal mammal cat dog mouse pet bird fowl", 8},
		{"not for the abstract", engine.ExpandRequest{URL: allAnimals, ExcludeNotForUI: ptr(true)}, "mammal cat dog mouse pet bird dodo fowl", 8},
		{"text in the display", engine.ExpandRequest{URL: allAnimals, Filter: "mam"}, "mammal", 1},
		{"text in a designation, accents apart", engine.ExpandRequest{URL: allAnimals, Filter: "BUSI"}, "cat", 1},
		{"text in the code", engine.ExpandRequest{URL: allAnimals, Filter: "fow"}, "fowl", 1},
		{"text, active only", engine.ExpandRequest{URL: allAnimals, Filter: "dodo", ActiveOnly: ptr(true)}, "", 0},
		{"text in two systems", engine.ExpandRequest{URL: mixed, Filter: "cat"}, "cat cat", 2},
		{"text of the value set", engine.ExpandRequest{URL: mixed, Filter: "good"}, "dog", 1},
		{"text without a hit", engine.ExpandRequest{URL: mixed, Filter: "zebra"}, "", 0},
		{"exclude a system", engine.ExpandRequest{URL: mixed, ExcludeSystems: []string{colors}}, "dog cat", 2},
		{"exclude a version", engine.ExpandRequest{URL: "http://example.org/vs/both", ExcludeSystems: []string{animals + "|0.9.0"}}, "cat", 1},
		{"exclude all", engine.ExpandRequest{URL: mixed, ExcludeSystems: []string{colors, animals}}, "", 0},
		{"exclude a system that is not loaded", engine.ExpandRequest{URL: broken, ExcludeSystems: []string{"http://example.org/missing"}}, "red green cat", 3},
		{"two versions", engine.ExpandRequest{URL: "http://example.org/vs/both"}, "cat cat", 2},
		{"force a version", engine.ExpandRequest{URL: "http://example.org/vs/both", Versions: engine.VersionRules{Force: []string{animals + "|0.9.0"}}}, "cat", 1},
		{"system version", engine.ExpandRequest{URL: pets, Versions: engine.VersionRules{System: []string{animals + "|0.9.0"}}}, "cat dog", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := e.Expand(context.Background(), &tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if got := codes(r); got != tt.want || r.Total != tt.total {
				t.Errorf("got %q of %d, want %q of %d", got, r.Total, tt.want, tt.total)
			}
			doc := r.AppendJSON(nil)
			if err := r4.Check(doc, r4.DefaultLimits()); err != nil {
				t.Errorf("%v in %s", err, doc)
			}
			var streamed bytes.Buffer
			if err := r.WriteJSON(&streamed); err != nil || streamed.String() != string(doc) {
				t.Error("written piece by piece it differs")
			}
			table := r.Table()
			if len(table.Rows) != len(r.Entries) || len(table.Rows) > 0 && len(table.Rows[0]) != len(table.Header) {
				t.Errorf("table %q, %q", table.Header, table.Rows)
			}
			if tt.req.URL == mixed && len(r.Entries) > 3 && !slices.Contains(table.Header, "SYSTEM") {
				t.Errorf("codes of two systems in a table with %q", table.Header)
			}
		})
	}
}

func TestExpandVersionRules(t *testing.T) {
	e := zoo(t)
	publish(t, e, engine.CodeSystemEntry(animalSystem(t, "0.9.0"), "test"))
	used := func(r *engine.ExpandResult) (out []string) {
		for _, p := range r.Parameters {
			if p.Name == "used-codesystem" {
				out = append(out, p.Value.Text)
			}
		}
		return out
	}
	pinned := decodeValueSet(`{"compose":{"include":[{"system":"http://example.org/animals","version":"1.0.0"}]}}`)
	for _, tt := range []struct {
		name string
		req  engine.ExpandRequest
		want string
		err  error
	}{
		{"default", engine.ExpandRequest{URL: pets}, "1.0.0", nil},
		{"system-version", engine.ExpandRequest{URL: pets, Versions: engine.VersionRules{System: []string{animals + "|0.x"}}}, "0.9.0", nil},
		{"system-version, pinned", engine.ExpandRequest{ValueSet: pinned, Versions: engine.VersionRules{System: []string{animals + "|0.9.0"}}}, "1.0.0", nil},
		{"force", engine.ExpandRequest{ValueSet: pinned, Versions: engine.VersionRules{Force: []string{animals + "|0.9.0"}}}, "0.9.0", nil},
		{"check as default", engine.ExpandRequest{URL: pets, Versions: engine.VersionRules{Check: []string{animals + "|0.9.0"}}}, "0.9.0", nil},
		{"check fails", engine.ExpandRequest{ValueSet: pinned, Versions: engine.VersionRules{Check: []string{animals + "|0.9.0"}}}, "", engine.ErrVersionCheck},
		{"check holds", engine.ExpandRequest{ValueSet: pinned, Versions: engine.VersionRules{Check: []string{animals + "|1.x"}}}, "1.0.0", nil},
		{"unknown", engine.ExpandRequest{URL: pets, Versions: engine.VersionRules{System: []string{animals + "|7"}}}, "", engine.ErrUnknownVersion},
	} {
		r, err := e.Expand(context.Background(), &tt.req)
		if tt.err != nil {
			if !errors.Is(err, tt.err) {
				t.Errorf("%s: got %v, want %v", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := used(r); len(got) != 1 || got[0] != animals+"|"+tt.want {
			t.Errorf("%s: used %v, want %s", tt.name, got, tt.want)
		}
	}
}

// TestExpandJSON holds the resource as a whole: order of the elements, what is echoed.
func TestExpandJSON(t *testing.T) {
	e := zoo(t)
	publish(t, e, engine.CodeSystemEntry(animalSystem(t, "0.9.0"), "test"))
	for _, tt := range []struct {
		name string
		req  engine.ExpandRequest
		want string
	}{
		{
			"plain",
			engine.ExpandRequest{URL: pets},
			`{"resourceType":"ValueSet","id":"pets","url":"http://example.org/vs/pets","version":"7","name":"Pets","status":"active",
			"expansion":{"identifier":"urn:uuid:*","timestamp":"2026-01-02T03:04:05Z","total":2,
			"parameter":[{"name":"used-codesystem","valueUri":"http://example.org/animals|1.0.0"}],
			"contains":[{"system":"http://example.org/animals","code":"cat","display":"Cat"},{"system":"http://example.org/animals","code":"dog","display":"Dog"}]}}`,
		},
		{
			"with everything",
			engine.ExpandRequest{
				URL: mixed, Filter: "re", Date: "2026-01-01", Count: ptr(5), Offset: ptr(0), IncludeDesignations: ptr(true), Designations: []string{"urn:ietf:bcp:47|de"},
				IncludeDefinition: ptr(true), ActiveOnly: ptr(false), ExcludeNested: ptr(true), ExcludeNotForUI: ptr(true), ExcludePostCoordinated: ptr(true),
				DisplayLanguage: "de", Properties: []string{"legs"}, Versions: engine.VersionRules{System: []string{animals + "|0.9.0"}},
			},
			`{"resourceType":"ValueSet","id":"mixed","url":"http://example.org/vs/mixed","status":"draft","experimental":true,
			"compose":{"include":[{"system":"http://example.org/animals","concept":[{"code":"dog","display":"Good dog"},{"code":"cat"}]},{"system":"http://example.org/colors"}],"exclude":[{"system":"http://example.org/colors","concept":[{"code":"green"}]}]},
			"expansion":{"identifier":"urn:uuid:*","timestamp":"2026-01-02T03:04:05Z","total":1,"offset":0,
			"parameter":[{"name":"filter","valueString":"re"},{"name":"date","valueDateTime":"2026-01-01"},{"name":"offset","valueInteger":0},{"name":"count","valueInteger":5},{"name":"includeDesignations","valueBoolean":true},{"name":"designation","valueString":"urn:ietf:bcp:47|de"},
			{"name":"includeDefinition","valueBoolean":true},{"name":"activeOnly","valueBoolean":false},{"name":"excludeNested","valueBoolean":true},{"name":"excludeNotForUI","valueBoolean":true},{"name":"excludePostCoordinated","valueBoolean":true},{"name":"displayLanguage","valueCode":"de"},
			{"name":"system-version","valueUri":"http://example.org/animals|0.9.0"},
			{"name":"used-codesystem","valueUri":"http://example.org/animals|0.9.0"},{"name":"used-codesystem","valueUri":"http://example.org/colors"}],
			"contains":[{"system":"http://example.org/colors","code":"red","display":"Red"}]}}`,
		},
		{
			"nested",
			engine.ExpandRequest{URL: animals + "?fhir_vs=isa/bird", ExcludeNested: ptr(false)},
			`{"resourceType":"ValueSet","id":"*","url":"http://example.org/animals?fhir_vs=isa/bird","title":"bird and what is below it in Animals of the tests","status":"active",
			"expansion":{"extension":[{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.property","extension":[{"url":"code","valueCode":"status"},{"url":"uri","valueUri":"http://hl7.org/fhir/concept-properties#status"}]}],
			"identifier":"urn:uuid:*","timestamp":"2026-01-02T03:04:05Z","total":3,"parameter":[{"name":"excludeNested","valueBoolean":false},{"name":"used-codesystem","valueUri":"http://example.org/animals|1.0.0"}],
			"contains":[{"system":"http://example.org/animals","code":"bird","display":"Bird","contains":[{"extension":[{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.contains.property","extension":[{"url":"code","valueCode":"status"},{"url":"value","valueCode":"inactive"}]}],
			"system":"http://example.org/animals","inactive":true,"code":"dodo","display":"Dodo"},
			{"extension":[{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.contains.property","extension":[{"url":"code","valueCode":"status"},{"url":"value","valueCode":"deprecated"}]}],
			"system":"http://example.org/animals","code":"fowl","display":"Fowl"}]}]}}`,
		},
		{
			"versions and abstract",
			engine.ExpandRequest{ValueSet: decodeValueSet(`{"compose":{"include":[{"system":"http://example.org/animals","version":"0.9.0","concept":[{"code":"animal"}]},{"system":"http://example.org/animals","version":"1.0.0","concept":[{"code":"animal"}]}]}}`), Count: ptr(1), DisplayLanguage: "fr"},
			`{"resourceType":"ValueSet","id":"*","status":"unknown","expansion":{"identifier":"urn:uuid:*","timestamp":"2026-01-02T03:04:05Z","total":2,"parameter":[{"name":"count","valueInteger":1},{"name":"displayLanguage","valueCode":"fr"},
			{"name":"used-codesystem","valueUri":"http://example.org/animals|1.0.0"},{"name":"used-codesystem","valueUri":"http://example.org/animals|0.9.0"}],
			"contains":[{"system":"http://example.org/animals","abstract":true,"version":"1.0.0","code":"animal","display":"Animal"}]}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := e.Expand(context.Background(), &tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(r.Identifier, "urn:uuid:") || len(r.Identifier) != 45 {
				t.Error(r.Identifier)
			}
			r.Identifier = "urn:uuid:*"
			var want bytes.Buffer
			if err := json.Compact(&want, []byte(tt.want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.String(), string(r.AppendJSON(nil))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExpandErrors(t *testing.T) {
	e := zoo(t)
	for _, tt := range []struct {
		req  engine.ExpandRequest
		want error
		says string
	}{
		{engine.ExpandRequest{}, engine.ErrMissingParameter, "url"},
		{engine.ExpandRequest{URL: "http://nowhere"}, engine.ErrUnknownValueSet, "nowhere"},
		{engine.ExpandRequest{URL: animals}, engine.ErrUnknownValueSet, animals},
		{engine.ExpandRequest{URL: broken}, engine.ErrUnknownSystem, "ValueSet.compose.include[1].system: unknown code system: http://example.org/missing"},
		{engine.ExpandRequest{URL: pets, Count: ptr(-1)}, engine.ErrInvalidParameter, "count"},
		{engine.ExpandRequest{URL: pets, Offset: ptr(-1)}, engine.ErrInvalidParameter, "offset"},
		{engine.ExpandRequest{URL: pets, Context: "x"}, engine.ErrNotSupported, "context"},
		{engine.ExpandRequest{URL: pets, ContextDirection: "incoming"}, engine.ErrNotSupported, "contextDirection"},
		{engine.ExpandRequest{URL: pets, DisplayLanguage: "not a language!"}, engine.ErrInvalidParameter, "displayLanguage"},
		{engine.ExpandRequest{URL: pets, Designations: []string{"de"}}, engine.ErrInvalidParameter, "designation"},
		{engine.ExpandRequest{URL: pets, ExcludeSystems: []string{"|"}}, r4.ErrCanonical, "exclude-system"},
		{engine.ExpandRequest{URL: pets, Versions: engine.VersionRules{System: []string{animals}}}, engine.ErrInvalidParameter, "system-version"},
		{engine.ExpandRequest{URL: mixed, ValueSet: decodeValueSet(`{"url":"http://other"}`)}, engine.ErrInvalidParameter, "url"},
	} {
		_, err := e.Expand(context.Background(), &tt.req)
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: got %v, want %v with %q", tt.req, err, tt.want, tt.says)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Expand(ctx, &engine.ExpandRequest{URL: allAnimals}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestExpandLimits(t *testing.T) {
	e := zoo(t, engine.WithDefaultCount(2), engine.WithMaxCount(4))
	for _, tt := range []struct {
		count *int
		want  int
	}{{nil, 2}, {ptr(3), 3}, {ptr(100), 4}} {
		r, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: allAnimals, Count: tt.count})
		if err != nil || len(r.Entries) != tt.want || r.Total != 9 {
			t.Errorf("%d entries of %d, %v; want %d", len(r.Entries), r.Total, err, tt.want)
		}
	}
	if l := e.Limits(); l.DefaultCount != 2 || l.MaxCount != 4 || l.CacheBytes != engine.DefaultCacheBytes {
		t.Error(l)
	}
}

// TestExpandAndValidate: what is on some page of an expansion is valid, and nothing else is.
func TestExpandAndValidate(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		g := drawGraph(rt)
		e := engine.New()
		publish(t, e, engine.CodeSystemEntry(g.build(t), "test"))
		root := rapid.IntRange(0, len(g)-1).Draw(rt, "root")
		vs := animals + "?fhir_vs=isa/" + name(root)
		size := rapid.IntRange(1, 5).Draw(rt, "page")
		nested := rapid.Bool().Draw(rt, "nested")
		var listed []string
		for offset := 0; ; offset += size {
			r, err := e.Expand(ctx, &engine.ExpandRequest{URL: vs, Offset: ptr(offset), Count: &size, ExcludeNested: ptr(!nested)})
			if err != nil {
				rt.Fatal(err)
			}
			doc := r.AppendJSON(nil)
			if err := r4.Check(doc, r4.DefaultLimits()); err != nil {
				rt.Fatalf("%v in %s", err, doc)
			}
			for i := range r.Entries {
				listed = append(listed, r.Entries[i].Code)
			}
			if len(r.Entries) == 0 {
				if len(listed) != r.Total {
					rt.Fatalf("%d codes listed, total %d", len(listed), r.Total)
				}
				break
			}
		}
		for o := range g {
			want := o == root || g.above(root, o)
			v, err := e.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: vs, System: animals, Code: name(o)})
			if err != nil || v.Result != want {
				rt.Fatalf("validate %s: %v, %v, want %v", name(o), v.Result, err, want)
			}
			if slices.Contains(listed, name(o)) != want {
				rt.Fatalf("listed %v, %s belongs in it: %v", listed, name(o), want)
			}
			x, err := e.Explain(ctx, &engine.ExplainRequest{URL: vs, System: animals, Code: name(o)})
			if err != nil || x.Yes() != want {
				rt.Fatalf("explain %s: %v, want %v", name(o), err, want)
			}
		}
	})
}

// Hits in the language asked for come first, and the total stays the same.
func TestExpandRanksByLanguage(t *testing.T) {
	e := engine.New()
	x := build(t, r4.CodeSystem{Header: r4.Header{URL: "http://example.org/rank", Language: "en"}},
		c{code: "1", display: "Hand"},
		c{code: "2", display: "Foot", designations: []r4.Designation{{Language: "de", Value: "Handtuch"}}},
		c{code: "3", display: "Handle", designations: []r4.Designation{{Language: "de-CH", Value: "Griff"}}})
	publish(t, e, engine.CodeSystemEntry(x, "test"))
	for _, tt := range []struct{ display, accept, want string }{
		{"", "", "1 3 2"},
		{"en-GB", "", "1 3 2"},
		{"de", "", "2 1 3"},
		{"", "de-AT, en;q=0.9", "2 1 3"},
		{"fr", "", "1 3 2"},
		{"*", "", "1 3 2"},
	} {
		r, err := e.Expand(context.Background(), &engine.ExpandRequest{
			URL: "http://example.org/rank?fhir_vs", Filter: "hand", DisplayLanguage: tt.display, AcceptLanguage: tt.accept,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := codes(r); got != tt.want || r.Total != 3 {
			t.Errorf("%q, %q: %s of %d, want %s", tt.display, tt.accept, got, r.Total, tt.want)
		}
	}
}
