package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

func TestLookupTexts(t *testing.T) {
	e := zoo(t)
	more := build(t, r4.CodeSystem{
		Header:  r4.Header{ID: "more", URL: "http://example.org/more", Language: "de"},
		Content: "supplement", Supplements: animals,
		Property: []r4.CodeSystemProperty{{Code: "legs", Type: "integer"}, {Code: "likes", Type: "Coding"}},
	}, c{code: "cat", designations: []r4.Designation{{Language: "de", Value: "Mieze"}}, properties: []codesystem.Property{
		p("legs", r4.Value{Type: "Integer", Text: "4"}), p("likes", r4.Value{Type: "Coding", Coding: &r4.Coding{System: "http://s", Code: "fish"}}),
	}})
	publish(t, e, engine.CodeSystemEntry(more, "test"))
	tests := []struct {
		code, property string
		want           []string
	}{
		{"cat", "parent", []string{"mammal", "pet"}},
		{"cat", "child", nil},
		{"mammal", "child", []string{"cat", "dog", "mouse"}},
		{"cat", "ancestor", []string{"animal", "mammal", "pet"}},
		{"cat", "inactive", []string{"false"}},
		{"dodo", "inactive", []string{"true"}},
		{"cat", "abstract", []string{"false"}},
		{"mammal", "definition", []string{"Has milk."}},
		{"cat", "definition", nil},
		{"cat", "designation", []string{"Katze", "Büsi", "Chat", "Mieze"}},
		{"cat", "lang.de", []string{"Katze", "Büsi", "Mieze"}},
		{"cat", "lang.fr", []string{"Chat"}},
		{"cat", "lang.es", nil},
		{"cat", "legs", []string{"4"}},
		{"cat", "likes", []string{"http://s|fish"}},
		{"cat", "prey", []string{"mouse"}},
		{"cat", "nothing", nil},
	}
	for _, tt := range tests {
		r, err := e.Lookup(t.Context(), &engine.LookupRequest{System: animals, Code: tt.code, UseSupplements: []string{"http://example.org/more"}, Properties: []string{"none"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Texts(tt.property); !slices.Equal(got, tt.want) {
			t.Errorf("%s of %s: %q, want %q", tt.property, tt.code, got, tt.want)
		}
	}
}

// TestLookupTextsAreThoseOfTheAnswer: for every concept, parents, children and properties are those
// of the Parameters resource.
func TestLookupTextsAreThoseOfTheAnswer(t *testing.T) {
	e := zoo(t)
	x, err := e.System(animals, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range x.Codes() {
		r, err := e.Lookup(t.Context(), &engine.LookupRequest{System: animals, Code: code})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := r4.DecodeParameters(r.AppendJSON(nil))
		if err != nil {
			t.Fatal(err)
		}
		want, got := map[string]string{}, map[string]string{}
		for i := range doc.Parameter {
			if p := &doc.Parameter[i]; p.Name == "property" {
				want[p.Part[0].Value.Text] += fmt.Sprintf("%s;", p.Part[1].Value.Text)
			}
		}
		for name := range want {
			got[name] = strings.Join(append(r.Texts(name), ""), ";")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -answer +texts\n%s", code, diff)
		}
	}
}

// TestUnder checks that engines under different rules share what is published, whichever engine it is
// published to.
func TestUnder(t *testing.T) {
	clinical := zoo(t)
	ecosystem := clinical.Under(engine.Ecosystem)
	if clinical.Rules() != engine.Clinical || ecosystem.Rules() != engine.Ecosystem {
		t.Fatalf("rules %v and %v", clinical.Rules(), ecosystem.Rules())
	}
	if ecosystem.Under(engine.Clinical) != clinical || clinical.Under(0) != clinical || clinical.Under(9) != clinical {
		t.Error("an engine has several engines for the same rules")
	}
	if engine.New(engine.WithRules(engine.Ecosystem)).Rules() != engine.Ecosystem {
		t.Error("WithRules has no effect")
	}
	for i, e := range []*engine.Engine{clinical, ecosystem} {
		before := e.Generation()
		x := teaSystem(t, string(rune('1'+i)), func(h *r4.CodeSystem) { h.URL = "http://example.org/under" })
		if err := e.Publish(engine.CodeSystemEntry(x, "test")); err != nil {
			t.Fatal(err)
		}
		if clinical.Generation() != ecosystem.Generation() || clinical.Generation() == before {
			t.Errorf("generations %d and %d after %d", clinical.Generation(), ecosystem.Generation(), before)
		}
		for _, of := range []*engine.Engine{clinical, ecosystem} {
			if got, err := of.System("http://example.org/under", x.Version()); err != nil || got != x {
				t.Errorf("%v does not see what was published: %v", of.Rules(), err)
			}
		}
	}
	if n := testing.AllocsPerRun(100, func() { clinical.Under(engine.Ecosystem).Under(engine.Clinical) }); n != 0 {
		t.Errorf("Under allocates %v times", n)
	}
}

// TestWithKeepsRules checks that an engine with resources of a request follows the rules of the
// engine that it was made from.
func TestWithKeepsRules(t *testing.T) {
	for _, rules := range []engine.Rules{engine.Clinical, engine.Ecosystem} {
		e, err := zoo(t).Under(rules).With(engine.CodeSystemEntry(teaSystem(t, "1", func(h *r4.CodeSystem) { h.URL = "http://example.org/more" }), "test"))
		if err != nil {
			t.Fatal(err)
		}
		if e.Rules() != rules || e.Under(engine.Ecosystem).Rules() != engine.Ecosystem {
			t.Errorf("made under %v: %v", rules, e.Rules())
		}
		if _, err := e.Under(engine.Ecosystem).System("http://example.org/more", "1"); err != nil {
			t.Error(err)
		}
	}
}

func TestParseRules(t *testing.T) {
	for _, rules := range []engine.Rules{engine.Clinical, engine.Ecosystem} {
		if got, err := engine.ParseRules(rules.String()); err != nil || got != rules {
			t.Errorf("%v: %v %v", rules, got, err)
		}
	}
	for _, name := range []string{"", "Clinical", "strict", "0"} {
		if got, err := engine.ParseRules(name); err == nil || got != 0 {
			t.Errorf("%q is taken for %v", name, got)
		}
	}
	if text := engine.Rules(0).String() + engine.Rules(200).String(); text != "" {
		t.Errorf("names of no rules: %q", text)
	}
}
