package engine_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

const plants = "http://example.org/plants"

// codesWorld has a system with several parents, one of parts, one without regard to
// case, value sets of them, and the grammars.
func codesWorld(t testing.TB) *engine.Engine {
	t.Helper()
	e := engine.New()
	include := func(id string, includes ...r4.Include) *engine.Entry {
		return engine.ValueSetEntry(&r4.ValueSet{
			Header:  r4.Header{ResourceType: "ValueSet", ID: id, URL: "http://example.org/vs/" + id, Status: "active"},
			Compose: &r4.Compose{Include: includes},
		}, "test")
	}
	entries := []*engine.Entry{
		engine.CodeSystemEntry(animalSystem(t, "1"), "test"),
		engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{ID: "plants", URL: plants}},
			c{code: "plant"}, c{code: "tree", parents: parents("plant")}, c{code: "shrub", parents: parents("plant")},
			c{code: "hazel", parents: parents("tree", "shrub")}, c{code: "oak", parents: parents("tree")},
		), "test"),
		engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{ID: "parts", URL: plants + "/parts"}, HierarchyMeaning: "part-of"},
			c{code: "plant"}, c{code: "leaf", parents: parents("plant")},
		), "test"),
		include("trees", r4.Include{System: plants, Filter: []r4.Filter{{Property: "concept", Op: "is-a", Value: "tree"}}}),
		include("mixed",
			r4.Include{System: plants, Concept: []r4.ConceptReference{{Code: "oak"}}},
			r4.Include{System: plants + "/parts"},
			r4.Include{System: "http://example.org/absent", Concept: []r4.ConceptReference{{Code: "x"}, {Code: "y"}}}),
		include("units", r4.Include{System: "http://unitsofmeasure.org"}),
	}
	if err := e.Publish(append(entries, engine.GrammarEntries()...)...); err != nil {
		t.Fatal(err)
	}
	return e
}

func listed(codes r4.Codes) []string {
	var out []string
	codes.Each(func(system, code string) bool {
		out = append(out, system+"|"+code)
		return true
	})
	slices.Sort(out)
	return out
}

func of(system string, codes ...string) []string {
	out := make([]string, len(codes))
	for i, code := range codes {
		out[i] = system + "|" + code
	}
	slices.Sort(out)
	return out
}

func TestCodes(t *testing.T) {
	e, ctx := codesWorld(t), t.Context()
	below := func(system, code string) func() (r4.Codes, error) {
		return func() (r4.Codes, error) { return e.CodesBelow(ctx, system, code, true) }
	}
	above := func(system, code string) func() (r4.Codes, error) {
		return func() (r4.Codes, error) { return e.CodesBelow(ctx, system, code, false) }
	}
	in := func(canonical string) func() (r4.Codes, error) {
		return func() (r4.Codes, error) { return e.CodesIn(ctx, canonical) }
	}
	selected := func(system, expression string) func() (r4.Codes, error) {
		return func() (r4.Codes, error) { return e.CodesOf(ctx, system, expression) }
	}
	for _, row := range []struct {
		name string
		ask  func() (r4.Codes, error)
		want []string
		err  error
	}{
		{"below", below(plants, "tree"), of(plants, "tree", "hazel", "oak"), nil},
		{"below a leaf", below(plants, "oak"), of(plants, "oak"), nil},
		{"above, two parents", above(plants, "hazel"), of(plants, "hazel", "tree", "shrub", "plant"), nil},
		{"above the root", above(plants, "plant"), of(plants, "plant"), nil},
		{"below in a system of parts", below(plants+"/parts", "plant"), of(plants+"/parts", "plant"), nil},
		{"below an unknown code", below(plants, "moss"), nil, engine.ErrUnknownCode},
		{"below in an unknown system", below("http://example.org/absent", "x"), nil, engine.ErrUnknownSystem},
		{"below without a system", below("", "tree"), nil, engine.ErrMissingParameter},
		{"below without a code", below(plants, ""), nil, engine.ErrMissingParameter},
		{"in", in("http://example.org/vs/trees"), of(plants, "tree", "hazel", "oak"), nil},
		{
			"in, of several systems", in("http://example.org/vs/mixed"),
			append(of("http://example.org/absent", "x", "y"), append(of(plants, "oak"), of(plants+"/parts", "leaf", "plant")...)...), nil,
		},
		{"in, implicit", in(plants + "?fhir_vs=isa/shrub"), of(plants, "shrub", "hazel"), nil},
		{"in, by id", in("ValueSet/trees"), of(plants, "tree", "hazel", "oak"), nil},
		{"in, unknown id", in("ValueSet/none"), nil, engine.ErrUnknownID},
		{"in, unknown", in("http://example.org/vs/none"), nil, engine.ErrUnknownValueSet},
		{"in, not named", in(""), nil, engine.ErrMissingParameter},
		{"ecl", selected(plants, "< code#tree"), of(plants, "hazel", "oak"), nil},
		{"ecl with a term and |", selected(plants, "<< code#tree |a | MINUS code#oak"), of(plants, "hazel", "tree"), nil},
		{"ecl, wrong", selected(plants, "< <"), nil, codesystem.ErrBadFilterValue},
		{"ecl, unknown system", selected("http://example.org/absent", "*"), nil, engine.ErrUnknownSystem},
		{"ecl, not given", selected(plants, ""), nil, engine.ErrMissingParameter},
	} {
		t.Run(row.name, func(t *testing.T) {
			for range 2 { // the second time from the cache
				codes, err := row.ask()
				if !errors.Is(err, row.err) || (err != nil) != (row.err != nil) {
					t.Fatalf("error %v, want %v", err, row.err)
				}
				if err != nil {
					return
				}
				slices.Sort(row.want)
				if got := listed(codes); !slices.Equal(got, row.want) {
					t.Errorf("got %q, want %q", got, row.want)
				}
				if codes.Len() != len(row.want) {
					t.Errorf("%d codes, want %d", codes.Len(), len(row.want))
				}
				agree(t, codes)
			}
		})
	}
}

// agree checks that Contains and Numbering say what Each does, of all plants.
func agree(t *testing.T, codes r4.Codes) {
	t.Helper()
	all := listed(codes)
	for _, system := range []string{plants, plants + "/parts", "http://example.org/absent", "http://example.org/no"} {
		key, number, contains := codes.Numbering(system)
		for _, code := range []string{"plant", "tree", "shrub", "hazel", "oak", "leaf", "x", "nothing"} {
			want := slices.Contains(all, system+"|"+code)
			if got := codes.Contains(system, code); got != want {
				t.Errorf("contains %s|%s: %t", system, code, got)
			}
			if codes.Contains("", code) {
				t.Errorf("contains %s without a system", code)
			}
			if key == nil {
				continue
			}
			if n, ok := number(code); (ok && contains(n)) != want {
				t.Errorf("number of %s|%s says %t", system, code, !want)
			}
		}
	}
}

// TestCodesNumbering asks two sets with the numbers of one.
func TestCodesNumbering(t *testing.T) {
	e, ctx := codesWorld(t), t.Context()
	a, err := e.CodesBelow(ctx, plants, "tree", true)
	if err != nil {
		t.Fatal(err)
	}
	b, err := e.CodesIn(ctx, "http://example.org/vs/mixed")
	if err != nil {
		t.Fatal(err)
	}
	keyA, number, _ := a.Numbering(plants)
	keyB, _, contains := b.Numbering(plants)
	if keyA == nil || keyA != keyB {
		t.Fatalf("keys %v and %v", keyA, keyB)
	}
	if n, ok := number("oak"); !ok || !contains(n) {
		t.Error("oak is not in the mixed set")
	}
	if key, _, _ := b.Numbering("http://example.org/absent"); key != nil {
		t.Error("codes that no system has are numbered")
	}
}

// TestCodesUnlisted is about codes that sets have and cannot list.
func TestCodesUnlisted(t *testing.T) {
	e, ctx := codesWorld(t), t.Context()
	mammals, err := e.CodesBelow(ctx, animals, "mammal", true)
	if err != nil {
		t.Fatal(err)
	}
	units, err := e.CodesIn(ctx, "http://example.org/vs/units")
	if err != nil {
		t.Fatal(err)
	}
	publish(t, e, valueSet(`{"id":"beasts","url":"http://example.org/vs/beasts","status":"active","compose":{"include":[{"system":"http://example.org/animals"}]}}`))
	beasts, err := e.CodesIn(ctx, "http://example.org/vs/beasts")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		codes        r4.Codes
		system, code string
		want         bool
	}{
		{beasts, animals, "CAT", true},
		{beasts, animals, "unicorn", false},
		{mammals, animals, "MAMMAL", true},
		{mammals, animals, "ANIMAL", false},
		{units, "http://unitsofmeasure.org", "mg", true},
		{units, "http://unitsofmeasure.org", "kg{dry}/m3", true},
		{units, "http://unitsofmeasure.org", "nonsense", false},
		{units, plants, "oak", false},
	} {
		if row.codes.Len() != math.MaxInt {
			t.Errorf("%s: %d codes", row.code, row.codes.Len())
		}
		if got := row.codes.Contains(row.system, row.code); got != row.want {
			t.Errorf("contains %s|%s: %t", row.system, row.code, got)
		}
	}
	one, err := e.CodesBelow(ctx, "http://unitsofmeasure.org", "kg{dry}", true)
	if err != nil || !one.Contains("http://unitsofmeasure.org", "kg{dry}") {
		t.Errorf("a code that a grammar makes: %v", err)
	}
}

// TestCodesGeneration changes a code system.
func TestCodesGeneration(t *testing.T) {
	e, ctx := codesWorld(t), t.Context()
	before := e.Generation()
	if codes, err := e.CodesOf(ctx, plants, "<< code#tree"); err != nil || codes.Len() != 3 {
		t.Fatal(codes, err)
	}
	err := e.Publish(engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{ID: "plants", URL: plants}},
		c{code: "tree"}, c{code: "oak", parents: parents("tree")}), "test"))
	if err != nil {
		t.Fatal(err)
	}
	if e.Generation() == before {
		t.Error("the generation is that of before")
	}
	if codes, err := e.CodesOf(ctx, plants, "<< code#tree"); err != nil || codes.Len() != 2 {
		t.Error(codes, err)
	}
}

func BenchmarkCodesBelow(b *testing.B) {
	e := codesWorld(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.CodesBelow(b.Context(), plants, "tree", true); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLacks(t *testing.T) {
	e := codesWorld(t)
	if err := e.Publish(engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{ID: "part", URL: plants + "/some"}, Content: "fragment"}, c{code: "fir"}), "test")); err != nil {
		t.Fatal(err)
	}
	for code, want := range map[r4.Coding]bool{
		{System: plants, Code: "oak"}:                          false,
		{System: plants, Code: "fir"}:                          true,
		{System: plants, Code: ""}:                             true,
		{System: plants + "|9", Code: "fir"}:                   false,
		{System: plants + "/some", Code: "oak"}:                false,
		{System: plants + "/absent", Code: "oak"}:              false,
		{System: "http://unitsofmeasure.org", Code: "mg/dL"}:   false,
		{System: "http://unitsofmeasure.org", Code: "mg/{a}2"}: true,
		{System: "http://unitsofmeasure.org", Code: ""}:        false,
	} {
		if got := e.Lacks(t.Context(), code.System, code.Code); got != want {
			t.Errorf("%+v: %v", code, got)
		}
	}
}
