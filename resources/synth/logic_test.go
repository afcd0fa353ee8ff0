package synth_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources/synth"
)

// firstLogic is the logic of the first Library.
const firstLogic = `library BloodPressureControl version '1.0.0'

using FHIR version '4.0.1'

valueset "Diseases": 'https://roget.health/fhir/ValueSet/clinic-diseases'

parameter "Measurement Period" Interval<DateTime>

context Patient

define "Initial Population":
  exists ([Condition: "Diseases"])

define "Denominator":
  "Initial Population"

define "Denominator Exclusion":
  exists ([Procedure])

define "Denominator Exception":
  exists ([MedicationRequest])

define "Numerator":
  exists ([Observation])

define "Numerator Exclusion":
  exists ([ServiceRequest])

define "All Encounters":
  [Encounter]

define "Measure Population":
  "All Encounters"

define function "Measure Observation"(visit Encounter):
  Count(visit.diagnosis)
`

var defined = regexp.MustCompile(`(?m)^define (?:function )?"([^"]*)"`)

// elm is an ELM library, in JSON or XML.
type elm struct {
	Identifier struct {
		ID      string `json:"id" xml:"id,attr"`
		Version string `json:"version" xml:"version,attr"`
	} `json:"identifier" xml:"identifier"`
	Statements struct {
		Def []struct {
			Name string `json:"name" xml:"name,attr"`
		} `json:"def" xml:"def"`
	} `json:"statements" xml:"statements"`
}

// names returns the names of all definitions but the first, the patient, which CQL does not
// define.
func (e *elm) names() []string {
	var list []string
	for _, d := range e.Statements.Def {
		list = append(list, d.Name)
	}
	return list[1:]
}

// Libraries contain their logic in CQL. Their ELM has the same name, version and definitions.
func TestLogic(t *testing.T) {
	seen := map[string]int{}
	each(t, "Library", synth.Options{Seed: 1}, 200, func(n int, body []byte) {
		root := parse(t, body)
		var definitions []string
		for c := range root.Get("content").Items() {
			contentType := c.Get("contentType").Text()
			if c.Get("url").Exists() {
				continue
			}
			data, err := base64.StdEncoding.DecodeString(c.Get("data").Text())
			if err != nil {
				t.Fatal(err)
			}
			seen[contentType]++
			var e struct{ Library elm }
			switch contentType {
			case "text/cql":
				if diff := cmp.Diff(firstLogic, string(data)); n == 0 && diff != "" {
					t.Errorf("logic (-want +got):\n%s", diff)
				}
				if head := "library " + root.Get("name").Text() + " version '" + root.Get("version").Text() + "'\n"; !strings.HasPrefix(string(data), head) {
					t.Errorf("%d: logic does not begin with %s", n, head)
				}
				for _, m := range defined.FindAllStringSubmatch(string(data), -1) {
					definitions = append(definitions, m[1])
				}
				continue
			case "application/elm+json":
				err = json.Unmarshal(data, &e)
			case "application/elm+xml":
				err = xml.Unmarshal(data, &e.Library)
			}
			if err != nil {
				t.Fatalf("%d: %v\n%s", n, err, data)
			}
			if id := e.Library.Identifier; id.ID != root.Get("name").Text() || id.Version != root.Get("version").Text() {
				t.Errorf("%d: %s is of %v", n, contentType, id)
			}
			if diff := cmp.Diff(definitions, e.Library.names()); diff != "" {
				t.Errorf("%d: definitions of %s (-CQL +ELM):\n%s", n, contentType, diff)
			}
		}
		if len(definitions) < 9 {
			t.Errorf("%d: %q", n, definitions)
		}
	})
	if len(seen) != 3 {
		t.Errorf("contents %v", seen)
	}
}

// A measure has the populations of its scoring, and its criteria name definitions of its library,
// the one with the same number.
func TestMeasures(t *testing.T) {
	libraries, logic := map[string]bool{}, map[string]string{}
	each(t, "Library", synth.Options{Seed: 1}, 200, func(_ int, body []byte) {
		root := parse(t, body)
		canonical := root.Get("url").Text() + "|" + root.Get("version").Text()
		data, err := base64.StdEncoding.DecodeString(root.Get("content").Index(0).Get("data").Text())
		if err != nil {
			t.Fatal(err)
		}
		libraries[canonical], logic[canonical] = true, string(data)
	})
	want := map[string]string{
		"proportion":          "initial-population denominator denominator-exclusion denominator-exception numerator numerator-exclusion",
		"ratio":               "initial-population denominator denominator-exclusion numerator numerator-exclusion",
		"continuous-variable": "initial-population measure-population measure-observation",
		"cohort":              "initial-population",
	}
	languages := map[string]int{}
	each(t, "Measure", synth.Options{Seed: 1}, 200, func(n int, body []byte) {
		root := parse(t, body)
		canonical := root.Get("library").Index(0).Text()
		if !libraries[canonical] {
			t.Fatalf("%d: there is no library %s", n, canonical)
		}
		scoring := root.Get("scoring").Get("coding").Index(0).Get("code").Text()
		if got := strings.Join(texts(root, "group.population.code.coding.code"), " "); got != want[scoring] {
			t.Errorf("%d: populations of %s: %s", n, scoring, got)
		}
		definitions := defined.FindAllStringSubmatch(logic[canonical], -1)
		for p := range root.Get("group").Index(0).Get("population").Items() {
			language, expression := p.Get("criteria").Get("language").Text(), p.Get("criteria").Get("expression").Text()
			languages[language]++
			named := slices.ContainsFunc(definitions, func(m []string) bool { return m[1] == expression })
			if language == "text/cql" {
				named = strings.Contains(logic[canonical], "\n  "+expression+"\n")
			}
			if !named {
				t.Errorf("%d: %s %q is not in the logic", n, language, expression)
			}
		}
	})
	if len(languages) != 2 || languages["text/cql-identifier"] < languages["text/cql"] {
		t.Errorf("languages %v", languages)
	}
}
