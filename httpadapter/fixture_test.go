package httpadapter

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/closure"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// The resources of the tests: a small hierarchy and value sets that are stored, and a code system and
// a value set that are loaded.
const (
	animals = `{"resourceType":"CodeSystem","id":"animals","url":"http://t.example/animals","version":"1.0","name":"Animals",` +
		`"title":"Tiere und Ähnliches","status":"active","publisher":"Zoo","content":"complete","concept":[` +
		`{"code":"animal","display":"Animal","concept":[` +
		`{"code":"mammal","display":"Mammal","concept":[{"code":"dog","display":"Dog","definition":"It barks."},{"code":"cat","display":"Cat"}]},` +
		`{"code":"bird","display":"Bird"}]},{"code":"odd|code","display":"Odd & strange"}]}`
	pets = `{"resourceType":"ValueSet","id":"pets","url":"http://t.example/vs/pets","version":"2","name":"Pets","status":"active",` +
		`"identifier":[{"system":"http://ids","value":"p-1"}],` +
		`"compose":{"include":[{"system":"http://t.example/animals","concept":[{"code":"dog","display":"Good dog"},{"code":"cat"}]}]}}`
	everything = `{"resourceType":"ValueSet","id":"everything","url":"http://t.example/vs/everything","name":"Everything","status":"draft",` +
		`"compose":{"include":[{"system":"http://t.example/animals"}]}}`
	toNumbers = `{"resourceType":"ConceptMap","id":"to-numbers","url":"http://t.example/cm/numbers","name":"ToNumbers","status":"active",` +
		`"sourceUri":"http://t.example/vs/pets","targetUri":"http://t.example/vs/numbers","group":[{"source":"http://t.example/animals","target":"http://t.example/loaded",` +
		`"element":[{"code":"dog","target":[{"code":"one","equivalence":"equivalent"}]}]}]}`
)

// client sends requests to a handler.
type client struct {
	t       testing.TB
	handler http.Handler
	engine  *engine.Engine
	service *resources.Service
}

// response is a response with its whole body.
type response struct {
	status int
	header http.Header
	body   string
}

// clock makes lastUpdated predictable and ascending.
func clock() func() time.Time {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

// newClient returns a client of a server with the resources of the tests.
func newClient(t testing.TB, change ...func(*Config)) *client {
	t.Helper()
	eng := engine.New()
	if err := eng.Publish(loadedEntries(t)...); err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	service := resources.NewService(store, eng, resources.WithClock(clock()))
	config := Config{Engine: eng, Resources: service, Closures: closure.New(eng, store, closure.Limits{}, nil), Version: "1.2.3"}
	for _, f := range change {
		f(&config)
	}
	handler, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t, handler, eng, service}
	for _, doc := range []struct{ typ, id, body string }{
		{"CodeSystem", "animals", animals}, {"ValueSet", "pets", pets}, {"ValueSet", "everything", everything}, {"ConceptMap", "to-numbers", toNumbers},
	} {
		if config.Resources == nil {
			break
		}
		if _, err := service.Update(context.Background(), doc.typ, doc.id, []byte(doc.body), resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// loadedEntries returns a code system with only an index, and a value set with only a definition.
func loadedEntries(t testing.TB) []*engine.Entry {
	t.Helper()
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{
		ResourceType: "CodeSystem", ID: "loaded", URL: "http://t.example/loaded", Version: "7", Name: "Loaded", Status: "active",
	}, Content: "complete"})
	for _, code := range []string{"one", "two", "three"} {
		if _, err := b.Add(&codesystem.Concept{Code: code, Display: "Number " + code, Parent: -1}); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return []*engine.Entry{
		engine.CodeSystemEntry(x, "loaded.json"),
		engine.ValueSetEntry(&r4.ValueSet{
			Header:  r4.Header{ResourceType: "ValueSet", ID: "numbers", URL: "http://t.example/vs/numbers", Name: "Numbers", Status: "active"},
			Compose: &r4.Compose{Include: []r4.Include{{System: "http://t.example/loaded"}}},
		}, "numbers.json"),
	}
}

// do sends a request; headers are pairs of name and value.
func (c *client) do(method, target, body string, headers ...string) response {
	c.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, reader)
	if body != "" {
		r.Header.Set("Content-Type", "application/fhir+json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return serve(c.handler, r)
}

// request returns a request made of arbitrary input, or an error if that is not possible.
func request(method, target, body string) (*http.Request, error) {
	r, err := http.NewRequest(method, target, strings.NewReader(body))
	if err == nil {
		r.Host, r.RequestURI = "example.com", r.URL.RequestURI()
	}
	return r, err
}

func serve(handler http.Handler, r *http.Request) response {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return response{w.Code, w.Header(), w.Body.String()}
}

func (c *client) get(target string, headers ...string) response {
	c.t.Helper()
	return c.do(http.MethodGet, target, "", headers...)
}

// want checks the status and that the body is FHIR JSON, and returns the decoded body.
func (r response) want(t testing.TB, status int) map[string]any {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d, want %d\n%s", r.status, status, r.body)
	}
	if got := r.header.Get("Content-Type"); got != "application/fhir+json; charset=utf-8" {
		t.Fatalf("Content-Type %q\n%s", got, r.body)
	}
	return r.json(t)
}

func (r response) json(t testing.TB) map[string]any {
	t.Helper()
	if err := r4.Check([]byte(r.body), r4.DefaultLimits()); err != nil {
		t.Fatalf("%v\n%s", err, r.body)
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(r.body), &doc); err != nil {
		t.Fatalf("%v\n%s", err, r.body)
	}
	return doc
}

// wantIssue checks that the body is an OperationOutcome with an issue with the given code, and returns
// its diagnostics.
func (r response) wantIssue(t testing.TB, status int, code string) string {
	t.Helper()
	doc := r.want(t, status)
	if doc["resourceType"] != "OperationOutcome" {
		t.Fatalf("not an OperationOutcome: %s", r.body)
	}
	issue := doc["issue"].([]any)[0].(map[string]any)
	if issue["code"] != code {
		t.Errorf("issue code %v, want %s: %s", issue["code"], code, r.body)
	}
	if issue["severity"] == nil {
		t.Errorf("no severity: %s", r.body)
	}
	text, _ := issue["diagnostics"].(string)
	return text
}

// parameter returns the value of a parameter of a Parameters resource, or nil if it is absent.
func parameter(doc map[string]any, name string) any {
	list, _ := doc["parameter"].([]any)
	for _, p := range list {
		p := p.(map[string]any)
		if p["name"] != name {
			continue
		}
		for key, v := range p {
			if strings.HasPrefix(key, "value") {
				return v
			}
		}
	}
	return nil
}

// at returns a value inside decoded JSON by member names and indexes.
func at(doc any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := doc.(map[string]any)
			doc = m[step]
		case int:
			l, _ := doc.([]any)
			if step >= len(l) {
				return nil
			}
			doc = l[step]
		}
	}
	return doc
}

// compact returns JSON without white space.
func compact(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(s)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
