package valueset

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources/r4"
)

// tree formats an explanation as lines: + or - for the verdict, label, reason.
func tree(node *Explanation) []string {
	sign := "-"
	if node.Verdict {
		sign = "+"
	}
	lines := []string{fmt.Sprintf("%s %s: %s", sign, node.Label, node.Reason)}
	for _, c := range node.Children {
		for _, l := range tree(c) {
			lines = append(lines, "  "+l)
		}
	}
	return lines
}

func TestExplain(t *testing.T) {
	z := zoo(t)
	active := false
	w := &world{systems: []*system{z}, valueSets: []*r4.ValueSet{
		valueSet("http://vs/black", r4.Compose{Include: []r4.Include{{System: z.url, Filter: []r4.Filter{{Property: "color", Op: "=", Value: "black"}}}}}),
	}}
	isA := func(code string) []r4.Filter { return []r4.Filter{{Property: "concept", Op: "is-a", Value: code}} }
	for _, c := range []struct {
		name, code string
		compose    r4.Compose
		want       string
	}{
		{"the path of is-a", "bat", r4.Compose{Include: []r4.Include{{System: z.url, Filter: isA("animal")}}}, `
+ http://vs: selected by include[0]
  + include[0]: codes of http://zoo that pass 1 filter: all conditions hold
    + system http://zoo: the code is in http://zoo|1
    + filter concept is-a "animal": path bat → mammal → animal`},
		{"not below", "flier", r4.Compose{Include: []r4.Include{{System: z.url, Filter: isA("animal")}}}, `
- http://vs: no include selects it
  - include[0]: codes of http://zoo that pass 1 filter: animal is not an ancestor of flier
    + system http://zoo: the code is in http://zoo|1
    - filter concept is-a "animal": animal is not an ancestor of flier`},
		{"values of a property", "dog", r4.Compose{Include: []r4.Include{{System: z.url, Filter: []r4.Filter{{Property: "color", Op: "in", Value: "black,grey"}, {Property: "parent", Op: "=", Value: "mammal"}}}}}, `
- http://vs: no include selects it
  - include[0]: codes of http://zoo that pass 2 filters: the concept has color "brown"
    + system http://zoo: the code is in http://zoo|1
    - filter color in "black,grey": the concept has color "brown"
    + filter parent = "mammal": the concept has parent "mammal"`},
		{"an exclude", "cat", r4.Compose{Include: []r4.Include{{System: z.url}}, Exclude: []r4.Include{{System: z.url, Concept: refs("dog", "cat")}}}, `
- http://vs: selected by include[0] and removed by exclude[0]
  + include[0]: all codes of http://zoo: all conditions hold
    + system http://zoo: the code is in http://zoo|1
  + exclude[0]: 2 codes listed of http://zoo: all conditions hold
    + system http://zoo: the code is in http://zoo|1
    + 2 listed codes: the code is listed`},
		{"an import", "cat", r4.Compose{Include: []r4.Include{{System: z.url, ValueSet: []string{"http://vs/black"}}}}, `
+ http://vs: selected by include[0]
  + include[0]: all codes of http://zoo, restricted to codes in 1 value set: all conditions hold
    + system http://zoo: the code is in http://zoo|1
    + value set http://vs/black: the code is in the value set http://vs/black: selected by include[0]
      + include[0]: codes of http://zoo that pass 1 filter: all conditions hold
        + system http://zoo: the code is in http://zoo|1
        + filter color = "black": the concept has color "black"`},
		{"inactive", "dodo", r4.Compose{Inactive: &active, Include: []r4.Include{{System: z.url}}}, `
- http://vs: it is inactive, and the value set includes only active codes
  + include[0]: all codes of http://zoo: all conditions hold
    + system http://zoo: the code is in http://zoo|1`},
		{"a system that is missing", "cat", r4.Compose{Include: []r4.Include{{System: "http://none"}, {System: z.url, Concept: refs("cat")}}}, `
+ http://vs: selected by include[1]; could not be evaluated: include[0]
  - include[0]: all codes of http://none: system: unknown code system: http://none
    - system http://none: the code belongs to another system, http://zoo
  + include[1]: 1 code listed of http://zoo: all conditions hold
    + system http://zoo: the code is in http://zoo|1
    + 1 listed code: the code is listed`},
		{"a filter that fails", "cat", r4.Compose{Include: []r4.Include{{System: z.url, Filter: isA("yeti")}}}, `
- http://vs: no include selects it; could not be evaluated: include[0]
  - include[0]: codes of http://zoo that pass 1 filter: filter[0]: http://zoo|1: filter concept is-a "yeti": unknown code
    + system http://zoo: the code is in http://zoo|1
    - filter concept is-a "yeti": filter concept is-a "yeti": unknown code`},
		{"no such code", "yeti", r4.Compose{Include: []r4.Include{{System: z.url, Filter: isA("animal")}}}, `
- http://vs: no include selects it
  - include[0]: codes of http://zoo that pass 1 filter: the code is not in http://zoo|1; the code does not exist, so the filter was not applied
    - system http://zoo: the code is not in http://zoo|1
    - filter concept is-a "animal": the code does not exist, so the filter was not applied`},
	} {
		t.Run(c.name, func(t *testing.T) {
			node, err := Explain(context.Background(), w, valueSet("http://vs", c.compose), z.url, "", c.code, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(strings.TrimSpace(c.want), "\n"), tree(node)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestExplainReasons checks the reasons at the leaves of explanations, with and without definitions.
func TestExplainReasons(t *testing.T) {
	z := zoo(t)
	part := (&system{url: "http://part", content: "fragment", insensitive: true, concepts: []concept{{code: "p"}}}).build(t)
	w := &world{systems: []*system{z, part}, valueSets: []*r4.ValueSet{
		{Header: r4.Header{URL: "http://vs/x"}, Expansion: &r4.Expansion{Contains: []r4.ExpansionContains{{System: z.url, Code: "cat"}}}},
	}}
	from := func(sets ...string) r4.Include { return r4.Include{ValueSet: sets} }
	for _, c := range []struct {
		system, version, code string
		compose               r4.Compose
		want                  string
	}{
		{"http://none", "", "x", includes(codes("http://none", "x"), all("http://none")), `selected by include[0]; could not be evaluated: include[1]
+ the code system is not loaded; its listed codes are accepted unchecked
+ the code is listed
- unknown code system: http://none`},
		{z.url, "9", "cat", includes(all(z.url)), `no include selects it
- version 9 of the code system was requested, but the value set uses http://zoo|1`},
		{part.url, "", "q", includes(codes(part.url, "Q", "q"), all(part.url)), `selected by include[0]
+ http://part is not complete; its listed codes are accepted unchecked
+ the code is listed
- the code is not in http://part`},
		{part.url, "", "P", includes(codes(part.url, "x", "p"), codes(part.url, "q")), `selected by include[0]
+ the code is in http://part
+ the code is listed
+ the code is in http://part
- the code is not among those listed`},
		{"", "", "cat", includes(from("http://vs/x", "http://vs/x"), from("#in", "#in"), from("#none")), `selected by include[0], include[1]; could not be evaluated: include[2]
+ the code is in the value set http://vs/x: it is in the stored expansion
+ the code is in the value set http://vs/x: explained above
+ the code is in http://zoo|1
+ the code is in the value set #in: explained above
- unknown value set: no contained resource has the id "none"`},
		{z.url, "", "dog", r4.Compose{Include: []r4.Include{all(z.url), from("http://vs/x", "http://vs/y")}, Exclude: []r4.Include{from("http://vs/y"), filtered(z.url, "code is-a y"), {}}}, `selected by include[0]; could not be evaluated: include[1], exclude[0], exclude[1], exclude[2]
+ the code is in http://zoo|1
- the code is not in the value set http://vs/x: it is not in the stored expansion
- http://vs/y: unknown value set: http://vs/y
- http://vs/y: unknown value set: http://vs/y
+ the code is in http://zoo|1
- filter code is-a "y": unknown code
- invalid compose: neither system nor valueSet is given (vsd-1)`},
		{z.url, "", "mammal", includes(filtered(z.url, "concept generalizes cat", "concept is-a mammal", "concept child-of animal", "concept descendent-leaf animal", "concept generalizes bird")), `no include selects it
+ the code is in http://zoo|1
+ path cat → mammal
+ mammal is that code itself
+ path mammal → animal
- path mammal → animal; mammal has children
- mammal is not an ancestor of bird`},
		{z.url, "", "cat", includes(filtered(z.url, "concept child-of animal", "concept descendent-leaf animal", "constraint = *", "constraint = * MINUS *", "child = x")), `no include selects it
+ the code is in http://zoo|1
- path cat → mammal → animal; animal is not a parent of cat
+ path cat → mammal → animal
+ the concept matches the expression
- the concept does not match the expression
- the concept has no property child`},
		{z.url, "", "bird", includes(filtered(z.url, "code regex b.*", "display = Bird", "parent = cat", "child = dodo", "color = red", "definition exists true")), `no include selects it
+ the code is in http://zoo|1
+ the code is "bird"
+ the display is "Bird"
- the concept has parent "animal"
+ the concept has child "dodo"
- the concept has no property color
- the definition is ""`},
	} {
		vs := valueSet("http://vs", c.compose)
		vs.Contained = []json.RawMessage{[]byte(`{"resourceType":"ValueSet","id":"in","compose":{"include":[{"system":"http://zoo"}]}}`)}
		node, err := Explain(t.Context(), w, vs, c.system, c.version, c.code, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{node.Reason}
		var leaves func(*Explanation)
		leaves = func(n *Explanation) {
			if len(n.Children) == 0 {
				got = append(got, map[bool]string{true: "+ ", false: "- "}[n.Verdict]+n.Reason)
			}
			for _, c := range n.Children {
				leaves(c)
			}
		}
		leaves(node)
		if diff := cmp.Diff(strings.Split(c.want, "\n"), got); diff != "" {
			t.Errorf("%s in %v (-want +got):\n%s", c.code, c.compose, diff)
		}
		if blind, err := Explain(t.Context(), struct{ Source }{w}, vs, c.system, c.version, c.code, nil); err != nil || blind.Verdict != node.Verdict {
			t.Errorf("%s in %v, without definitions: %v, %v", c.code, c.compose, tree(blind), err)
		}
	}
}

func TestExplainLooseCodes(t *testing.T) {
	w := &world{systems: []*system{zoo(t)}}
	vs := valueSet("", r4.Compose{Include: []r4.Include{{System: "http://none", Concept: refs("x")}, {System: "http://zoo", Version: "9", Concept: refs("cat")}}})
	for _, c := range []struct {
		system, version, code string
		want                  bool
	}{
		{"http://none", "", "x", true},
		{"http://none", "", "y", false},
		{"http://none", "3", "x", true},
		{"", "", "x", true},
		{"http://zoo", "9", "cat", true},
		{"http://zoo", "1", "cat", false},
	} {
		node, err := Explain(context.Background(), w, vs, c.system, c.version, c.code, nil)
		if err != nil || node.Verdict != c.want {
			t.Errorf("%+v: %v, %v", c, strings.Join(tree(node), "\n"), err)
		}
		if node.Label != "value set" {
			t.Errorf("label %q", node.Label)
		}
	}
}

// Where versions count as one, a code that an earlier version spells otherwise is explained as it is found.
func TestExplainOtherSpelling(t *testing.T) {
	one := (&system{url: "http://a", version: "1", concepts: []concept{{code: "C"}}}).build(t)
	two := (&system{url: "http://a", version: "2", insensitive: true, concepts: []concept{{code: "C"}}}).build(t)
	w := &world{systems: []*system{one, two}}
	vs := valueSet("", r4.Compose{Extension: r4.Extensions{VersionsMatch(true)}, Include: []r4.Include{all("http://a|1"), all("http://a|2")}})
	for code, want := range map[string]bool{"c": false, "C": true} {
		_, in := compile(t, w, vs).Contains("http://a", "", code)
		if node, err := Explain(t.Context(), w, vs, "http://a", "", code, nil); err != nil || node.Verdict != want || in != want {
			t.Errorf("%s: %v, %v; contained: %v", code, tree(node), err, in)
		}
	}
}
