package valueset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

func compile(t testing.TB, src Source, vs *r4.ValueSet) *Set {
	t.Helper()
	s, err := Compile(context.Background(), src, vs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCompileErrorsNameTheElement(t *testing.T) {
	empty := (&system{url: "http://absent", content: "not-present"}).build(t)
	w := &world{systems: []*system{zoo(t), empty}}
	ok := r4.Include{System: "http://zoo"}
	for _, c := range []struct {
		name       string
		compose    r4.Compose
		want       error
		expression string
		message    string
	}{
		{"nothing", r4.Compose{}, ErrInvalidCompose, "ValueSet.compose.include", ""},
		{"empty include", r4.Compose{Include: []r4.Include{ok, {}}}, ErrInvalidCompose, "ValueSet.compose.include[1]", "vsd-1"},
		{"codes without system", r4.Compose{Include: []r4.Include{{Concept: refs("a")}}}, ErrInvalidCompose, "ValueSet.compose.include[0].system", "vsd-2"},
		{
			"codes and filters",
			r4.Compose{Include: []r4.Include{{System: "http://zoo", Concept: refs("cat"), Filter: []r4.Filter{{}}}}},
			ErrInvalidCompose, "ValueSet.compose.include[0].filter", "vsd-3",
		},
		{"a code that is empty", r4.Compose{Include: []r4.Include{{System: "http://zoo", Concept: refs("cat", "")}}}, ErrInvalidCompose, "ValueSet.compose.include[0].concept[1].code", ""},
		{
			"a filter without op",
			r4.Compose{Include: []r4.Include{{System: "http://zoo", Filter: []r4.Filter{{Property: "code", Value: "x"}}}}},
			ErrInvalidCompose, "ValueSet.compose.include[0].filter[0].op", "",
		},
		{"unknown system", r4.Compose{Include: []r4.Include{ok, {System: "http://none"}}}, ErrUnknownSystem, "ValueSet.compose.include[1].system", "http://none"},
		{"unknown version", r4.Compose{Include: []r4.Include{{System: "http://zoo", Version: "9"}}}, ErrUnknownVersion, "ValueSet.compose.include[0].system", "http://zoo|9"},
		{"content not present", r4.Compose{Include: []r4.Include{{System: "http://absent"}}}, ErrNoContent, "ValueSet.compose.include[0].system", "http://absent"},
		{"content not present is unknown too", r4.Compose{Include: []r4.Include{{System: "http://absent"}}}, ErrUnknownSystem, "ValueSet.compose.include[0].system", ""},
		{"unknown value set", r4.Compose{Include: []r4.Include{{ValueSet: []string{"http://vs/none"}}}}, ErrUnknownValueSet, "ValueSet.compose.include[0].valueSet[0]", "http://vs/none"},
		{"unknown contained", r4.Compose{Include: []r4.Include{{ValueSet: []string{"#x"}}}}, ErrUnknownValueSet, "ValueSet.compose.include[0].valueSet[0]", `"x"`},
		{"empty canonical", r4.Compose{Include: []r4.Include{{ValueSet: []string{""}}}}, ErrInvalidCompose, "ValueSet.compose.include[0].valueSet[0]", ""},
		{
			"unknown code in a filter",
			r4.Compose{Include: []r4.Include{ok}, Exclude: []r4.Include{{System: "http://zoo", Filter: []r4.Filter{{Property: "code", Op: "=", Value: "cat"}, {Property: "concept", Op: "is-a", Value: "yeti"}}}}},
			codesystem.ErrUnknownCode, "ValueSet.compose.exclude[0].filter[1]", "yeti",
		},
		{"unknown system to exclude", r4.Compose{Include: []r4.Include{ok}, Exclude: []r4.Include{{System: "http://none"}}}, ErrUnknownSystem, "ValueSet.compose.exclude[0].system", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile(context.Background(), w, valueSet("http://vs", c.compose), nil)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v is no *Error", err)
			}
			checked := Check(valueSet("http://vs", c.compose))
			if errors.Is(c.want, ErrInvalidCompose) != (checked != nil) && c.name != "empty canonical" {
				t.Errorf("Check says %v", checked)
			}
			if checked != nil && checked.Error() != err.Error() {
				t.Errorf("Check says %v, Compile %v", checked, err)
			}
			if !errors.Is(err, c.want) || e.Expression != c.expression || e.ValueSet != "http://vs" || !strings.Contains(err.Error(), c.message) {
				t.Errorf("got %v at %s, want %v at %s", err, e.Expression, c.want, c.expression)
			}
		})
	}
}

func TestSeveralFilters(t *testing.T) {
	w := &world{systems: []*system{zoo(t)}}
	filter := func(property, op, value string) r4.Filter {
		return r4.Filter{Property: property, Op: op, Value: value}
	}
	for _, c := range []struct {
		filters []r4.Filter
		want    []string
	}{
		{[]r4.Filter{filter("concept", "is-a", "animal"), filter("color", "exists", "true"), filter("color", "not-in", "grey"), filter("display", "regex", "[BC].*")}, []string{"http://zoo|1#cat", "http://zoo|1#bat"}},
		{[]r4.Filter{filter("color", "=", "black"), filter("color", "=", "grey"), filter("concept", "is-a", "animal")}, []string{}},
	} {
		set := compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{{System: "http://zoo", Filter: c.filters}}}))
		if diff := cmp.Diff(c.want, codesOf(t, set, PageRequest{Count: -1})); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.filters, diff)
		}
	}
}

func importing(url, version string, canonicals ...string) *r4.ValueSet {
	vs := valueSet(url, r4.Compose{Include: []r4.Include{{ValueSet: canonicals}}})
	vs.Version = version
	return vs
}

func TestImportCycleGivesThePath(t *testing.T) {
	w := &world{valueSets: []*r4.ValueSet{
		importing("http://vs/1", "", "http://vs/2"), importing("http://vs/2", "5", "http://vs/3"), importing("http://vs/3", "", "http://vs/2"),
		importing("http://vs/self", "1", "http://vs/self|1"),
	}}
	_, err := Compile(context.Background(), w, w.valueSets[0], nil)
	if !errors.Is(err, ErrImportCycle) || !strings.Contains(err.Error(), "http://vs/2|5 → http://vs/3 → http://vs/2|5") {
		t.Errorf("cycle: %v", err)
	}
	_, err = Compile(context.Background(), w, w.valueSets[3], nil)
	if !errors.Is(err, ErrImportCycle) || !strings.Contains(err.Error(), "http://vs/self|1 → http://vs/self|1") {
		t.Errorf("cycle of one: %v", err)
	}
	node, err := Explain(context.Background(), w, w.valueSets[0], "http://zoo", "", "cat", nil)
	if err != nil || node.Verdict {
		t.Errorf("explaining a cycle: %+v, %v", node, err)
	}
}

// TestLongImports imports thousands deep, and each value set twice, published and contained. The
// result comes at once and is an error or exact.
func TestLongImports(t *testing.T) {
	ctx := context.Background()
	chain := func(n, times int, name func(int) string) []*r4.ValueSet {
		var all []*r4.ValueSet
		for i := range n {
			compose := r4.Compose{Include: []r4.Include{{System: "http://zoo"}}}
			if i < n-1 {
				compose.Include = slices.Repeat([]r4.Include{{ValueSet: []string{name(i + 1)}}}, times)
			}
			all = append(all, valueSet(name(i), compose))
		}
		return all
	}
	published := func(i int) string { return fmt.Sprintf("http://vs/%d", i) }
	long := &world{systems: []*system{zoo(t)}, valueSets: chain(3000, 1, published)}
	if _, err := Compile(ctx, long, long.valueSets[0], nil); !errors.Is(err, ErrImportDepth) {
		t.Errorf("3000 deep: %v", err)
	}
	if node, err := Explain(ctx, long, long.valueSets[0], "http://zoo", "", "cat", nil); err != nil || node.Verdict {
		t.Errorf("explaining 3000 deep: %v", err)
	}
	for n, want := range map[int]error{100: nil, 101: ErrImportDepth} {
		visiting := slices.Repeat([]string{"http://vs"}, n)
		if _, err := Compile(ctx, long, long.valueSets[2999], visiting); !errors.Is(err, want) {
			t.Errorf("below %d others: %v", n, err)
		}
		if node, err := Explain(ctx, long, long.valueSets[2999], "http://zoo", "", "cat", visiting); err != nil || node.Verdict != (want == nil) {
			t.Errorf("explaining below %d others: %v", n, err)
		}
	}

	inside := func(i int) string { return fmt.Sprintf("#%d", i) }
	for n, want := range map[int]error{60: nil, 5000: ErrImportDepth} {
		root := valueSet("http://vs", r4.Compose{Include: []r4.Include{{ValueSet: []string{"#0"}}}})
		for _, vs := range chain(n, 2, inside) {
			doc, err := json.Marshal(map[string]any{"resourceType": "ValueSet", "id": vs.URL[1:], "status": "draft", "compose": vs.Compose})
			if err != nil {
				t.Fatal(err)
			}
			root.Contained = append(root.Contained, doc)
		}
		if _, err := Compile(ctx, long, root, nil); !errors.Is(err, want) {
			t.Errorf("%d contained: %v, want %v", n, err, want)
		}
		node, err := Explain(ctx, long, root, "http://zoo", "", "cat", nil)
		if err != nil || node.Verdict != (want == nil) {
			t.Errorf("explaining %d contained: %v, %v", n, node, err)
		}
		if lines := len(tree(node)); lines > 1000 {
			t.Errorf("the explanation of %d contained has %d lines", n, lines)
		}
	}
}

func TestContainedValueSets(t *testing.T) {
	w := &world{systems: []*system{zoo(t)}}
	vs := importing("", "", "#cats", "#black")
	for _, doc := range []string{
		`{"resourceType":"ValueSet","id":"cats","status":"draft","compose":{"include":[{"system":"http://zoo","concept":[{"code":"dog"},{"code":"cat","display":"Puss"}]}]}}`,
		`{"resourceType":"ValueSet","id":"black","status":"draft","compose":{"include":[{"valueSet":["#deep"]}]}}`,
		`{"resourceType":"ValueSet","id":"deep","status":"draft","compose":{"include":[{"system":"http://zoo","filter":[{"property":"color","op":"=","value":"black"}]}]}}`,
		`{"resourceType":"ValueSet","id":"loop","status":"draft","compose":{"include":[{"valueSet":["#loop"]}]}}`,
		`{"resourceType":"CodeSystem","id":"cs","status":"draft","content":"complete"}`,
		`{"resourceType":"ValueSet","id":"bad","compose":3}`,
	} {
		vs.Contained = append(vs.Contained, json.RawMessage(doc))
	}
	set := compile(t, w, vs)
	if diff := cmp.Diff([]string{"http://zoo|1#cat"}, codesOf(t, set, PageRequest{Count: -1})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e, _ := set.Contains("http://zoo", "", "cat"); e.Display != "Puss" {
		t.Errorf("display %q, want that of the contained value set", e.Display)
	}
	for ref, want := range map[string]error{"#loop": ErrImportCycle, "#cs": ErrUnknownValueSet} {
		vs.Compose.Include[0].ValueSet = []string{ref}
		if _, err := Compile(context.Background(), w, vs, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", ref, err, want)
		}
	}
	vs.Compose.Include[0].ValueSet = []string{"#bad"}
	var syntax *r4.SyntaxError
	if _, err := Compile(context.Background(), w, vs, nil); !errors.As(err, &syntax) {
		t.Errorf("#bad: %v", err)
	}
}

func TestStoredExpansion(t *testing.T) {
	w := &world{systems: []*system{zoo(t)}}
	vs := &r4.ValueSet{Header: r4.Header{URL: "http://vs"}, Expansion: &r4.Expansion{Contains: []r4.ExpansionContains{
		{Display: "a group without a code", Contains: []r4.ExpansionContains{
			{System: "http://zoo", Code: "dog", Display: "Hound", Contains: []r4.ExpansionContains{{System: "http://zoo", Code: "cat"}}},
		}},
		{System: "http://none", Code: "x", Display: "X", Inactive: true, Abstract: true},
		{System: "http://zoo", Code: "yeti"},
		{System: "http://zoo", Code: "cat"},
		{System: "http://zoo", Code: "bird"},
	}}}
	set := compile(t, w, vs)
	want := []string{"http://zoo|1#dog", "http://zoo|1#cat", "http://none#x", "http://zoo|1#bird"}
	if diff := cmp.Diff(want, codesOf(t, set, PageRequest{Count: -1})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e, ok := set.Contains("http://zoo", "1", "dog"); !ok || e.Display != "Hound" {
		t.Errorf("%+v, %v", e, ok)
	}
	if e, ok := set.Contains("http://none", "any", "x"); !ok || !e.Inactive || !e.Abstract || e.Index != nil {
		t.Errorf("%+v, %v", e, ok)
	}
	if diff := cmp.Diff([]string{want[0], want[1], want[3]}, codesOf(t, set, PageRequest{Count: -1, ActiveOnly: true})); diff != "" {
		t.Errorf("active (-want +got):\n%s", diff)
	}
	for code, verdict := range map[string]bool{"dog": true, "bat": false} {
		if node, err := Explain(context.Background(), w, vs, "http://zoo", "", code, nil); err != nil || node.Verdict != verdict {
			t.Errorf("explain %s: %+v, %v", code, node, err)
		}
	}
	if _, err := Compile(context.Background(), w, &r4.ValueSet{}, nil); !errors.Is(err, ErrInvalidCompose) {
		t.Errorf("neither compose nor expansion: %v", err)
	}
}

func TestWhatASetDrawsFrom(t *testing.T) {
	z := zoo(t)
	w := &world{systems: []*system{z}, valueSets: []*r4.ValueSet{
		importing("http://vs/outer", "", "http://vs/inner"),
		valueSet("http://vs/inner", r4.Compose{Include: []r4.Include{{System: z.url}, {System: "http://none", Concept: refs("x", "y")}}}),
	}}
	set := compile(t, w, importing("http://vs", "3", "http://vs/outer"))
	if set.Canonical() != "http://vs|3" {
		t.Errorf("canonical %q", set.Canonical())
	}
	if diff := cmp.Diff([]string{"http://vs/outer", "http://vs/inner"}, set.Imports()); diff != "" {
		t.Errorf("imports (-want +got):\n%s", diff)
	}
	systems := set.Systems()
	if len(systems) != 2 || systems[0].Index != z.index || systems[1] != (UsedSystem{System: "http://none"}) {
		t.Errorf("systems %+v", systems)
	}
	if set.Members(z.index) != z.index.All() {
		t.Error("a whole system is not to be copied, through imports either")
	}
}

func TestInferTheSystem(t *testing.T) {
	z, b := zoo(t), &system{url: "http://bats", concepts: []concept{{code: "bat"}, {code: "ball"}}}
	b.build(t)
	w := &world{systems: []*system{z, b}}
	set := compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{{System: z.url}, {System: b.url}, {System: "http://none", Concept: refs("ball", "net")}}}))
	if e, ok := set.Contains("", "", "cat"); !ok || e.System != z.url {
		t.Errorf("cat: %+v, %v", e, ok)
	}
	if e, ok := set.Contains("", "", "net"); !ok || e.System != "http://none" {
		t.Errorf("net: %+v, %v", e, ok)
	}
	if _, ok := set.Contains("", "", "bat"); ok {
		t.Error("bat is in two systems")
	}
	_, _, err := set.Find("", "", "bat")
	var ambiguous *AmbiguousSystemError
	if !errors.Is(err, ErrAmbiguousSystem) || !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 || err.Error() != `code "bat" is in several code systems of the value set: http://zoo, http://bats` {
		t.Errorf("bat: %v", err)
	}
	if e, ok, err := set.Find("", "1", "bat"); !ok || err != nil || e.System != z.url {
		t.Errorf("bat of version 1: %+v, %v, %v", e, ok, err)
	}
	if _, ok, err := set.Find("", "", "yeti"); ok || err != nil {
		t.Errorf("yeti: %v, %v", ok, err)
	}
	if n := len(set.Infer("bat")); n != 2 {
		t.Errorf("%d candidates", n)
	}
}

func TestManySystems(t *testing.T) {
	w := &world{}
	var compose r4.Compose
	for i := range 3 * maxLinearGroups {
		s := &system{url: "http://s/" + string(rune('a'+i)), concepts: []concept{{code: "x"}}}
		w.systems = append(w.systems, s.build(t))
		compose.Include = append(compose.Include, r4.Include{System: s.url})
	}
	set := compile(t, w, valueSet("", compose))
	for _, s := range w.systems {
		if _, ok := set.Contains(s.url, "", "x"); !ok {
			t.Errorf("%s#x is not found", s.url)
		}
	}
	if _, ok := set.Contains("http://s/", "", "x"); ok {
		t.Error("found in a system that is not there")
	}
}

// TestLooseCodes lists codes of a system that is not loaded, with and without a version.
func TestLooseCodes(t *testing.T) {
	const none, some = "http://none", "http://vs/x"
	w := &world{valueSets: []*r4.ValueSet{valueSet(some, includes(codes(none, "x")))}}
	narrow := func(list ...string) r4.Compose {
		exc := r4.Include{System: none, Concept: refs(list...), ValueSet: []string{some}}
		return r4.Compose{Include: []r4.Include{codes(none, "x", "y")}, Exclude: []r4.Include{exc}}
	}
	for _, c := range []struct {
		compose r4.Compose
		want    []string
	}{
		{includes(codes(none, "x"), codes(none+"|1", "x"), codes(none, "x")), []string{none + "#x", none + "|1#x"}},
		{includes(codes(none+"|1", "x"), codes(none+"|2", "x"), codes(none, "x")), []string{none + "|1#x", none + "|2#x", none + "#x"}},
		{r4.Compose{Include: []r4.Include{codes(none, "x")}, Exclude: []r4.Include{codes(none, "x")}}, []string{}},
		{narrow(), []string{none + "#y"}},
		{narrow("x", "y"), []string{none + "#y"}},
		{narrow("y"), []string{none + "#x", none + "#y"}},
	} {
		vs := valueSet("", c.compose)
		rows, err := naive{w}.valueSet(vs)
		if got := codesOf(t, compile(t, w, vs), PageRequest{Count: -1}); err != nil || !slices.Equal(got, c.want) || !slices.Equal(names(rows), c.want) {
			t.Errorf("%+v: %v; the reference has %v, %v", c.compose, got, names(rows), err)
		}
	}
}
