package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// impactVersion builds a version of http://s. A concept is: code display parent replacement, ! for inactive.
// A member is: reference set, code, value.
func impactVersion(t *testing.T, version string, concepts, members []string) *codesystem.Index {
	t.Helper()
	b := codesystem.NewBuilder(&r4.CodeSystem{
		Header: r4.Header{ResourceType: "CodeSystem", URL: "http://s", Version: version, Status: "active"}, Content: "complete",
		Property: []r4.CodeSystemProperty{{Code: "parent", Type: "code"}, {Code: "replacedBy", Type: "code"}, {Code: "inactive", Type: "boolean"}},
	})
	for _, line := range concepts {
		f := strings.Fields(line)
		c := codesystem.Concept{Code: strings.TrimSuffix(f[0], "!"), Display: f[1], Parent: -1}
		for i, name := range []string{"parent", "replacedBy"} {
			if len(f) > i+2 {
				c.Properties = append(c.Properties, codesystem.Property{Code: name, Value: r4.Code(f[i+2])})
			}
		}
		if c.Code != f[0] {
			c.Properties = append(c.Properties, codesystem.Property{Code: "inactive", Value: r4.Boolean(true)})
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	for _, set := range []string{"10", "11", "3" + version} {
		if err := b.AddRefset(set, []codesystem.RefsetColumn{{Name: "v", Type: codesystem.RefsetString}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range members {
		f := strings.Fields(line)
		if err := b.AddMember(&codesystem.RefsetMember{Refset: f[0], Component: f[1], Values: f[2:], Active: f[2] != "off"}); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestImpact compares two small versions.
func TestImpact(t *testing.T) {
	e := engine.New()
	old := impactVersion(t, "1", []string{"10 set", "11 other", "20 top", "21 a 20", "22 b 20 21", "23 c 21 21", "24 d 20", "25 f 20"}, []string{"10 21 x", "10 21 off", "10 22 y", "10 24 z", "11 24 z", "11 24 y"})
	current := impactVersion(t, "2", []string{"10 set", "11 other", "20 top", "21 A 20", "22! b 20 21", "24 d 21", "25! f 20", "26 g 20"}, []string{"10 21 X", "10 24 z", "10 26 w", "11 24 y", "11 24 z"})
	publish(t, e, engine.CodeSystemEntry(old, "test"), engine.CodeSystemEntry(current, "test"))
	for i, doc := range []string{
		`"ValueSet","url":"http://v/below","compose":{"include":[{"system":"http://s","filter":[{"property":"concept","op":"is-a","value":"21"}]}]}`,
		`"ValueSet","url":"http://v/active","compose":{"inactive":false,"include":[{"system":"http://s"}]}`,
		`"ValueSet","url":"http://v/import","compose":{"include":[{"system":"http://t","concept":[{"code":"q"}]}],"exclude":[{"valueSet":["http://v/below","http://v/import"]}]}`,
		`"ValueSet","url":"http://v/other","compose":{"include":[{"system":"http://t"}]}`,
		`"ValueSet","url":"http://v/pinned","compose":{"include":[{"system":"http://s","version":"1"}]}`,
		`"ValueSet","url":"http://v/fails","compose":{"include":[{"system":"http://s","filter":[{"property":"concept","op":"is-a","value":"23"}]}]}`,
		`"ValueSet","url":"http://v/inside","contained":[{"resourceType":"ValueSet","id":"i","status":"active","compose":{"include":[{"system":"http://s"}]}}],"compose":{"include":[{"valueSet":["#i"]}]}`,
		`"ConceptMap","url":"http://m/own","group":[{"source":"http://s","target":"http://s","element":[{"code":"22","target":[{"code":"24","equivalence":"equal"},{"code":"22","equivalence":"equal"},{"code":"21","equivalence":"disjoint"}]},{"code":"26"}]}]`,
		`"ConceptMap","url":"http://m/from","group":[{"source":"http://s","target":"http://t","element":[{"code":"25","target":[{"code":"23","equivalence":"equal"}]}]}]`,
		`"ConceptMap","url":"http://m/to","group":[{"source":"http://t","target":"http://s","element":[{"code":"25","target":[{"code":"23","equivalence":"equal"},{"code":"23","equivalence":"wider"}]}]}]`,
	} {
		typ := strings.Split(doc, `"`)[1]
		done, err := e.Prepare(t.Context(), typ, fmt.Sprint(i), []byte(`{"status":"active","resourceType":`+doc+`}`))
		if err != nil {
			t.Fatal(err)
		}
		done()
	}
	uses := func(_ context.Context, system string, asked func(string) bool, first int) (list []r4.CodeUse, err error) {
		for i, code := range []string{"21", "22", "23", "25", "29"} {
			if asked(code) {
				list = append(list, r4.CodeUse{Code: code, Resources: 1 + i/2, Types: map[string]int{"Condition": 1}, First: []string{fmt.Sprint("Condition/", first, system)}})
			}
		}
		return list, nil
	}
	r, err := e.Impact(t.Context(), &engine.ImpactRequest{Old: "http://s|1", New: "http://s|2", Expressions: []string{`<< code#"21"`}, First: 2, Uses: uses})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, row := range r.Table().Rows {
		fmt.Fprintln(&got, strings.Join(row, ";"))
	}
	for _, i := range []int{4, len(r.Rows) - 1} {
		fmt.Fprintln(&got, strings.Join(r.Rows[i].Cells(), ";"))
	}
	fmt.Fprintln(&got, r.Table().Footer, r.Unchanged, r.Yes())
	r.Most, r.Rows = 1, append(r.Rows[:2:2], r.Rows[len(r.Rows)-1])
	fmt.Fprintln(&got, string(r.AppendJSON(nil)))
	want, err := os.ReadFile("testdata/impact.txt")
	if diff := cmp.Diff(string(want), got.String()); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for looks, seen := 0, true; seen; looks++ {
		ctx := contexttest.After(t.Context(), looks)
		_, err := e.Impact(ctx, &engine.ImpactRequest{Old: "http://s|1", New: "http://s|2", Expressions: []string{`<< code#"21"`}})
		if seen = ctx.Seen(); seen != errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at look %d: %v", looks, err)
		}
	}
	if same, err := e.Impact(t.Context(), &engine.ImpactRequest{Old: "http://s|1", New: "http://s|1", ValueSets: []string{}}); err != nil || same.Rows == nil || len(same.Rows) > 0 || !same.Yes() {
		t.Errorf("a version and itself: %v, %v", same, err)
	}
	for new, want := range map[string]error{"": engine.ErrMissingParameter, "http://s|3": engine.ErrUnknownVersion, "http://x": engine.ErrUnknownSystem} {
		if _, err := e.Impact(t.Context(), &engine.ImpactRequest{Old: "http://s|1", New: new}); !errors.Is(err, want) {
			t.Errorf("new %q: %v", new, err)
		}
	}
	done, err := e.Prepare(t.Context(), "ValueSet", "listed", []byte(`{"status":"active","resourceType":"ValueSet","url":"http://v/listed","expansion":{"timestamp":"2026-01-01","contains":[{"display":"group","contains":[{"system":"http://s","code":"23"}]},{"system":"http://t","code":"23"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	done()
	if r, err = e.Impact(t.Context(), &engine.ImpactRequest{Old: "http://s|1", New: "http://s|2"}); err != nil || !strings.Contains(fmt.Sprint(r.Rows), "http://v/listed") {
		t.Errorf("a value set that is an expansion has no rows: %v, %v", r, err)
	}
	if !slices.ContainsFunc(r.Rows, func(row engine.ImpactRow) bool { return row.Name == "http://v/active" && len(row.First) == 3 }) {
		t.Error("fewer codes than there are, without a number")
	}
	broken := errors.New("broken")
	if _, err := e.Impact(t.Context(), &engine.ImpactRequest{Old: "http://s|1", New: "http://s|2", Uses: func(context.Context, string, func(string) bool, int) ([]r4.CodeUse, error) {
		return nil, broken
	}}); !errors.Is(err, broken) {
		t.Error(err)
	}
	for name, want := range map[string]bool{"http://v/none": true, "http://v/fails": false} { // in both versions, in one
		if one, err := e.Impact(t.Context(), &engine.ImpactRequest{Old: "http://s|1", New: "http://s|2", ValueSets: []string{name}}); err != nil || one.Yes() != want {
			t.Errorf("%s: %v, %v", name, one, err)
		}
	}
	r, err = e.Impact(t.Context(), &engine.ImpactRequest{Old: "http://s|1", New: "http://s", ValueSets: []string{"http://v/below", "http://v/none"}})
	if err != nil || len(r.Rows) != 9 {
		t.Errorf("two value sets: %+v, %v", r, err)
	}
}
