package browser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

const (
	icd10cm    = "http://hl7.org/fhir/sid/icd-10-cm"
	hpo        = "http://human-phenotype-ontology.org"
	infections = "http://example.org/fhir/ValueSet/infections"
	phenotypes = "http://example.org/fhir/ConceptMap/phenotypes"
	harmful    = "http://example.org/harmful"
	harmText   = `<script>window.pwned=1</script><img src=x onerror="window.pwned=1"><style>*{display:none}</style>` + "\u202edesrever " + `"'&lt; 👩🏽‍⚕️ {{.}}`
)

// pageOf returns the address of a page below /ui.
func pageOf(name string, parameters ...string) string {
	query := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
	}
	return name + "?" + query.Encode()
}

// walkPlan is what page_walk.mjs is told.
type walkPlan struct {
	Folder   string            `json:"folder"`
	Words    string            `json:"words"`
	Tree     string            `json:"tree"`
	ValueSet string            `json:"valueSet"`
	Form     string            `json:"form"`
	Counts   string            `json:"counts"`
	Excluded string            `json:"excluded"`
	Filter   string            `json:"filter"`
	Pages    map[string]string `json:"pages"`
	Hostile  map[string]string `json:"hostile"`
}

// walkSteps are what it saw on the way.
type walkSteps struct {
	Hit, Concept, First, Child, Level, Closed, PlainConcept string
	TreeStops, FirstBytes                                   int
	PlainHits, PlainTree                                    bool
	Filtered, PlainFiltered                                 []string
	Why, PlainWhy                                           string

	// A concept in a form and a branch of a picture, by keys; a concept in a form without scripts.
	Offered, Picked, Searched, Box, Branch, PlainMeant, PlainPicked string
}

// runScript stores what a script prints as JSON in v.
func runScript(t *testing.T, v any, args ...string) {
	t.Helper()
	cmd := nodeScript(t, args...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", args[0], err, problems.String())
	}
	if err := json.Unmarshal(out, v); err != nil {
		t.Fatalf("%s: %v: %s", args[0], err, out)
	}
}

// servePage runs a server with ICD-10-CM, HPO and a code system whose texts would do harm.
func servePage(t *testing.T) *backendtest.Server {
	t.Helper()
	data := pageData(t)
	storePopulation(t, data)
	server := backendtest.Serve(t, backendtest.Released, "--data", data)
	long := strings.Repeat("very long ", 10_000)
	system := map[string]any{
		"resourceType": "CodeSystem", "id": "harmful", "url": harmful, "name": "Harmful", "title": harmText, "status": "active", "content": "complete",
		"concept": []any{
			map[string]any{"code": "a", "display": harmText, "definition": harmText, "concept": []any{map[string]any{"code": "b", "display": long}}},
			map[string]any{"code": "javascript:alert(1)", "display": "javascript:alert(1)"},
		},
	}
	putResource(t, server.URL, system)
	putResource(t, server.URL, infectionsSet())
	putResource(t, server.URL, map[string]any{
		"resourceType": "ConceptMap", "id": "phenotypes", "url": phenotypes, "name": "Phenotypes", "title": harmText, "status": "active",
		"sourceUri": infections, "group": []any{map[string]any{"source": icd10cm, "target": hpo, "element": []any{
			map[string]any{"code": "A00.1", "target": []any{map[string]any{"code": "HP:0002014", "display": "Diarrhea", "equivalence": "wider", "comment": harmText}}},
		}}},
	})
	storeHarmful(t, server)
	return server
}

// infectionsSet returns a value set that leaves out one code of those that it would have.
func infectionsSet() map[string]any {
	return map[string]any{
		"resourceType": "ValueSet", "id": "infections", "url": infections, "name": "Infections", "title": "Intestinal infections", "status": "active",
		"compose": map[string]any{
			"include": []any{map[string]any{"system": icd10cm, "filter": []any{map[string]any{"property": "concept", "op": "is-a", "value": "A00-A09"}}}},
			"exclude": []any{map[string]any{"system": icd10cm, "concept": []any{map[string]any{"code": "A00.0"}}}},
		},
	}
}

// putResource stores a resource by its id.
func putResource(t *testing.T, server string, resource map[string]any) {
	t.Helper()
	body, err := json.Marshal(resource)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("%s/%s/%s", server, resource["resourceType"], resource["id"])
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/fhir+json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("PUT %s: %s", address, answer.Status)
	}
}

// TestPage looks at the page in Chromium: on a phone and a wide screen, in light and dark and from right
// to left, axe finds nothing serious and nothing is wider than the screen; the keyboard alone and a
// browser without scripts find, browse and read; texts do nothing but show; and no error, no refusal of
// the content security policy and no request to another host is seen. go test -artifacts keeps pictures.
func TestPage(t *testing.T) {
	browser := browserFor(t)
	server := servePage(t)
	plan := walkPlan{
		Folder: t.ArtifactDir(), Words: "fracture of femur", Tree: pageOf("tree", "system", icd10cm), ValueSet: pageOf("valueset", "url", infections), Excluded: "A00.0", Filter: "typhoid",
		Form: pageOf("data", "type", "Condition"), Counts: pageOf("counts", "type", "Condition", "system", icd10cm),
		Pages: map[string]string{
			"find":        "",
			"find-words":  pageOf("", "q", "fracture"),
			"trees":       "tree",
			"tree":        pageOf("tree", "system", icd10cm, "code", "S72"),
			"tree-graph":  pageOf("tree", "system", hpo, "code", "HP:0002644"),
			"concept":     pageOf("concept", "system", icd10cm, "code", "S72.0"),
			"concept-hpo": pageOf("concept", "system", hpo, "code", "HP:0002644"),
			"valuesets":   "valuesets",
			"valueset":    pageOf("valueset", "url", infections),
			"why":         pageOf("valueset", "url", infections, "code", "A00.0", "system", icd10cm),
			"expression":  pageOf("ecl", "system", hpo, "q", "<< HP:0002644 OR < "),
			"compare":     pageOf("compare", "this", infections, "other", icd10cm+"?fhir_vs"),
			"basket":      pageOf("basket", "title", "Cholera", "system", hpo, "ecl", `<< code#"HP:0002014"`),
			"api":         pageOf("api", "tag", "Patient"),
			"maps":        "maps",
			"map":         pageOf("map", "url", phenotypes),
			"server":      "server",
		},
		Hostile: map[string]string{
			"harm-find":    pageOf("", "q", "reversed desrever", "system", harmful),
			"harm-list":    pageOf("", "system", harmful),
			"harm-tree":    pageOf("tree", "system", harmful, "code", "b"),
			"harm-concept": pageOf("concept", "system", harmful, "code", "a"),
			"harm-long":    pageOf("concept", "system", harmful, "code", "b"),
			"harm-map":     pageOf("map", "url", phenotypes),
			"harm-maps":    "maps",
			"harm-code":    pageOf("concept", "system", harmful, "code", "javascript:alert(1)"),
		},
	}
	maps.Copy(plan.Pages, dataPages())
	maps.Copy(plan.Hostile, harmfulDataPages())
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Problems, Found []string
		Steps           walkSteps
	}
	runScript(t, &got, "page_walk.mjs", browser, server.URL, string(text))
	for _, problem := range append(got.Problems, got.Found...) {
		t.Error(problem)
	}
	want := walkSteps{
		Hit: got.Steps.Hit, Concept: got.Steps.Concept, FirstBytes: got.Steps.FirstBytes, First: "A00-B99", Child: "A00-A09", Level: "2", Closed: "false", PlainConcept: got.Steps.Concept,
		TreeStops: 1, PlainHits: true, PlainTree: true, Filtered: got.Steps.Filtered, PlainFiltered: got.Steps.Filtered, Why: got.Steps.Why, PlainWhy: got.Steps.Why,
		Offered: got.Steps.Offered, Picked: got.Steps.Picked, Box: got.Steps.Box, Branch: got.Steps.Box, PlainMeant: got.Steps.PlainMeant, PlainPicked: got.Steps.Picked,
		Searched: "?type=Condition&p.code=" + url.QueryEscape(got.Steps.Picked),
	}
	if !reflect.DeepEqual(got.Steps, want) {
		t.Errorf("steps\n%+v, want\n%+v", got.Steps, want)
	}
	if n := got.Steps.FirstBytes; n < 1000 || n > 100_000 {
		t.Errorf("the first view takes %d bytes", n)
	}
	if !slices.ContainsFunc(got.Steps.Filtered, func(code string) bool { return strings.HasPrefix(code, "A0") }) {
		t.Errorf("the filter finds %q", got.Steps.Filtered)
	}
	if !strings.Contains(got.Steps.Why, "A00.0") {
		t.Errorf("why is A00.0 not in it: %q", got.Steps.Why)
	}
	for what, text := range map[string]string{"the first result": got.Steps.Hit, "the concept": got.Steps.Concept, "the first offer": got.Steps.Offered, "the first offer without scripts": got.Steps.PlainMeant} {
		if lower := strings.ToLower(text); !strings.Contains(lower, "fracture") || !strings.Contains(lower, "femur") {
			t.Errorf("%s of %q: %q", what, plan.Words, text)
		}
	}
	if t.Failed() {
		t.Logf("go test -artifacts keeps pictures: %s", plan.Folder)
	}
}

// aPatient is one of the population with a long history.
const aPatient = "42-30"

// storePopulation stores synthetic patients, whose diagnoses have codes of ICD-10-CM.
func storePopulation(t *testing.T, data string) {
	t.Helper()
	generate := backendtest.Released(t, "generate", "population", "--patients", "40", "--seed", "42", "--output", "store", "--data", data, "--codes", "Condition.code=ecl:"+icd10cm+"|*")
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("generate: %v: %s", err, out)
	}
}

// storeHarmful stores a patient, a condition and a measurement whose texts would do harm.
func storeHarmful(t *testing.T, server *backendtest.Server) {
	t.Helper()
	subject := map[string]any{"reference": "Patient/harmful", "display": harmText}
	long := strings.Repeat("very long ", 10_000)
	for path, resource := range map[string]map[string]any{
		"Patient/harmful": {"name": []any{map[string]any{"text": harmText}}, "address": []any{map[string]any{"text": long}}},
		"Condition/harmful": {
			"subject": subject, "onsetDateTime": "2020-02-03", "note": []any{map[string]any{"text": long}},
			"code": map[string]any{"text": harmText, "coding": []any{map[string]any{"system": "javascript:alert(1)", "code": "javascript:alert(2)", "display": harmText}, map[string]any{"system": harmful, "code": "a", "display": long}}},
		},
		"Observation/harmful": {
			"status": "final", "subject": subject, "effectiveDateTime": "2020-02-03",
			"code": map[string]any{"text": harmText}, "valueQuantity": map[string]any{"value": 1, "unit": harmText},
		},
	} {
		resource["resourceType"], resource["id"], _ = strings.Cut(path, "/")
		putResource(t, server.URL, resource)
	}
}

// dataPages are the pages about what is stored.
func dataPages() map[string]string {
	return map[string]string{
		"data":            "data",
		"data-search":     pageOf("data", "type", "Condition"),
		"data-words":      pageOf("data", "type", "Condition", "p.code", "fracture femur", "how.code", "below"),
		"data-resource":   pageOf("resource", "type", "Patient", "id", aPatient),
		"data-timeline":   pageOf("timeline", "patient", aPatient),
		"data-charts":     pageOf("charts", "patient", aPatient),
		"data-counts":     pageOf("counts", "type", "Condition", "system", icd10cm),
		"data-counts-obs": pageOf("counts", "type", "Observation", "by", "patients"),
	}
}

// harmfulDataPages are those with texts that would do harm.
func harmfulDataPages() map[string]string {
	return map[string]string{
		"harm-data-search":   pageOf("data", "type", "Condition", "p.patient", "Patient/harmful"),
		"harm-data-form":     pageOf("data", "type", "Patient", "p.name", harmText),
		"harm-data-patient":  pageOf("resource", "type", "Patient", "id", "harmful"),
		"harm-data-resource": pageOf("resource", "type", "Condition", "id", "harmful"),
		"harm-data-timeline": pageOf("timeline", "patient", "harmful"),
		"harm-data-charts":   pageOf("charts", "patient", "harmful"),
		"harm-data-counts":   pageOf("counts", "type", "Condition", "system", harmful),
	}
}
