package valueset

import (
	"context"
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
