package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

func TestFindMatchesText(t *testing.T) {
	e := lexicon(t)
	for _, tt := range []struct{ text, set, want string }{
		{"fracture of left femur neck, closed", "", "2 0.718 fracture (whole), of (whole), left (whole), femur (whole), neck (whole), closed (absent)"},
		{"alzimer", "", "1 0.612 alzimer: alzheimer (misspelt)"},
		{"Schädelbruch", "", `3 1.000 schadelbruch (whole); in "Schädelbruch"`},
		{"Schädelbruch", "http://example.org/vs/own", ""},
		{"skull fracture", "http://example.org/vs/own", "2"},
		{"xyzzy", "", ""},
	} {
		r, err := e.FindMatches(context.Background(), &engine.FindMatchesRequest{System: "http://example.org/terms", Text: tt.text, ValueSet: tt.set})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if rows := r.Table().Rows; len(rows) > 0 {
			got = strings.Join(slices.Delete(rows[0], 1, 2), " ")
			if out := string(r.AppendJSON(nil)); !strings.Contains(out, `"name":"score","valueDecimal":`+rows[0][1]) {
				t.Error(out)
			}
		}
		if !strings.HasPrefix(got, tt.want) || got != "" && tt.want == "" {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// What a suggester knows is ranked by score, then by concept, without concepts that are not there.
func TestSuggestionsInOrder(t *testing.T) {
	var all []engine.Suggestion
	for i := range 20 {
		all = append(all, engine.Suggestion{Concept: uint32(19 - i), Score: 0.5})
	}
	e := lexicon(t, engine.WithSuggester(vectors{"xyzzy": all}))
	count := 20
	r, err := e.FindMatches(t.Context(), &engine.FindMatchesRequest{System: "http://example.org/terms", Text: "xyzzy", Count: &count})
	if err != nil || len(r.Matches) != r.Index.Len() {
		t.Fatal(r, err)
	}
	for sound, want := range map[string]int{"meow": 1, "woof": 0} {
		both := []codesystem.Property{p("parent", r4.Code("pet")), p("sound", r4.String(sound))}
		if r, err := zoo(t).FindMatches(t.Context(), &engine.FindMatchesRequest{System: animals, Text: "cat", Properties: both}); err != nil || r.Total != want {
			t.Errorf("%s: %v, %v", sound, r, err)
		}
	}
	if _, err := zoo(t, engine.WithExpandLimit(1)).Under(engine.Ecosystem).Expand(t.Context(), &engine.ExpandRequest{URL: pets}); err == nil {
		t.Error("two codes where the limit is one")
	}
	for i, m := range r.Matches {
		if m.Concept != uint32(i) {
			t.Errorf("concept %d at %d", m.Concept, i)
		}
	}
}

// vectors stands for a model that knows which displays are near a text in meaning.
type vectors map[string][]engine.Suggestion

func (v vectors) Suggest(_ context.Context, _ *codesystem.Index, text string, limit int) ([]engine.Suggestion, error) {
	return v[text][:min(limit, len(v[text]))], nil
}

func ExampleWithSuggester() {
	model := vectors{"broken hip": {{Concept: 1, Score: 0.81, Why: "near in meaning"}}}
	e := lexicon(&testing.T{}, engine.WithSuggester(model))
	r, err := e.FindMatches(context.Background(), &engine.FindMatchesRequest{System: "http://example.org/terms", Text: "broken hip"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range r.Matches {
		fmt.Println(r.Index.Display(m.Concept), m.Score, m.Why)
	}
	// Output: Fracture of neck of left femur 0.81 near in meaning
}
