package valueset

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources/r4"
)

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
	w := &world{systems: []*system{zoo(t)}}
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
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := Compile(context.Background(), src, &r4.ValueSet{Header: r4.Header{URL: "http://vs/used"}, Compose: &tt.compose}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, u := range set.Dependencies() {
				got = append(got, fmt.Sprintf("%s|%s named %s", u.System, u.Version, u.NamedVersion))
				if u.NamedBy.URL != "http://vs/used" {
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
