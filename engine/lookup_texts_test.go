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
