package valueset

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// republishing returns another index of a system on each request, with the concepts in another
// order and other numbers.
type republishing struct {
	*world
	editions []*system
	n        int
}

func (r *republishing) CodeSystem(context.Context, string, string) (*codesystem.Index, error) {
	r.n++
	return r.editions[r.n%len(r.editions)].index, nil
}

func (r *republishing) ValueSet(ctx context.Context, canonical string, visiting []string) (*Set, error) {
	vs, err := r.ValueSetDefinition(ctx, canonical)
	if err != nil {
		return nil, err
	}
	return Compile(ctx, r, vs, visiting)
}

// A system that is published again between two includes is still one system.
func TestSystemPublishedWhileCompiling(t *testing.T) {
	one := &system{url: "http://a", concepts: []concept{{code: "x"}, {code: "y"}, {code: "z"}}}
	two := &system{url: "http://a", concepts: []concept{{code: "w"}, {code: "z"}, {code: "y"}, {code: "x"}}}
	src := &republishing{world: &world{}, editions: []*system{one.build(t), two.build(t)}}
	src.valueSets = []*r4.ValueSet{valueSet("http://vs/yz", r4.Compose{Include: []r4.Include{
		{System: "http://a", Concept: []r4.ConceptReference{{Code: "z", Display: "Zed"}, {Code: "y"}}},
	}})}
	include := func(codes ...string) r4.Include { return r4.Include{System: "http://a", Concept: refs(codes...)} }
	all := r4.Include{System: "http://a"}
	for _, c := range []struct {
		name    string
		compose r4.Compose
		want    []string
	}{
		{"union", r4.Compose{Include: []r4.Include{include("z"), include("y", "z", "x")}}, []string{"http://a#z", "http://a#y", "http://a#x"}},
		{"exclude", r4.Compose{Include: []r4.Include{all}, Exclude: []r4.Include{{ValueSet: []string{"http://vs/yz"}}}}, nil},
		{"intersection", r4.Compose{Include: []r4.Include{{System: "http://a", Concept: refs("y", "x", "z"), ValueSet: []string{"http://vs/yz"}}}}, []string{"http://a#y", "http://a#z"}},
	} {
		for range 2 {
			set, err := Compile(context.Background(), src, valueSet("", c.compose), nil)
			if err != nil {
				t.Fatal(err)
			}
			src.n++ // start with the other edition
			got := codesOf(t, set, PageRequest{Count: -1})
			if c.want == nil {
				for _, gone := range []string{"y", "z"} {
					if _, ok := set.Contains("http://a", "", gone); ok {
						t.Errorf("%s: %s is still there", c.name, gone)
					}
				}
				continue
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
	}
}

func TestParameters(t *testing.T) {
	parameter := func(url, name string, v r4.Value) r4.Extension {
		return r4.Extension{URL: url, Extension: r4.Extensions{{URL: "name", Value: r4.Code(name)}, {URL: "value", Value: v}}}
	}
	const url = "http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter"
	compose := &r4.Compose{Property: []string{"region"}, Extension: r4.Extensions{
		parameter(url, "displayLanguage", r4.Code("ja")),
		parameter("http://hl7.org/fhir/tools/StructureDefinition/valueset-expansion-parameter", "activeOnly", r4.Boolean(true)),
		parameter("http://example.org/valueset-expansion-parameter", "count", r4.String("1")),
		{URL: url, Extension: r4.Extensions{{URL: "name", Value: r4.Code("count")}}},
		{URL: url, Value: r4.String("count")},
	}}
	var got []string
	for _, p := range Parameters(compose) {
		got = append(got, p.Name+"="+p.Value.Text)
	}
	if diff := cmp.Diff([]string{"displayLanguage=ja", "activeOnly=true", "property=region"}, got); diff != "" {
		t.Error(diff)
	}
	if Parameters(nil) != nil {
		t.Error("parameters of nothing")
	}
}

// laterFirst is a world that can compare versions.
type laterFirst struct{ *world }

func (laterFirst) CompareVersions(a, b string) int {
	return map[bool]int{true: 1}[a > b] - map[bool]int{true: 1}[a < b]
}

func TestUses(t *testing.T) {
	w := &world{systems: []*system{zoo(t), (&system{url: "http://zoo", version: "2"}).build(t)}}
	for _, version := range []string{"1", "2"} {
		w.valueSets = append(w.valueSets, valueSet("http://vs/"+version, includes(all("http://zoo|"+version))))
	}
	src := laterFirst{w}
	const zoo = "http://zoo"
	system := func(url, version string) r4.Include { return r4.Include{System: url, Version: version} }
	for _, tt := range []struct {
		name    string
		compose r4.Compose
		want    []string
		several bool
		nests   bool
	}{
		{"whole system", r4.Compose{Include: []r4.Include{system(zoo, "")}}, []string{"http://zoo|1 named "}, false, true},
		{"list that gives nothing", r4.Compose{Include: []r4.Include{{System: zoo, Concept: refs("nobody")}}}, []string{"http://zoo|1 named "}, false, false},
		{"system that is not loaded", r4.Compose{Include: []r4.Include{{System: "http://elsewhere", Version: "2", Concept: refs("x")}}}, []string{"http://elsewhere|2 named 2"}, false, false},
		{"exclude", r4.Compose{Include: []r4.Include{system(zoo, "")}, Exclude: []r4.Include{{System: zoo, Version: "1", Concept: refs("cat")}}}, []string{"http://zoo|1 named ", "http://zoo|1 named 1"}, true, false},
		{"one filter", includes(isA(zoo, "cat")), []string{"http://zoo|1 named "}, false, true},
		{"a version twice", includes(all(zoo), r4.Include{ValueSet: []string{"http://vs/1"}}), []string{"http://zoo|1 named ", "| named ", "http://zoo|1 named 1"}, false, false},
		{"versions by import", includes(all(zoo), r4.Include{ValueSet: []string{"http://vs/2"}}), []string{"http://zoo|1 named ", "| named ", "http://zoo|2 named 2"}, true, false},
		{"restricted", includes(r4.Include{System: zoo, ValueSet: []string{"http://vs/2"}}), []string{"| named ", "http://zoo|1 named "}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := Compile(context.Background(), src, &r4.ValueSet{Header: r4.Header{URL: "http://vs/used"}, Compose: &tt.compose}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, u := range set.Dependencies() {
				got = append(got, fmt.Sprintf("%s|%s named %s", u.System, u.Version, u.NamedVersion))
				if u.NamedBy.URL != "http://vs/used" && (u.NamedBy.URL != "http://vs/"+u.Version || len(got) < 3) {
					t.Errorf("used by %q", u.NamedBy.URL)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if set.Versioned() != tt.several || set.Nests() != tt.nests {
				t.Errorf("versioned %v, nests %v", set.Versioned(), set.Nests())
			}
		})
	}
}
