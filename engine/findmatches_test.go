package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

func TestFindMatches(t *testing.T) {
	e := zoo(t)
	legs := func(n string) codesystem.Property { return p("legs", r4.Value{Type: "Integer", Text: n}) }
	match := func(code, display string) string { return "match(code=" + animals + "|" + code + " " + display + ")" }
	for _, tt := range []struct {
		name string
		req  engine.FindMatchesRequest
		want []string
	}{
		{"one", engine.FindMatchesRequest{System: animals, Properties: []codesystem.Property{legs("4")}}, []string{match("cat", "Cat"), match("dog", "Dog")}},
		{"two", engine.FindMatchesRequest{ID: "animals-1.0.0", Properties: []codesystem.Property{legs("4"), p("sound", r4.String("woof"))}}, []string{match("dog", "Dog")}},
		{"parent", engine.FindMatchesRequest{System: animals + "|1.0.0", Properties: []codesystem.Property{p("parent", r4.Code("pet")), p("parent", r4.Code("mammal"))}}, []string{match("cat", "Cat"), match("dog", "Dog")}},
		{"display", engine.FindMatchesRequest{System: animals, Properties: []codesystem.Property{p("display", r4.String("Mouse"))}}, []string{match("mouse", "Mouse")}},
		{"code", engine.FindMatchesRequest{System: animals, Properties: []codesystem.Property{p("code", r4.Code("mouse"))}}, []string{match("mouse", "Mouse")}},
		{"none", engine.FindMatchesRequest{System: animals, Properties: []codesystem.Property{legs("8")}}, []string{}},
		{"value set", engine.FindMatchesRequest{System: animals, ValueSet: pets, Properties: []codesystem.Property{p("parent", r4.Code("mammal"))}}, []string{match("cat", "Cat"), match("dog", "Dog")}},
		{"count", engine.FindMatchesRequest{System: animals, Count: ptr(1), Properties: []codesystem.Property{legs("4")}}, []string{match("cat", "Cat"), "total=2"}},
		{"no count", engine.FindMatchesRequest{System: animals, Count: ptr(0), Properties: []codesystem.Property{legs("4")}}, []string{"total=2"}},
		{
			"partial",
			engine.FindMatchesRequest{System: animals, Partial: true, Properties: []codesystem.Property{legs("4"), p("sound", r4.String("woof"))}},
			[]string{match("dog", "Dog"), "match(code=" + animals + "|cat Cat unmatched(code=sound value=woof) comment=lacks 1 of the properties asked for)"},
		},
		{"partial, count", engine.FindMatchesRequest{System: animals, Partial: true, Count: ptr(1), Properties: []codesystem.Property{legs("4"), p("sound", r4.String("woof"))}}, []string{match("dog", "Dog"), "total=2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := e.FindMatches(context.Background(), &tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, outline(t, r.AppendJSON(nil))); diff != "" {
				t.Error(diff)
			}
			rows := len(tt.want)
			if slices.Contains(tt.want, "total=2") {
				rows--
			}
			if r.Yes() != (len(tt.want) > 0) || len(r.Table().Rows) != rows {
				t.Error(r.Table())
			}
		})
	}
	for _, tt := range []struct {
		req  engine.FindMatchesRequest
		want error
	}{
		{engine.FindMatchesRequest{System: animals}, engine.ErrMissingParameter},
		{engine.FindMatchesRequest{System: animals, Count: ptr(-1), Properties: []codesystem.Property{legs("4")}}, engine.ErrInvalidParameter},
		{engine.FindMatchesRequest{Properties: []codesystem.Property{legs("4")}}, engine.ErrMissingParameter},
		{engine.FindMatchesRequest{System: animals, Properties: []codesystem.Property{{}}}, engine.ErrMissingParameter},
		{engine.FindMatchesRequest{System: animals, Properties: []codesystem.Property{p("wings", r4.String("2"))}}, codesystem.ErrUnknownProperty},
		{engine.FindMatchesRequest{System: animals, ValueSet: "http://nowhere", Properties: []codesystem.Property{legs("4")}}, engine.ErrUnknownValueSet},
		{engine.FindMatchesRequest{System: animals, UseSupplements: []string{"http://nowhere"}, Properties: []codesystem.Property{legs("4")}}, engine.ErrUnknownSupplement},
		{engine.FindMatchesRequest{System: "http://nowhere", Properties: []codesystem.Property{legs("4")}}, engine.ErrUnknownSystem},
	} {
		if _, err := e.FindMatches(context.Background(), &tt.req); !errors.Is(err, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.req, err, tt.want)
		}
	}
}

func TestExplain(t *testing.T) {
	e := zoo(t)
	publish(t, e, valueSet(`{"id":"outer","url":"http://example.org/vs/outer","compose":{"include":[{"valueSet":["http://example.org/vs/pets"]}],"exclude":[{"system":"http://example.org/animals","concept":[{"code":"dog"}]}]}}`))
	outer := "http://example.org/vs/outer"
	for _, tt := range []struct {
		name string
		req  engine.ExplainRequest
		yes  bool
		want []string // label of the nodes, in order, with yes or no
	}{
		{"in", engine.ExplainRequest{URL: outer, System: animals, Code: "cat"}, true, []string{
			"yes " + outer, "yes   include[0]: codes in 1 value set", "yes     value set " + pets,
			"yes       include[0]: codes of http://example.org/animals that pass 1 filter", "yes         system http://example.org/animals", `yes         filter concept descendent-of "pet"`,
			"no   exclude[0]: 1 code listed of http://example.org/animals", "yes     system http://example.org/animals", "no     1 listed code",
		}},
		{"taken away", engine.ExplainRequest{ID: "outer", Coding: &r4.Coding{System: animals, Code: "dog"}}, false, []string{
			"no " + outer, "yes   include[0]: codes in 1 value set", "yes     value set " + pets,
			"yes       include[0]: codes of http://example.org/animals that pass 1 filter", "yes         system http://example.org/animals", `yes         filter concept descendent-of "pet"`,
			"yes   exclude[0]: 1 code listed of http://example.org/animals", "yes     system http://example.org/animals", "yes     1 listed code",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := e.Explain(context.Background(), &tt.req)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, row := range r.Table().Rows {
				got = append(got, row[0]+" "+row[1])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			lines := outline(t, r.AppendJSON(nil))
			var tree func(e *valueset.Explanation) string
			tree = func(e *valueset.Explanation) string {
				text := fmt.Sprintf("explanation(label=%s verdict=%v reason=%s expression=%s", e.Label, e.Verdict, e.Reason, e.Expression)
				for _, c := range e.Children {
					text += " " + tree(c)
				}
				return text + ")"
			}
			code := r.Code
			if diff := cmp.Diff([]string{"display=" + strings.ToUpper(code[:1]) + code[1:], "code=" + code, "system=" + animals, "message=" + r.Tree.Reason, tree(r.Tree)}, lines[1:]); diff != "" {
				t.Error(diff)
			}
			if r.Yes() != tt.yes || lines[0] != map[bool]string{true: "result=true", false: "result=false"}[tt.yes] {
				t.Error(lines)
			}
		})
	}
	for _, tt := range []struct {
		req  engine.ExplainRequest
		want error
	}{
		{engine.ExplainRequest{URL: outer}, engine.ErrMissingParameter},
		{engine.ExplainRequest{Code: "cat"}, engine.ErrMissingParameter},
		{engine.ExplainRequest{URL: "http://nowhere", Code: "cat"}, engine.ErrUnknownValueSet},
		{engine.ExplainRequest{URL: outer, Coding: &r4.Coding{}}, engine.ErrMissingParameter},
		{engine.ExplainRequest{URL: outer, Code: "cat", System: "|"}, r4.ErrCanonical},
		{engine.ExplainRequest{URL: outer, Code: "cat", DisplayLanguage: "?"}, engine.ErrInvalidParameter},
	} {
		if _, err := e.Explain(context.Background(), &tt.req); !errors.Is(err, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.req, err, tt.want)
		}
	}
	// A value set that cannot be evaluated is explained all the same.
	r, err := e.Explain(context.Background(), &engine.ExplainRequest{URL: broken, System: colors, Code: "red"})
	if err != nil || !r.Yes() {
		t.Error(r, err)
	}
}
