package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
)

// post runs a row with a Parameters body, as an edge does.
func post(t testing.TB, r *operation.Runner, typ, name, parameters string) (string, error) {
	t.Helper()
	p, err := r4.DecodeParameters([]byte(`{"resourceType":"Parameters","parameter":[` + parameters + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	var in operation.Input
	in.Reset(row(t, typ, name))
	if err := in.DecodeParameters(p, false); err != nil {
		return "", err
	}
	result, err := r.Run(context.Background(), &in)
	if err != nil {
		return "", err
	}
	body := result.AppendJSON(nil)
	if !json.Valid(body) {
		t.Fatalf("not JSON: %s", body)
	}
	return string(body), nil
}

// Documents that requests bring along: a code system in two versions, a value set, a map.
const (
	fruit1  = `{"name":"tx-resource","resource":{"resourceType":"CodeSystem","url":"http://fruit","version":"1","name":"Fruit","status":"active","content":"complete","concept":[{"code":"fig","display":"Fig"}]}}`
	fruit2  = `{"name":"tx-resource","resource":{"url":"http://fruit","version":"2","status":"active","content":"complete","concept":[{"code":"fig","display":"Common fig"},{"code":"plum","display":"Plum"}],"resourceType":"CodeSystem"}}`
	fruits  = `{"name":"tx-resource","resource":{"resourceType":"ValueSet","url":"http://fruits","status":"active","compose":{"include":[{"system":"http://fruit"}]}}}`
	toTrees = `{"name":"tx-resource","resource":{"resourceType":"ConceptMap","url":"http://trees","status":"active","group":[{"source":"http://fruit","target":"http://tree","element":[{"code":"fig","target":[{"code":"figtree","equivalence":"relatedto"}]}]}]}}`
	patient = `{"name":"tx-resource","resource":{"resourceType":"Patient","id":"p"}}`
)

func coding(system, code string) string {
	return `{"name":"coding","valueCoding":{"system":"` + system + `","code":"` + code + `"}}`
}

// TestResourcesOfRequest runs operations of each type on resources that come along.
func TestResourcesOfRequest(t *testing.T) {
	r := operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{})
	for _, tt := range []struct{ typ, name, parameters, want string }{
		{"CodeSystem", "lookup", fruit1 + "," + coding("http://fruit", "fig"), `"valueString":"Fig"`},
		{"CodeSystem", "lookup", fruit1 + "," + fruit2 + "," + patient + "," + coding("http://fruit", "fig"), `"valueString":"Common fig"`},
		{"CodeSystem", "lookup", fruit2 + "," + fruit1 + `,{"name":"version","valueString":"1"},` + coding("http://fruit", "fig"), `"valueString":"Fig"`},
		{"CodeSystem", "lookup", fruit1 + "," + coding("http://s", "b"), `"valueString":"Beta"`},
		{"ValueSet", "expand", fruit2 + "," + fruits + `,{"name":"url","valueUri":"http://fruits"}`, `"total":2`},
		{"ValueSet", "validate-code", fruit2 + "," + fruits + `,{"name":"url","valueUri":"http://fruits"},` + coding("http://fruit", "plum"), `{"name":"result","valueBoolean":true}`},
		{"ConceptMap", "translate", toTrees + `,{"name":"url","valueUri":"http://trees"},` + coding("http://fruit", "fig"), `"figtree"`},
	} {
		for range 2 { // made, and kept
			got, err := post(t, r, tt.typ, tt.name, tt.parameters)
			if err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("%s: %s %v", tt.parameters, got, err)
			}
		}
	}
	if _, err := post(t, r, "CodeSystem", "lookup", coding("http://fruit", "fig")); !errors.Is(err, engine.ErrUnknownSystem) {
		t.Errorf("a request sees what another one brought along: %v", err)
	}
}

// TestResourcesRefused checks that the resource at fault is named.
func TestResourcesRefused(t *testing.T) {
	r := operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{MaxResources: 2, MaxBytes: 1000})
	long := `{"name":"tx-resource","resource":{"resourceType":"ValueSet","url":"http://x","title":"` + strings.Repeat("x", 1000) + `"}}`
	for parameters, want := range map[string]string{
		fruit1 + `,{"name":"tx-resource","resource":{"url":"http://x"}}`:                                                                        "tx-resource[1]: the resource has no resourceType",
		fruit1 + `,{"name":"tx-resource","resource":{"resourceType":"ValueSet","url":7}}`:                                                       "tx-resource[1]",
		`{"name":"tx-resource","resource":{"resourceType":"CodeSystem","url":"http://fruit","content":"complete","concept":[{"code":7}]}}`:      "tx-resource[0]",
		`{"name":"tx-resource","resource":{"resourceType":"CodeSystem","url":"http://fruit","content":"complete","concept":[{"display":"x"}]}}`: "tx-resource[0]",
		fruit1 + "," + fruit2 + "," + fruits: "3 resources, more than the 2",
		long:                                 "bytes, more than the 1000",
		`{"name":"tx-resource","valueString":"x"}`: "tx-resource: valueString, where Resource is expected",
	} {
		_, err := post(t, r, "CodeSystem", "lookup", parameters+","+coding("http://fruit", "fig"))
		if !errors.Is(err, engine.ErrInvalidParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", parameters, err)
			continue
		}
		if class, _ := operation.Outcome(err); class != issue.ClassInvalid {
			t.Errorf("%s: class %d", parameters, class)
		}
	}
}

// TestBatch checks that what stands beside the validations holds for those that do not
// say otherwise, and that one that fails leaves the others alone.
func TestBatch(t *testing.T) {
	r := operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{})
	validation := func(parameters string) string {
		return `{"name":"validation","resource":{"resourceType":"Parameters","parameter":[` + parameters + `]}}`
	}
	url := `{"name":"url","valueUri":"http://v"}`
	for _, tt := range []struct {
		name, typ, parameters string
		want                  []string // a part of each answer
	}{
		{
			"shared value set", "ValueSet", url + "," + validation(coding("http://s", "a")) + "," + validation(coding("http://s", "z")),
			[]string{`"valueBoolean":true`, `"valueBoolean":false`},
		},
		{
			"own value set", "ValueSet", url + "," + fruit1 + "," + validation(coding("http://fruit", "fig")+`,{"name":"url","valueUri":"http://fruit?fhir_vs"}`),
			[]string{`"valueBoolean":true`},
		},
		{
			"one fails", "ValueSet", url + "," + validation(`{"name":"code","valueUri":""}`) + "," + validation(coding("http://s", "b")) + "," + validation(`{"name":"date","valueDate":"soon"},`+coding("http://s", "b")),
			[]string{`{"resourceType":"OperationOutcome"`, `"valueBoolean":true`, `{"resourceType":"OperationOutcome"`},
		},
		{
			"no value set", "ValueSet", validation(`{"name":"url","valueUri":"http://v"},`+coding("http://s", "b")) + "," + validation(coding("http://s", "z")),
			[]string{`"valueBoolean":true`, `"valueBoolean":false`},
		},
		{
			"code system", "CodeSystem", `{"name":"url","valueUri":"http://s"},` + validation(`{"name":"code","valueCode":"a"}`) + "," + validation(`{"name":"code","valueCode":"a"},{"name":"display","valueString":"No"}`),
			[]string{`"valueBoolean":true`, `"valueBoolean":false`},
		},
		{
			"value set of one", "ValueSet", url + "," + fruit1 + "," + validation(`{"name":"valueSet","resource":{"resourceType":"ValueSet","status":"active","compose":{"include":[{"system":"http://fruit"}]}}},`+coding("http://fruit", "fig")) + "," + validation(coding("http://s", "a")),
			[]string{`"valueBoolean":true`, `"valueBoolean":true`},
		},
		{
			"not Parameters", "ValueSet", url + `,{"name":"validation","resource":{"resourceType":"Basic"}},` + validation(coding("http://s", "a")),
			[]string{`{"resourceType":"OperationOutcome"`, `"valueBoolean":true`},
		},
		{
			"resources of one", "ValueSet", validation(fruit1+","+fruits+`,{"name":"url","valueUri":"http://fruits"},`+coding("http://fruit", "fig")) + "," + validation(`{"name":"url","valueUri":"http://fruits"},`+coding("http://fruit", "fig")),
			[]string{`"valueBoolean":true`, `{"resourceType":"OperationOutcome"`},
		},
	} {
		got, err := post(t, r, tt.typ, "batch-validate-code", tt.parameters)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		doc, err := r4.DecodeParameters([]byte(got))
		if err != nil || len(doc.Parameter) != len(tt.want) {
			t.Errorf("%s: %s %v", tt.name, got, err)
			continue
		}
		for i, p := range doc.Parameter {
			if p.Name != "validation" || !strings.Contains(string(p.Resource), tt.want[i]) {
				t.Errorf("%s: answer %d is %s", tt.name, i, p.Resource)
			}
		}
	}
	if _, err := post(t, r, "ValueSet", "batch-validate-code", url); !errors.Is(err, engine.ErrMissingParameter) {
		t.Error("without validations:", err)
	}
	many := url + strings.Repeat(`,{"name":"validation","resource":{}}`, 10_001)
	if _, err := post(t, r, "ValueSet", "batch-validate-code", many); !errors.Is(err, engine.ErrInvalidParameter) || !strings.Contains(err.Error(), "10001 validations") {
		t.Error("too many validations:", err)
	}
}

// TestBatchTable checks that people see all answers.
func TestBatchTable(t *testing.T) {
	var in operation.Input
	in.Reset(row(t, "CodeSystem", "batch-validate-code"))
	for _, value := range []string{
		`{"resourceType":"Parameters","parameter":[` + coding("http://s", "a") + `]}`,
		`{"resourceType":"Parameters","parameter":[{"name":"code","valueCode":""}]}`,
	} {
		if err := in.Add("validation", value); err != nil {
			t.Fatal(err)
		}
	}
	r, err := in.Op.Run(context.Background(), operation.Env{Engine: tableEngine(t)}, &in)
	if err != nil {
		t.Fatal(err)
	}
	table := r.Table()
	last := table.Rows[len(table.Rows)-1]
	if r.Yes() || len(table.Rows) < 4 || table.Rows[0][0] != "1" || last[0] != "2" || last[1] != "error" {
		t.Errorf("%+v", table)
	}
}

func TestVersions(t *testing.T) {
	got, err := post(t, operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{}), "", "versions", "")
	const want = `{"resourceType":"Parameters","parameter":[{"name":"version","valueCode":"4.0"},{"name":"default","valueCode":"4.0"}]}`
	if err != nil || got != want {
		t.Error(got, err)
	}
}
