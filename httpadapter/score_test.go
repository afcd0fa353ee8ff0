package httpadapter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// gad returns a response to GAD-7 with the given number of items, all with the same answer.
func gad(items, answer int) string {
	var list []string
	for i := range items {
		list = append(list, fmt.Sprintf(`{"linkId":"%d","answer":[{"valueInteger":%d}]}`, i+1, answer))
	}
	return `{"resourceType":"QuestionnaireResponse","id":"gad","status":"completed","questionnaire":"http://t.example/Questionnaire/GAD-7|1","item":[` + strings.Join(list, ",") + `]}`
}

// TestScore scores a resource in the request and a stored one.
func TestScore(t *testing.T) {
	c := newClient(t)
	c.do("PUT", "/QuestionnaireResponse/gad", gad(7, 2)).want(t, 201)
	unnamed := strings.Replace(gad(7, 3), "GAD-7|1", "intake", 1)
	const whole = `[{"name":"instrument","valueCode":"gad-7"},{"name":"total","valueInteger":14},{"name":"band","valueString":"moderate"},{"name":"complete","valueBoolean":true},{"name":"answered","valueInteger":7}]`
	with := func(resource, more string) string {
		return `{"resourceType":"Parameters","parameter":[{"name":"resource","resource":` + resource + `}` + more + `]}`
	}
	for _, tt := range []struct{ method, path, body, want string }{
		{"POST", "/QuestionnaireResponse/$score", gad(7, 2), whole},
		{"POST", "/baseR4/QuestionnaireResponse/$score", with(gad(7, 2), ""), whole},
		{"POST", "/QuestionnaireResponse/$score", with(unnamed, `,{"name":"instrument","valueCode":"gad-7"}`), `"valueInteger":21},{"name":"band","valueString":"severe"}`},
		{"POST", "/QuestionnaireResponse/$score?instrument=GAD7", unnamed, `"valueInteger":21`},
		{"POST", "/QuestionnaireResponse/$score", gad(6, 1), `"parameter":[{"name":"instrument","valueCode":"gad-7"},{"name":"complete","valueBoolean":false},{"name":"answered","valueInteger":6},{"name":"partial","valueInteger":6},{"name":"missing","valueString":"7"}]`},
		{"GET", "/QuestionnaireResponse/gad/$score", "", whole},
		{"GET", "/baseR4/QuestionnaireResponse/gad/$score?instrument=gad-7", "", whole},
		{"POST", "/QuestionnaireResponse/gad/$score", "", whole},
		{"POST", "/QuestionnaireResponse/gad/$score", `{"resourceType":"Parameters","parameter":[{"name":"instrument","valueCode":"gad-7"}]}`, whole},
		{"POST", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"QuestionnaireResponse/gad/$score"}}]}`, whole},
	} {
		r := c.do(tt.method, tt.path, tt.body)
		r.want(t, 200)
		if !strings.Contains(r.body, tt.want) {
			t.Errorf("%s %s: %s", tt.method, tt.path, r.body)
		}
	}
	for _, tt := range []struct {
		method, path, body string
		status             int
		code, expression   string
	}{
		{"POST", "/QuestionnaireResponse/$score", gad(7, 4), 422, "value", "QuestionnaireResponse.item[0].answer[0]"},
		{"POST", "/QuestionnaireResponse/$score", unnamed, 422, "not-supported", "QuestionnaireResponse.questionnaire"},
		{"POST", "/QuestionnaireResponse/$score?instrument=phq-9", gad(7, 1), 422, "business-rule", "QuestionnaireResponse.questionnaire"},
		{"POST", "/QuestionnaireResponse/$score?instrument=audit", gad(7, 1), 400, "invalid", "Parameters.parameter.where(name='instrument')"},
		{"POST", "/QuestionnaireResponse/gad/$score", gad(7, 1), 400, "invalid", "Parameters.parameter.where(name='resource')"},
		{"POST", "/QuestionnaireResponse/$score", `{"resourceType":"Patient"}`, 400, "invalid", ""},
		{"POST", "/QuestionnaireResponse/$score", "", 400, "invalid", ""},
		{"GET", "/QuestionnaireResponse/$score", "", 400, "invalid", ""},
		{"GET", "/QuestionnaireResponse/nobody/$score", "", 404, "not-found", ""},
		{"GET", "/QuestionnaireResponse/no_id/$score", "", 404, "not-found", ""},
		{"GET", "/Patient/gad/$score", "", 404, "not-supported", ""},
	} {
		r := c.do(tt.method, tt.path, tt.body)
		r.wantIssue(t, tt.status, tt.code)
		if !strings.Contains(r.body, tt.expression) {
			t.Errorf("%s %s: %s", tt.method, tt.path, r.body)
		}
	}
	if r := c.do("POST", "/QuestionnaireResponse/$score", gad(7, 4)); strings.Count(r.body, `"severity":"error"`) != 7 {
		t.Errorf("not all problems: %s", r.body)
	}
	c.do("DELETE", "/QuestionnaireResponse/gad", "")
	c.get("/QuestionnaireResponse/gad/$score").wantIssue(t, 410, "deleted")

	if r := c.get("/metadata"); !strings.Contains(r.body, `"definition":"http://example.com/OperationDefinition/QuestionnaireResponse-score"`) {
		t.Error("metadata does not list $score")
	}
	d := c.get("/OperationDefinition/QuestionnaireResponse-score").want(t, 200)
	if at(d, "affectsState") != false || at(d, "instance") != true || at(d, "type") != true {
		t.Errorf("%v", d)
	}
	reading := newClient(t, func(config *Config) { config.Resources = nil })
	reading.do("POST", "/QuestionnaireResponse/$score", gad(7, 1)).wantIssue(t, 404, "not-supported")
}

// TestAffectsState checks that operations that change something accept only POST, at every level and at
// a separate path.
func TestAffectsState(t *testing.T) {
	ran := 0
	change := func(typ, path string) *operation.Operation {
		return &operation.Operation{
			Name: "change", Type: typ, Instance: typ != "", Path: path, Summary: "changes", AffectsState: true,
			Run: func(context.Context, operation.Env, *operation.Input) (operation.Result, error) {
				ran++
				return nil, operation.Missing("all", "nothing is given")
			},
		}
	}
	c := newClient(t, func(config *Config) {
		config.Operations = append(operation.All(), change("Patient", ""), change("", "/own/change"))
	})
	for _, path := range []string{"/$change", "/Patient/$change", "/Patient/1/$change", "/own/change"} {
		for _, method := range []string{"GET", "HEAD", "PUT"} {
			r := c.do(method, path, "")
			if allow := r.header.Get("Allow"); r.status != 405 || allow != "POST, OPTIONS" && allow != "OPTIONS, POST" {
				t.Errorf("%s %s: %d, Allow %q", method, path, r.status, allow)
			}
		}
		if r := c.do("OPTIONS", path, ""); r.status != 204 || strings.Contains(r.header.Get("Allow"), "GET") {
			t.Errorf("OPTIONS %s: %d, %q", path, r.status, r.header.Get("Allow"))
		}
		if ran != 0 {
			t.Fatalf("%s ran", path)
		}
		c.do("POST", path, "").wantIssue(t, 400, "invalid")
		if ran != 1 {
			t.Errorf("%s did not run", path)
		}
		ran = 0
	}
	for _, path := range []string{"/$versions", "/CodeSystem/$lookup"} {
		if allow := c.do("PUT", path, "").header.Get("Allow"); allow != "GET, HEAD, POST, OPTIONS" {
			t.Errorf("%s: Allow %q", path, allow)
		}
	}
	c.get("/$nothing").wantIssue(t, 404, "not-supported")
	c.do("PUT", "/$nothing", "").wantIssue(t, 404, "not-supported")
	for _, id := range []string{"change", "Patient-change"} {
		if d := c.get("/OperationDefinition/"+id).want(t, 200); at(d, "affectsState") != true {
			t.Errorf("%s: %v", id, d)
		}
	}
}

// TestRunnerWithoutStore checks that a resource is not found if there is no store.
func TestRunnerWithoutStore(t *testing.T) {
	c := newClient(t)
	r := operation.NewRunner(operation.Env{Engine: c.engine}, c.handler.(*Handler).Limits.Overlays)
	var in operation.Input
	for _, op := range operation.All() {
		if op.Name == "score" {
			in.Reset(op)
			in.ID = "gad"
		}
	}
	if _, err := r.Run(t.Context(), &in); !errors.Is(err, resources.ErrNotFound) {
		t.Error(err)
	}
}
