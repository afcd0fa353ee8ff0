package operation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
)

// at runs a row as post does, for a request with the header X-Cache-Id at an endpoint.
func at(t testing.TB, r *operation.Runner, endpoint, cacheID, typ, name, parameters string) (string, error) {
	t.Helper()
	p, err := r4.DecodeParameters([]byte(`{"resourceType":"Parameters","parameter":[` + parameters + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	var in operation.Input
	in.Reset(row(t, typ, name))
	in.CacheID, in.Endpoint = cacheID, endpoint
	if err := in.DecodeParameters(p, false); err != nil {
		return "", err
	}
	result, err := r.Run(context.Background(), &in)
	if err != nil {
		return "", err
	}
	return string(result.AppendJSON(nil)), nil
}

// startCache starts a cache at /r4 and returns its id.
func startCache(t testing.TB, r *operation.Runner, parameters string) string {
	t.Helper()
	body, err := at(t, r, "/r4", "", "", "cache-control", join(`{"name":"mode","valueCode":"start"}`, parameters))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := r4.DecodeParameters([]byte(body))
	if err != nil || len(answer.Parameter) != 2 || answer.Parameter[0].Name != "cache-id" || answer.Parameter[0].Value.Type != "Id" {
		t.Fatal(body, err)
	}
	return answer.Parameter[0].Value.Text
}

func join(list ...string) string {
	var given []string
	for _, s := range list {
		if s != "" {
			given = append(given, s)
		}
	}
	return strings.Join(given, ",")
}

const (
	unsealed  = `{"name":"sealed","valueBoolean":false}`
	fruitsURL = `{"name":"url","valueUri":"http://fruits"}`
)

// asPrimary is the value set of fruits as the parameter that a request asks about.
var asPrimary = strings.Replace(fruits, `"tx-resource"`, `"valueSet"`, 1)

// TestCacheControl follows the protocol: start, use, check, end.
func TestCacheControl(t *testing.T) {
	r := operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{})
	id := startCache(t, r, join(fruit1, fruits))
	for _, tt := range []struct{ typ, name, parameters, want string }{
		{"ValueSet", "expand", fruitsURL, `"total":1`},
		{"ValueSet", "validate-code", join(fruitsURL, coding("http://fruit", "fig")), `{"name":"result","valueBoolean":true}`},
		{"CodeSystem", "lookup", coding("http://fruit", "fig"), `"valueString":"Fig"`},
		{"CodeSystem", "lookup", coding("http://s", "b"), `"valueString":"Beta"`},
		{"ValueSet", "expand", join(fruit2, fruitsURL), `"total":2`}, // with more for this request
		{"ValueSet", "expand", fruitsURL, `"total":1`},               // sealed by default
	} {
		for header, parameter := range map[string]string{id: "", "": `{"name":"cache-id","valueId":"` + id + `"}`} {
			got, err := at(t, r, "/r4", header, tt.typ, tt.name, join(parameter, tt.parameters))
			if err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("%s: %s %v", tt.parameters, got, err)
			}
		}
	}
	check := `{"name":"mode","valueCode":"check"}`
	got, err := at(t, r, "/r4", id, "", "cache-control", check)
	want := `{"resourceType":"Parameters","parameter":[{"name":"cache-id","valueId":"` + id + `"},{"name":"valid","valueBoolean":true},{"name":"sealed","valueBoolean":true},{"name":"resource-count","valueUnsignedInt":2},{"name":"idle","valueUnsignedInt":0},{"name":"timeout","valueUnsignedInt":1800}]}`
	if err != nil || got != want {
		t.Errorf("%s %v\nwant %s", got, err, want)
	}
	for _, elsewhere := range []struct{ endpoint, id string }{{"/r5", id}, {"", id}, {"/r4", "mine"}} {
		if _, err := at(t, r, elsewhere.endpoint, elsewhere.id, "ValueSet", "expand", fruitsURL); !errors.Is(err, engine.ErrUnknownCache) {
			t.Errorf("%v: %v", elsewhere, err)
		}
		got, err := at(t, r, elsewhere.endpoint, elsewhere.id, "", "cache-control", check)
		if err != nil || !strings.Contains(got, `{"name":"valid","valueBoolean":false},{"name":"outcome","resource":{"resourceType":"OperationOutcome"`) || !strings.Contains(got, "cache-id-unknown") {
			t.Errorf("%v: %s %v", elsewhere, got, err)
		}
		if got, err := at(t, r, elsewhere.endpoint, elsewhere.id, "", "cache-control", `{"name":"mode","valueCode":"end"}`); err != nil || got != `{"resourceType":"Parameters"}` {
			t.Errorf("the end of an unknown cache: %s %v", got, err)
		}
	}
	if _, err := at(t, r, "/r4", id, "", "cache-control", `{"name":"mode","valueCode":"end"}`); err != nil {
		t.Fatal(err)
	}
	_, err = at(t, r, "/r4", id, "ValueSet", "expand", fruitsURL)
	class, outcome := operation.Outcome(err)
	if class != issue.ClassNotFound || outcome.Issue[0].Code != "not-found" || outcome.Issue[0].Details.Coding[0].Code != "cache-id-unknown" || strings.Contains(outcome.Issue[0].Details.Text, id) {
		t.Errorf("%v %+v", class, outcome.Issue[0])
	}
}

// TestCacheGrows checks what a cache that is not sealed keeps: every resource of a request, also
// those of the validations of a batch, and also if the request fails.
func TestCacheGrows(t *testing.T) {
	for _, tt := range []struct {
		name, typ, operation, parameters string
		fails                            bool
	}{
		{name: "tx-resource", typ: "ValueSet", operation: "expand", parameters: join(fruit1, fruits, fruitsURL)},
		{name: "value set", typ: "ValueSet", operation: "validate-code", parameters: join(fruit1, asPrimary, coding("http://fruit", "fig"))},
		{name: "code system", typ: "CodeSystem", operation: "validate-code", parameters: join(strings.Replace(fruit1, `"tx-resource"`, `"codeSystem"`, 1), fruits, `{"name":"code","valueCode":"fig"}`)},
		{name: "failure", typ: "CodeSystem", operation: "lookup", parameters: join(fruit1, fruits, coding("http://fruit", "bolt")), fails: true},
		{
			name: "batch", typ: "ValueSet", operation: "batch-validate-code",
			parameters: `{"name":"validation","resource":{"resourceType":"Parameters","parameter":[` + join(fruitsURL, coding("http://fruit", "fig")) + `]}},` +
				`{"name":"validation","resource":{"resourceType":"Parameters","parameter":[` + join(asPrimary, coding("http://fruit", "bolt")) + `]}},` +
				`{"name":"validation","resource":{"resourceType":"Parameters","parameter":[{"name":"date","valueDate":"soon"},` + fruit1 + `]}}`,
		},
	} {
		for _, grows := range []bool{true, false} {
			r := operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{})
			setting := ""
			if grows {
				setting = unsealed
			}
			id := startCache(t, r, setting)
			got, err := at(t, r, "/r4", id, tt.typ, tt.operation, tt.parameters)
			if (err != nil) != tt.fails {
				t.Errorf("%s: %v", tt.name, err)
			}
			if tt.name == "batch" && grows != strings.HasPrefix(got, `{"resourceType":"Parameters","parameter":[{"name":"validation","resource":{"resourceType":"Parameters","parameter":[{"name":"result","valueBoolean":true}`) {
				t.Errorf("the first validation does not see what the others brought: %s", got)
			}
			got, err = at(t, r, "/r4", id, "ValueSet", "expand", fruitsURL)
			if grows != (err == nil && strings.Contains(got, `"total":1`)) {
				t.Errorf("%s, grows %t: %s %v", tt.name, grows, got, err)
			}
		}
	}
}

// TestCacheControlRefused checks the errors of requests about caches.
func TestCacheControlRefused(t *testing.T) {
	r := operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{MaxResources: 2})
	id, other := startCache(t, r, ""), startCache(t, r, "")
	named := `{"name":"cache-id","valueId":"` + other + `"}`
	for _, tt := range []struct{ header, typ, name, parameters, want string }{
		{"", "", "cache-control", "", "mode"},
		{"", "", "cache-control", `{"name":"mode","valueCode":"stop"}`, `"stop" is not one of start, end, check`},
		{"", "", "cache-control", `{"name":"mode","valueCode":"end"}`, "X-Cache-Id"},
		{"", "", "cache-control", `{"name":"mode","valueCode":"check"}`, "X-Cache-Id"},
		{id, "", "cache-control", `{"name":"mode","valueCode":"end"},` + named, "two caches"},
		{"", "", "cache-control", join(`{"name":"mode","valueCode":"start"}`, fruit1, fruit2, fruits), "3 resources"},
		{"", "", "cache-control", `{"name":"mode","valueCode":"start"},{"name":"tx-resource","resource":{"resourceType":"ValueSet","url":7}}`, "tx-resource[0]"},
		{id, "ValueSet", "expand", join(named, fruitsURL), "two caches"},
	} {
		_, err := at(t, r, "/r4", tt.header, tt.typ, tt.name, tt.parameters)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt, err)
			continue
		}
		if class, outcome := operation.Outcome(err); class != issue.ClassInvalid || tt.want == "two caches" && outcome.Issue[0].Details.Coding[0].Code != "cache-id-duplicate" {
			t.Errorf("%+v: class %v %+v", tt, class, outcome.Issue[0])
		}
	}
	got, err := at(t, r, "/r4", id, "ValueSet", "batch-validate-code", `{"name":"url","valueUri":"http://v"},{"name":"validation","resource":{"resourceType":"Parameters","parameter":[`+join(named, coding("http://s", "a"))+`]}}`)
	if err != nil || !strings.Contains(got, "a batch has one cache") {
		t.Error("a validation with a cache of its own:", got, err)
	}
	full := operation.NewRunner(operation.Env{Engine: tableEngine(t)}, engine.OverlayLimits{MaxRemembered: 1})
	startCache(t, full, "")
	_, err = at(t, full, "/r4", "", "", "cache-control", `{"name":"mode","valueCode":"start"}`)
	if class, outcome := operation.Outcome(err); class != issue.ClassUnavailable || outcome.Issue[0].Code != "throttled" {
		t.Errorf("%v: %v %+v", err, class, outcome.Issue[0])
	}
}
