package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// ucum is the system of units, which is built in where the base content is.
const ucum = "http://unitsofmeasure.org"

// comparison is an answer as a client sees it: name=value, in order.
func comparison(t testing.TB, e *engine.Engine, req *engine.CompareRequest) string {
	t.Helper()
	r, err := e.Compare(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	doc := r.AppendJSON(nil)
	if !json.Valid(doc) {
		t.Fatalf("%s is not JSON", doc)
	}
	p, err := r4.DecodeParameters(doc)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, q := range p.Parameter {
		lines = append(lines, q.Name+"="+q.Value.Text)
	}
	return strings.Join(lines, "\n")
}

func TestCompare(t *testing.T) {
	e := zoo(t)
	fragment := build(t, r4.CodeSystem{Header: r4.Header{URL: "http://example.org/part"}, Content: "fragment"}, c{code: "a"}, c{code: "b"})
	publish(t, e, engine.CodeSystemEntry(fragment, "test"))
	publish(t, e, engine.GrammarEntries()...)
	for name, compositional := range map[string]bool{"endless": true, "absent": false} {
		publish(t, e, engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{URL: "http://example.org/" + name}, Content: "not-present", Compositional: compositional}), "test"))
	}
	vs := func(name, include string) *r4.ValueSet {
		return decodeValueSet(fmt.Sprintf(`{"url":"http://example.org/vs/%s","compose":{"include":[%s]}}`, name, include))
	}
	of := func(system, rest string) string { return fmt.Sprintf(`{"system":%q%s}`, system, rest) }
	isA := func(code string) string {
		return of(animals, fmt.Sprintf(`,"filter":[{"property":"concept","op":"is-a","value":%q}]`, code))
	}
	list := func(system string, codes ...string) string {
		return of(system, fmt.Sprintf(`,"concept":[{"code":"%s"}]`, strings.Join(codes, `"},{"code":"`)))
	}
	unable := "result=indeterminate\nmessage=Unable to compare http://example.org/vs/a and http://example.org/vs/b: "
	tests := map[string]struct {
		req  engine.CompareRequest
		want string
	}{
		"from the definitions": {
			engine.CompareRequest{ThisValueSet: vs("a", isA("mammal")), OtherValueSet: vs("b", isA("animal")), Diagnostics: true},
			"result=subset\nmessage=The valueSet http://example.org/vs/a is a sub-set of the valueSet http://example.org/vs/b\nperformed-expansion=false",
		},
		"lists, whatever the case": {
			engine.CompareRequest{ThisValueSet: vs("a", list(animals, "Cat", "dog", "fowl")), OtherValueSet: vs("b", list(animals, "DOG", "cat")), Diagnostics: true},
			"result=superset\nmessage=The valueSet http://example.org/vs/a is a super-set of the valueSet http://example.org/vs/b\n" +
				"performed-expansion=false\ncommon-codes=cat,dog\nmissing-codes=fowl",
		},
		"by evaluation": {
			engine.CompareRequest{ThisURL: "http://example.org/vs/mixed", OtherURL: pets, Diagnostics: true},
			"result=superset\nmessage=The valueSet http://example.org/vs/mixed is a super-set of the valueSet http://example.org/vs/pets|7\n" +
				"performed-expansion=true\ncommon-codes=dog,cat\nmissing-codes=red,cat",
		},
		"without diagnostics": {
			engine.CompareRequest{ThisURL: pets + "|7", OtherURL: "http://example.org/vs/mixed", ValueSetVersion: ""},
			"result=subset\nmessage=The valueSet http://example.org/vs/pets|7 is a sub-set of the valueSet http://example.org/vs/mixed",
		},
		"the version of a canonical, whatever else is asked for": {
			engine.CompareRequest{ThisURL: pets + "|7", OtherURL: pets + "|7", ValueSetVersion: "9"},
			"result=same\nmessage=The value sets http://example.org/vs/pets|7 and http://example.org/vs/pets|7 contain the same codes",
		},
		"an instance, and an implicit value set": {
			engine.CompareRequest{ID: "pets", OtherURL: animals + "?fhir_vs=isa/bird", Diagnostics: true},
			"result=disjoint\nmessage=No shared codes between the value sets http://example.org/vs/pets|7 and http://example.org/animals?fhir_vs=isa/bird\n" +
				"performed-expansion=true\nmissing-codes=cat,dog\nextra-codes=bird,dodo,fowl",
		},
		"one that cannot be evaluated": {
			engine.CompareRequest{
				ThisValueSet:  vs("a", of(animals, `,"filter":[{"property":"prey","op":"=","value":"mouse"}]`)),
				OtherValueSet: vs("b", of("http://example.org/vs/nowhere", `,"filter":[{"property":"x","op":"=","value":"y"}]`)+","+list(animals, "cat")),
				Diagnostics:   true,
			},
			unable + "Other expansion failed: *\nperformed-expansion=true",
		},
		"all of a system that is not there": {
			engine.CompareRequest{ThisValueSet: vs("a", of("http://nowhere", "")), OtherValueSet: vs("b", list("http://nowhere", "x")), Diagnostics: true},
			"result=superset\nmessage=The valueSet http://example.org/vs/a is a super-set of the valueSet http://example.org/vs/b\nperformed-expansion=false",
		},
		"all expressions of a grammar that is not there": {
			engine.CompareRequest{ThisValueSet: vs("a", of("http://example.org/endless", "")+","+isA("mammal")), OtherValueSet: vs("b", list(animals, "cat")), Limit: ptr(9), Diagnostics: true},
			unable + "This expansion failed: The value set 'http://example.org/vs/a' expansion has too many codes to produce (>9)\nperformed-expansion=true",
		},
		"some expressions, chosen by a filter": {
			engine.CompareRequest{ThisValueSet: vs("a", list(animals, "cat")+","+list("http://example.org/endless", "x")), OtherValueSet: vs("b", list(animals, "cat")+","+of("http://example.org/endless", `,"filter":[{"property":"x","op":"=","value":"z"}]`)), Diagnostics: true},
			unable + "Other expansion failed: The value set 'http://example.org/vs/b' expansion has too many codes to produce (>10000)\nperformed-expansion=true",
		},
		"listed expressions": {
			engine.CompareRequest{ThisValueSet: vs("a", isA("cat")+","+list("http://example.org/endless", "x")), OtherValueSet: vs("b", list("http://example.org/endless", "x")+","+list(animals, "cat")), Diagnostics: true},
			"result=same\nmessage=The value sets http://example.org/vs/a and http://example.org/vs/b contain the same codes\nperformed-expansion=true",
		},
		"a system that is not there": {
			engine.CompareRequest{ThisValueSet: vs("a", of("http://example.org/absent", "")+","+isA("cat")), OtherValueSet: vs("b", list(animals, "cat")), Diagnostics: true},
			unable + "This expansion failed: A definition for CodeSystem 'http://example.org/absent' could not be found, so the value set cannot be expanded\nperformed-expansion=true",
		},
		"both cannot be evaluated": {
			engine.CompareRequest{
				ThisValueSet:  vs("a", of("http://nowhere", `,"filter":[{"property":"x","op":"=","value":"y"}]`)),
				OtherValueSet: vs("b", of("http://nowhere", `,"filter":[{"property":"x","op":"=","value":"z"}]`)), Diagnostics: true,
			},
			unable + "Both expansions failed with different errors: *\nperformed-expansion=true",
		},
		"a fragment": {
			engine.CompareRequest{ThisValueSet: vs("a", of("http://example.org/part", "")), OtherValueSet: vs("b", list("http://example.org/part", "b", "a")), Diagnostics: true},
			unable + "Both expansions are unclosed.\nperformed-expansion=true",
		},
		"all units and some": {
			engine.CompareRequest{ThisValueSet: vs("a", of(ucum, "")), OtherValueSet: vs("b", list(ucum, "mg/dL", "kg.m4/s2")), Diagnostics: true},
			"result=superset\nmessage=The valueSet http://example.org/vs/a is a super-set of the valueSet http://example.org/vs/b\nperformed-expansion=false",
		},
		"units by filter, and some": {
			engine.CompareRequest{
				ThisValueSet:  vs("a", of(ucum, `,"filter":[{"property":"canonical","op":"=","value":"g"}]`)),
				OtherValueSet: vs("b", list(ucum, "mg", "kg")), Diagnostics: true,
			},
			unable + "This expansion is unclosed.\nperformed-expansion=true",
		},
		"units listed": {
			engine.CompareRequest{
				ThisValueSet:  decodeValueSet(`{"url":"http://example.org/vs/a","compose":{"include":[` + list(ucum, "kg.m4/s2", "mg", "[ft_i].[ft_i]") + `],"exclude":[` + list(ucum, "mg") + `]}}`),
				OtherValueSet: vs("b", list(ucum, "kg.m4/s2")), Diagnostics: true,
			},
			"result=superset\nmessage=The valueSet http://example.org/vs/a is a super-set of the valueSet http://example.org/vs/b\n" +
				"performed-expansion=true\ncommon-codes=kg.m4/s2\nmissing-codes=[ft_i].[ft_i]",
		},
		"nothing to compare": {
			engine.CompareRequest{ThisURL: pets, OtherValueSet: decodeValueSet(`{"url":"http://example.org/vs/bare"}`), Diagnostics: true},
			"result=indeterminate\nmessage=The ValueSet http://example.org/vs/bare has no compose",
		},
		"only an expansion": {
			engine.CompareRequest{ThisURL: pets, OtherValueSet: decodeValueSet(`{"expansion":{"contains":[{"system":"http://example.org/animals","code":"dog"}]}}`), Diagnostics: true},
			"result=superset\nmessage=The valueSet http://example.org/vs/pets|7 is a super-set of the valueSet given with the request\n" +
				"performed-expansion=true\ncommon-codes=dog\nmissing-codes=cat",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := comparison(t, e, &test.req)
			if begin, end, pattern := strings.Cut(test.want, "*"); pattern && strings.HasPrefix(got, begin) && strings.HasSuffix(got, end) {
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCompareVersions(t *testing.T) {
	e := zoo(t)
	older := build(t, r4.CodeSystem{Header: r4.Header{ID: "old", URL: animals, Version: "0.9.0"}}, c{code: "animal"}, c{code: "cat", parents: parents("animal")})
	publish(t, e, engine.CodeSystemEntry(older, "test"))
	all := func(version string) *r4.ValueSet {
		return decodeValueSet(fmt.Sprintf(`{"compose":{"include":[{"system":%q,"version":%q}]}}`, animals, version))
	}
	tests := map[string]struct {
		req  engine.CompareRequest
		want string
	}{
		"two versions":             {engine.CompareRequest{ThisValueSet: all("0.9.0"), OtherValueSet: all("")}, "subset"},
		"two versions, never":      {engine.CompareRequest{ThisValueSet: all("0.9.0"), OtherValueSet: all(""), VersionPolicy: "never"}, "subset"},
		"two versions, always":     {engine.CompareRequest{ThisValueSet: all("0.9.0"), OtherValueSet: all(""), VersionPolicy: "always"}, "disjoint"},
		"a rule makes it one":      {engine.CompareRequest{ThisValueSet: all("0.9.0"), OtherValueSet: all(""), Versions: engine.VersionRules{System: []string{animals + "|0.9.0"}}}, "same"},
		"a rule that is not met":   {engine.CompareRequest{ThisValueSet: all("0.9.0"), OtherValueSet: all(""), Versions: engine.VersionRules{Check: []string{animals + "|1.0.0"}}}, "indeterminate"},
		"a version nobody has":     {engine.CompareRequest{ThisValueSet: all("7"), OtherValueSet: all("")}, "indeterminate"},
		"the same, nobody has":     {engine.CompareRequest{ThisValueSet: all("7"), OtherValueSet: all("7")}, "same"},
		"the policy it is without": {engine.CompareRequest{ThisValueSet: all("0.9.0"), OtherValueSet: all("0.9.0"), VersionPolicy: "as-needed"}, "same"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := comparison(t, e, &test.req)
			if result, _, _ := strings.Cut(got, "\n"); result != "result="+test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// TestCompareParameters compares relations with those of expansions, which follow the parameters that
// value sets state.
func TestCompareParameters(t *testing.T) {
	e := zoo(t)
	older := build(t, r4.CodeSystem{Header: r4.Header{ID: "old", URL: animals, Version: "0.9.0"}}, c{code: "animal"}, c{code: "cat", parents: parents("animal")})
	publish(t, e, engine.CodeSystemEntry(older, "test"))
	of := func(rest string) string { return fmt.Sprintf(`{"system":%q,%s}`, animals, rest) }
	type side struct {
		name  string
		vs    *r4.ValueSet
		codes map[string]bool
	}
	var sides []side
	for _, include := range []string{
		of(`"filter":[]`), of(`"concept":[{"code":"animal"},{"code":"cat"},{"code":"dodo"}]`), of(`"concept":[{"code":"cat"}]`),
		of(`"filter":[{"property":"concept","op":"is-a","value":"animal"}]`), of(`"filter":[]`) + `],"exclude":[` + of(`"concept":[{"code":"dodo"}]`),
	} {
		for _, parameter := range []string{"", "activeOnly true", "activeOnly false", "excludeNotForUI true", "displayLanguage de", "system-version " + animals + "|0.9.0"} {
			extension := ""
			if name, value, found := strings.Cut(parameter, " "); found {
				extension = fmt.Sprintf(`"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter","extension":[{"url":"name","valueCode":%q},{"url":"value","valueString":%q}]}],`, name, value)
			}
			vs := decodeValueSet(fmt.Sprintf(`{"url":"http://example.org/vs/%d","status":"active","compose":{%s"include":[%s]}}`, len(sides), extension, include))
			publish(t, e, engine.ValueSetEntry(vs, "test"))
			r, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: vs.URL})
			if err != nil {
				t.Fatal(err)
			}
			s := side{parameter + " " + include, vs, map[string]bool{}}
			for i := range r.Entries {
				s.codes[r.Entries[i].Code] = true
			}
			sides = append(sides, s)
		}
	}
	for i, this := range sides {
		for j, other := range sides {
			common := 0
			for code := range this.codes {
				if other.codes[code] {
					common++
				}
			}
			want := valueset.Overlapping
			switch {
			case common == len(this.codes) && common == len(other.codes):
				want = valueset.Same
			case common == len(this.codes):
				want = valueset.Subset
			case common == len(other.codes):
				want = valueset.Superset
			case common == 0:
				want = valueset.Disjoint
			}
			req := engine.CompareRequest{ThisURL: this.vs.URL, OtherURL: other.vs.URL}
			if i%2 == 0 {
				req = engine.CompareRequest{ThisURL: pets, ThisValueSet: this.vs, OtherURL: other.vs.URL}
			}
			r, err := e.Compare(context.Background(), &req)
			if err != nil || r.Relation != want {
				t.Errorf("%s\nand %s: %+v %v, want %s", this.name, other.name, r, err, want)
			}
			if i == j && i%2 == 1 && r.PerformedExpansion != strings.Contains(this.name, `"exclude"`) {
				t.Errorf("%s is evaluated to compare it with itself", this.name)
			}
		}
	}
}

func TestCompareErrors(t *testing.T) {
	e := zoo(t)
	tests := map[string]struct {
		req  engine.CompareRequest
		want error
	}{
		"nothing":            {engine.CompareRequest{}, engine.ErrMissingParameter},
		"one only":           {engine.CompareRequest{ThisURL: pets}, engine.ErrMissingParameter},
		"unknown":            {engine.CompareRequest{ThisURL: pets, OtherURL: "http://example.org/vs/none"}, engine.ErrUnknownValueSet},
		"unknown version":    {engine.CompareRequest{ThisURL: pets, OtherURL: pets, ValueSetVersion: "8"}, engine.ErrUnknownVersion},
		"unknown id":         {engine.CompareRequest{ID: "none", OtherURL: pets}, engine.ErrUnknownID},
		"a malformed rule":   {engine.CompareRequest{ThisURL: pets, OtherURL: pets, Versions: engine.VersionRules{System: []string{animals + "|"}}}, r4.ErrCanonical},
		"a policy of no one": {engine.CompareRequest{ThisURL: pets, OtherURL: pets, VersionPolicy: "sometimes"}, engine.ErrInvalidParameter},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := e.Compare(context.Background(), &test.req); !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Compare(ctx, &engine.CompareRequest{ThisURL: pets, OtherURL: pets}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCompareTable(t *testing.T) {
	r, err := zoo(t).Compare(context.Background(), &engine.CompareRequest{ThisURL: "http://example.org/vs/mixed", OtherURL: pets, Diagnostics: true})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"result", "superset"}, {"performed-expansion", "true"}, {"common-codes", "dog, cat"}, {"missing-codes", "red, cat"}}
	if diff := cmp.Diff(want, r.Table().Rows); diff != "" || r.Yes() {
		t.Errorf("yes: %v\n%s", r.Yes(), diff)
	}
}

func ExampleEngine_Compare() {
	e := exampleEngine()
	r, err := e.Compare(context.Background(), &engine.CompareRequest{
		ThisURL:     "http://example.org/hot",
		OtherURL:    "http://example.org/drinks?fhir_vs=isa/coffee",
		Diagnostics: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Relation, r.Common, r.Missing)
	// Output: superset [coffee espresso] [tea]
}

// BenchmarkCompare relates pairs of is-a value sets of more than 500 codes: implicit ones
// by their definitions, or by their bitmaps where these do not tell; and ones from which
// a code is excluded, by their bitmaps only, without and with their codes.
func BenchmarkCompare(b *testing.B) {
	s := benchSystem(b)
	ctx := context.Background()
	const n = 32
	var given [n]*r4.ValueSet
	for i := range given {
		url := s.inner[i%len(s.inner)]
		code := url[strings.LastIndexByte(url, '/')+1:]
		given[i] = decodeValueSet(fmt.Sprintf(`{"compose":{"include":[{"system":%q,"filter":[{"property":"concept","op":"is-a","value":%q}]}],
			"exclude":[{"system":%q,"concept":[{"code":%q}]}]}}`, s.url, code, s.url, s.codes[i]))
	}
	run := func(name string, request func(i, j int) *engine.CompareRequest) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			evaluated, i := 0, 0
			for b.Loop() {
				r, err := s.engine.Compare(ctx, request(i%n, (i/n+7*i+1)%n))
				if err != nil {
					b.Fatal(err)
				}
				if r.PerformedExpansion {
					evaluated++
				}
				i++
			}
			b.ReportMetric(float64(evaluated)/float64(i), "evaluated/op")
		})
	}
	run("isa", func(i, j int) *engine.CompareRequest {
		return &engine.CompareRequest{ThisURL: s.inner[i%len(s.inner)], OtherURL: s.inner[j%len(s.inner)]}
	})
	run("excludes", func(i, j int) *engine.CompareRequest {
		return &engine.CompareRequest{ThisValueSet: given[i], OtherValueSet: given[j]}
	})
	run("codes", func(i, j int) *engine.CompareRequest {
		return &engine.CompareRequest{ThisValueSet: given[i], OtherValueSet: given[j], Diagnostics: true}
	})
}

// TestCompareLimit checks the limit on the codes of value sets that have to be evaluated.
func TestCompareLimit(t *testing.T) {
	const url = "http://example.org/numbers"
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{ResourceType: "CodeSystem", URL: url, Version: "1", Status: "active"}, Content: "complete"})
	for i := range 12_000 {
		if _, err := b.Add(&codesystem.Concept{Code: fmt.Sprintf("n%05d", i), Parent: -1}); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.WithMaxCount(11_000))
	publish(t, e, engine.CodeSystemEntry(x, "test"))
	from := func(name, pattern string) *r4.ValueSet {
		return &r4.ValueSet{
			Header:  r4.Header{ResourceType: "ValueSet", URL: "http://example.org/vs/" + name},
			Compose: &r4.Compose{Include: []r4.Include{{System: url, Filter: []r4.Filter{{Property: "code", Op: "regex", Value: pattern}}}}},
		}
	}
	large, all, small, other := from("large", "n0.*"), from("all", "n.*"), from("small", "n00.*"), from("other", "n001.*")
	tooMany := func(name string, limit int) string {
		return fmt.Sprintf("The value set 'http://example.org/vs/%s' expansion has too many codes to produce (>%d)", name, limit)
	}
	for _, tt := range []struct {
		name        string
		this, other *r4.ValueSet
		limit       *int
		want        valueset.Relation
		says        string
	}{
		{"small", small, other, nil, valueset.Superset, ""},
		{"at the limit", large, small, nil, valueset.Superset, ""},
		{"above the limit", all, small, nil, valueset.Indeterminate, "This expansion failed: " + tooMany("all", 10_000)},
		{"the other above the limit", small, all, nil, valueset.Indeterminate, "Other expansion failed: " + tooMany("all", 10_000)},
		{"both", all, from("again", "[n].*"), nil, valueset.Indeterminate, tooMany("all", 10_000) + "; " + tooMany("again", 10_000)},
		{"lowered", small, other, ptr(999), valueset.Indeterminate, "This expansion failed: " + tooMany("small", 999)},
		{"raised to the bound", all, small, ptr(1_000_000), valueset.Indeterminate, tooMany("all", 11_000)},
		{"by definition", all, all, nil, valueset.Same, ""},
		{"part of the whole", &r4.ValueSet{Compose: &r4.Compose{Include: []r4.Include{{System: url}}}}, all, nil, valueset.Same, ""},
	} {
		r, err := e.Compare(context.Background(), &engine.CompareRequest{ThisValueSet: tt.this, OtherValueSet: tt.other, Limit: tt.limit, Diagnostics: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Relation != tt.want || !strings.Contains(r.Message, tt.says) {
			t.Errorf("%s: %s, %q", tt.name, r.Relation, r.Message)
		}
	}
	if _, err := e.Compare(context.Background(), &engine.CompareRequest{ThisValueSet: small, OtherValueSet: other, Limit: ptr(-1)}); !errors.Is(err, engine.ErrInvalidParameter) {
		t.Error(err)
	}
	wide := engine.New()
	publish(t, wide, engine.CodeSystemEntry(x, "test"))
	if r, err := wide.Compare(context.Background(), &engine.CompareRequest{ThisValueSet: all, OtherValueSet: small, Limit: ptr(20_000)}); err != nil || r.Relation != valueset.Superset {
		t.Error(r, err)
	}
}
