package operation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// impactConcept is a concept of a version that impactVersion draws.
type impactConcept struct{ display, status, definition, p, replaced, parent string }

const impactSystem = "http://s"

func impactCode(i int) string { return fmt.Sprint(100001 + i) }

// impactVersion draws a version of a code system with up to eight concepts.
func impactVersion(t *rapid.T, version string) (map[string]impactConcept, string) {
	concepts, list := map[string]impactConcept{}, []string{}
	from := func(label string, options ...string) string { return rapid.SampledFrom(options).Draw(t, label) }
	for i := range 8 {
		if i > 0 && from("there", "yes", "yes", "no") == "no" {
			continue
		}
		c := impactConcept{from("display", "x", "y"), from("status", "active", "retired"), from("definition", "", "d", "e"), from("p", "1", "2"), "", ""}
		properties := []string{fmt.Sprintf(`{"code":"status","valueCode":%q},{"code":"p","valueCode":%q},{"code":"notSelectable","valueBoolean":%t}`, c.status, c.p, c.p == "2")}
		if i > 0 {
			c.replaced = impactCode(rapid.IntRange(0, i-1).Draw(t, "replaced"))
			c.parent = impactCode(0)
			if up := impactCode(rapid.IntRange(0, i-1).Draw(t, "parent")); concepts[up].display != "" {
				c.parent = up
			}
			properties = append(properties, fmt.Sprintf(`{"code":"parent","valueCode":%q},{"code":"replacedBy","valueCode":%q}`, c.parent, c.replaced))
		}
		concepts[impactCode(i)] = c
		list = append(list, fmt.Sprintf(`{"code":%q,"display":%q,"definition":%q,"property":[%s]}`, impactCode(i), c.display, "-"+c.definition, strings.Join(properties, ",")))
	}
	return concepts, fmt.Sprintf(`{"resourceType":"CodeSystem","url":%q,"version":%q,"status":"active","content":"complete","hierarchyMeaning":"is-a","caseSensitive":true,"valueSet":"http://s/all",
		"property":[{"code":"status","type":"code"},{"code":"p","type":"code"},{"code":"notSelectable","type":"boolean"},{"code":"parent","type":"code"},{"code":"replacedBy","type":"code"}],"concept":[%s]}`,
		impactSystem, version, strings.Join(list, ","))
}

// brief is a row as text, with all its codes in order.
func brief(about, change, name string, codes ...string) string {
	slices.Sort(codes)
	return strings.TrimRight(fmt.Sprintf("%s %s %s %s", about, change, name, strings.Join(codes, ",")), " ")
}

// TestImpact compares $impact with expanding every value set in both versions, comparing every concept
// and reading every resource.
func TestImpact(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		eng := engine.New()
		svc := resources.NewService(memory.New(), nil)
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		publish := func(typ, id, doc string) {
			done, err := eng.Prepare(ctx, typ, id, []byte(doc))
			must(err)
			done()
		}
		var sides [2]map[string]impactConcept
		for i := range sides {
			var doc string
			sides[i], doc = impactVersion(t, fmt.Sprint(i+1))
			publish("CodeSystem", fmt.Sprint("s", i), doc)
		}
		some := func(label string) (codes []string) {
			for i := range 8 {
				if rapid.Bool().Draw(t, label) {
					codes = append(codes, impactCode(i))
				}
			}
			return codes
		}
		listed := func(codes []string) string {
			var list []string
			for _, code := range codes {
				list = append(list, fmt.Sprintf(`{"code":%q}`, code))
			}
			return `"concept":[` + strings.Join(list, ",") + `]`
		}
		expression := "<< " + impactCode(rapid.IntRange(0, 7).Draw(t, "root"))
		includes := []string{
			`{"system":"http://s"}`, `{"system":"http://s","version":"1"}`, `{"system":"http://t","concept":[{"code":"q"}]}`,
			`{"system":"http://s",` + listed(append(some("listed"), "other")) + `}`,
			`{"system":"http://s","filter":[{"property":"p","op":"=","value":"1"}]}`,
			`{"system":"http://s","filter":[{"property":"concept","op":"is-a","value":"` + impactCode(rapid.IntRange(0, 7).Draw(t, "isa")) + `"}]}`,
			`{"valueSet":["http://v0"]},{"valueSet":["http://v4"]}`,
			`{"valueSet":["http://v5"]},{"system":"http://t","concept":[{"code":"q"}]}],"exclude":[{"valueSet":["http://v4"]}`,
		}
		parameter := func(name, value string) string {
			return `],"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter","extension":[{"url":"name","valueCode":"` + name + `"},{"url":"value",` + value + `}]}`
		}
		leave := rapid.SampledFrom([]string{"activeOnly", "excludeNotForUI"}).Draw(t, "leave out")
		pin := rapid.SampledFrom([]string{"system-version", "force-system-version"}).Draw(t, "pin")
		includes = append(includes, includes[0]+parameter(leave, `"valueBoolean":true`), `{"valueSet":["http://s/all"]}`, includes[0]+parameter(pin, `"valueUri":"http://s|1"`))
		var want []string
		for i, include := range includes {
			publish("ValueSet", fmt.Sprint("v", i), fmt.Sprintf(`{"resourceType":"ValueSet","url":"http://v%d","status":"active","compose":{"include":[%s]}}`, i, include))
		}
		publish("ValueSet", "ecl", `{"resourceType":"ValueSet","url":"http://ecl","status":"active","compose":{"include":[{"system":"http://s","filter":[{"property":"constraint","op":"=","value":"`+expression+`"}]}]}}`)
		stored := []string{}
		for _, code := range some("stored") {
			stored = append(stored, fmt.Sprintf(`{"system":"http://s","code":%q}`, code))
		}
		publish("ValueSet", "stored", `{"resourceType":"ValueSet","url":"http://stored","status":"active","expansion":{"timestamp":"2026-01-01","contains":[{"display":"all","contains":[`+strings.Join(stored, ",")+`]}]}}`)
		mapped := some("mapped")
		elements := []string{}
		for _, code := range mapped {
			elements = append(elements, fmt.Sprintf(`{"code":%q,"target":[{"code":"q","equivalence":"equal"}]}`, code))
		}
		publish("ConceptMap", "m", `{"resourceType":"ConceptMap","url":"http://m","status":"active","group":[{"source":"http://s","target":"http://t","element":[`+strings.Join(append(elements, `{"code":"other"}`), ",")+`]}]}`)
		// A map to the code system itself. What it says of unmapped codes does not matter.
		own := []string{impactCode(rapid.IntRange(0, 7).Draw(t, "from")), impactCode(rapid.IntRange(0, 7).Draw(t, "to"))}
		publish("ConceptMap", "own", fmt.Sprintf(`{"resourceType":"ConceptMap","url":"http://own","status":"active","group":[{"source":"http://s","target":"http://s","element":[{"code":%q,"target":[{"code":%q,"equivalence":"equal"}]}],
			"unmapped":{"mode":"other-map","url":"http://nowhere"}}]}`, own[0], own[1]))

		// Concepts.
		for code, old := range sides[0] {
			c, both := sides[1][code]
			if !both {
				want = append(want, brief("concept", "removed", code))
				continue
			}
			for change, differs := range map[string]bool{
				"display": old.display != c.display, "status": old.status != c.status, "moved": old.parent != c.parent,
				"meaning definition": old.definition != c.definition, "meaning properties": old.p != c.p, "other": old.p != c.p,
			} {
				if differs {
					want = append(want, brief("concept", change, code))
				}
			}
		}
		for code := range sides[1] {
			if _, both := sides[0][code]; !both {
				want = append(want, brief("concept", "added", code))
			}
		}
		// Value sets, and the expression.
		differences := func(about, name string, sets [2]map[string]bool) {
			for i, change := range []string{"removed", "added"} {
				var codes []string
				for code := range sets[i] {
					if !sets[1-i][code] {
						codes = append(codes, code)
					}
				}
				if len(codes) > 0 {
					want = append(want, brief(about, change, name, codes...))
				}
			}
		}
		for _, name := range []string{"http://v0", "http://v1", "http://v2", "http://v3", "http://v4", "http://v5", "http://v6", "http://v7", "http://v8", "http://v9", "http://ecl", "http://stored"} {
			var sets [2]map[string]bool
			failed := 0
			for i := range sets {
				sets[i] = map[string]bool{}
				count := 100
				r, err := eng.Expand(ctx, &engine.ExpandRequest{URL: name, Count: &count, Versions: engine.VersionRules{System: []string{fmt.Sprint(impactSystem, "|", i+1)}}})
				switch {
				case err != nil:
					failed++
				case name == "http://v9": // all codes
					for code := range sides[i] {
						sets[i][code] = true
					}
				default:
					for j := range r.Entries {
						sets[i][r.Entries[j].Code] = true
					}
				}
			}
			if name == "http://v5" {
				r, err := eng.Impact(ctx, &engine.ImpactRequest{Old: impactSystem + "|1", New: impactSystem + "|2", ValueSets: []string{name}})
				must(err)
				if same := failed == 2 || failed == 0 && maps.Equal(sets[0], sets[1]); r.Yes() != same {
					t.Errorf("%s is affected: %t; %d versions fail", name, same, failed)
				}
			}
			switch {
			case failed > 0:
				want = append(want, brief("value-set", "failed", name))
				if name == "http://ecl" {
					want = append(want, brief("expression", "failed", expression))
				}
			default:
				differences("value-set", name, sets)
				if name == "http://ecl" {
					differences("expression", expression, sets)
				}
			}
		}
		// The concept maps.
		for name, codes := range map[string][]string{"http://m": mapped, "http://own": own} {
			var active [2]map[string]bool
			for i := range active {
				active[i] = map[string]bool{}
				for _, code := range codes {
					if sides[i][code].status == "active" {
						active[i][code] = true
					}
				}
			}
			differences("concept-map", name, active)
		}
		// Resources: some are changed, and some deleted.
		of := map[string][]string{}
		for i := range rapid.IntRange(0, 6).Draw(t, "resources") {
			id := fmt.Sprint("r", i)
			var codes []string
			for range rapid.IntRange(1, 2).Draw(t, "versions") {
				codes = some("has")
				var list []string
				for _, code := range append(slices.Clone(codes), "other") {
					list = append(list, fmt.Sprintf(`{"system":"http://s","code":%q}`, code), fmt.Sprintf(`{"system":"http://t","code":%q}`, code))
				}
				_, err := svc.Update(ctx, "Basic", id, []byte(`{"resourceType":"Basic","id":"`+id+`","code":{"coding":[`+strings.Join(list, ",")+`]}}`), resources.UpdateOptions{})
				must(err)
			}
			if rapid.IntRange(0, 3).Draw(t, "deleted") == 0 {
				_, err := svc.Delete(ctx, "Basic", id, resources.UpdateOptions{})
				must(err)
				continue
			}
			for _, code := range codes {
				of[code] = append(of[code], "Basic/"+id)
			}
		}
		for code, names := range of {
			if c, there := sides[1][code]; !there && sides[0][code].display != "" {
				want = append(want, brief("resource", "removed", code, names...))
			} else if c.status == "retired" {
				want = append(want, brief("resource", "inactive", code, names...))
			}
		}

		op := row(nil, "CodeSystem", "impact")
		var in operation.Input
		in.Reset(op)
		must(in.Add("old", impactSystem+"|1"))
		must(in.Add("new", impactSystem+"|2"))
		must(in.Add("expression", expression))
		result, err := op.Run(ctx, operation.Env{Engine: eng, Resources: svc}, &in)
		must(err)
		var got []string
		for _, r := range result.(*engine.ImpactResult).Rows {
			change := r.Change
			if change == "meaning" {
				change += " " + r.Field
			}
			if r.Count != len(r.First) {
				t.Errorf("%d codes, and %d are named", r.Count, len(r.First))
			}
			got = append(got, brief(r.About, change, r.Name, r.First...))
			// A code that is no longer active is replaced by what its last version says.
			gone := r.About == "concept" && r.Change == "removed" || r.About == "resource" || r.About == "concept" && r.Change == "status" && r.New == "retired"
			if !gone {
				continue
			}
			side := sides[1]
			if _, there := side[r.Name]; !there {
				side = sides[0]
			}
			var replaced []string
			if by := side[r.Name].replaced; by != "" && side[by].display != "" {
				replaced = append(replaced, "replacedby "+by+" "+side[by].display)
			}
			if r.Name == own[0] && own[0] != own[1] {
				replaced = append(replaced, "equal "+own[1]+" ")
			}
			var said []string
			for _, p := range r.Replacements {
				said = append(said, p.Relation+" "+p.Code+" "+p.Display)
			}
			if !slices.Equal(said, replaced) {
				t.Errorf("%s is replaced by %v, want %v", r.Name, said, replaced)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if !json.Valid(result.AppendJSON(nil)) || len(result.Table().Rows) == 0 && len(got) > 0 {
			t.Error("the answer cannot be written")
		}
	})
}
