package httpadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/examples/samples"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/synth"
)

// schemas judges values by the schemas of an OpenAPI document, with a library of others.
type schemas struct {
	t    testing.TB
	doc  *openAPIDocument
	from *jsonschema.Compiler
}

// schemasOf returns the schemas of a document. The library copies a whole document for each schema that
// it finds by its place, so all of them become definitions of one schema, which it reads once.
func schemasOf(t testing.TB, doc *openAPIDocument) *schemas {
	t.Helper()
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(bytes.ReplaceAll(doc.raw, []byte(`"#/components/schemas/`), []byte(`"#/$defs/schemas.`))))
	if err != nil {
		t.Fatal(err)
	}
	defs := map[string]any{}
	for name, schema := range at(raw, "components", "schemas").(map[string]any) {
		defs["schemas."+name] = schema
	}
	for _, kind := range []string{"responses", "requestBodies"} {
		for name, part := range at(raw, "components", kind).(map[string]any) {
			if schema := at(part, "content", mediaFHIR, "schema"); schema != nil {
				defs[kind+"."+name] = schema
			}
		}
	}
	s := &schemas{t, doc, jsonschema.NewCompiler()}
	if err := s.from.AddResource("openapi.json", map[string]any{"$defs": defs}); err != nil {
		t.Fatal(err)
	}
	return s
}

// A sharing is a document's components and their schemas. Bases of one version of FHIR have the same.
type sharing struct {
	components string
	schemas    *schemas
}

// schemasOf returns the schemas of a document, those of the document before if they are the same.
func (s *sharing) schemasOf(t testing.TB, doc *openAPIDocument) *schemas {
	t.Helper()
	_, components, found := strings.Cut(string(doc.raw), `"components":`)
	if !found {
		t.Fatal("the document has no components")
	}
	if s.schemas == nil || s.components != components {
		*s = sharing{components, schemasOf(t, doc)}
	}
	return &schemas{t, doc, s.schemas.from}
}

// judge returns what is wrong with JSON by the schema of a component, such as schemas.Patient.
func (s *schemas) judge(component, text string) error {
	s.t.Helper()
	schema, err := s.from.Compile("openapi.json#/$defs/" + component)
	if err != nil {
		s.t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// component returns the name of the component that a reference leads to, such as responses.Patient.
func component(ref string) string {
	kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
	return kind + "." + name
}

// judgeType judges JSON by the schema of a type.
func (s *schemas) judgeType(typ, text string) error {
	s.t.Helper()
	return s.judge("schemas."+typ, text)
}

// judgeResponse judges a response by what the document says about its status, or else by default.
func (s *schemas) judgeResponse(op *openAPIOperation, r response) error {
	s.t.Helper()
	described := op.Responses[fmt.Sprint(r.status)]
	if described == nil {
		described = op.Responses["default"]
	}
	ref, is := described["$ref"].(string)
	if !is {
		return fmt.Errorf("the response with %d is not shared", r.status)
	}
	return s.judge(component(ref), r.body)
}

// sampled returns a client of a server with its samples.
func sampled(t testing.TB, change ...func(*Config)) *client {
	t.Helper()
	c := newClient(t, change...)
	for name, body := range samples.All() {
		if r := c.do("PUT", "/"+strings.Replace(strings.TrimSuffix(name, ".json"), "-", "/", 1), string(body)); r.status >= 300 {
			t.Fatalf("%s: %d %s", name, r.status, r.body)
		}
	}
	return c
}

// exampleQuery returns the examples of the parameters of an operation as a query.
func (d *openAPIDocument) exampleQuery(op *openAPIOperation) url.Values {
	query := url.Values{}
	for _, p := range op.Parameters {
		p = d.parameter(p)
		values, many := p.Example.([]any)
		if !many && p.Example != nil {
			values = []any{p.Example}
		}
		for _, value := range values {
			query.Add(p.Name, fmt.Sprint(value))
		}
	}
	return query
}

// TestOpenAPIExamples sends the examples of all operations, and judges the answers by the schemas.
func TestOpenAPIExamples(t *testing.T) {
	c := sampled(t, generating)
	var shared sharing
	for _, base := range paths() {
		doc := openAPIOf(t, c, base)
		s := shared.schemasOf(t, doc)
		tried := map[string]bool{}
		all := doc.operations()
		for _, what := range slices.Sorted(maps.Keys(all)) {
			op := all[what]
			method, path, _ := strings.Cut(what, " ")
			if strings.Contains(path, "{") {
				continue
			}
			var r response
			switch query := doc.exampleQuery(op); {
			case method == "GET" && (len(query) > 0 || path == "/$versions"):
				r = c.get(base + path + "?" + query.Encode())
			case method == "POST":
				ref, _ := op.RequestBody["$ref"].(string)
				body := doc.Components.RequestBodies[strings.TrimPrefix(ref, "#/components/requestBodies/")]
				example := at(body, "content", mediaFHIR, "examples", "type", "value")
				if example == nil {
					continue
				}
				text, err := json.Marshal(example)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.judge(component(ref), string(text)); err != nil {
					t.Errorf("%s: the example of the body: %v", what, err)
				}
				r = c.do("POST", base+path, string(text))
			default:
				continue
			}
			tried[what] = true
			if r.status != 200 {
				t.Errorf("%s%s: %d %s", base, what, r.status, r.body)
				continue
			}
			if err := s.judgeResponse(op, r); err != nil {
				t.Errorf("%s%s: %v\n%s", base, what, err, cut(r.body))
			}
		}
		for _, op := range operation.All() {
			if base == "/r5" && op.Type == "QuestionnaireResponse" {
				continue
			}
			path := "/$" + op.Name
			if op.Type != "" {
				path = "/" + op.Type + path
			}
			if len(op.Example) > 0 && !tried["POST "+path] || !op.AffectsState && !tried["GET "+path] && !slices.Contains(resourcesInAddresses, path) {
				t.Errorf("%s: no example of %s was tried", base, path)
			}
		}
	}
}

// TestOpenAPICodes checks that a value that a list of codes lacks is refused.
func TestOpenAPICodes(t *testing.T) {
	c := sampled(t)
	doc := openAPIOf(t, c, "")
	lists := map[string]bool{}
	for what, op := range doc.operations() {
		path, is := strings.CutPrefix(what, "GET ")
		if !is || strings.Contains(path, "{") {
			continue
		}
		for _, p := range op.Parameters {
			p = doc.parameter(p)
			codes, _ := p.Schema["enum"].([]any)
			if codes == nil {
				continue
			}
			lists[p.Name] = true
			for _, value := range append(codes, any("none-of-these")) {
				query := doc.exampleQuery(op)
				query.Set(p.Name, value.(string))
				r := c.get(path + "?" + query.Encode())
				if refused := r.status >= 400 && strings.Contains(r.body, value.(string)); refused != (value == "none-of-these") {
					t.Errorf("%s: %s=%s: %d %s", path, p.Name, value, r.status, r.body)
				}
			}
		}
	}
	for _, name := range []string{"_summary", "_total", "mode", "version-policy"} {
		if !lists[name] {
			t.Errorf("%s has no list of codes", name)
		}
	}
}

// TestOpenAPISchemasOfResources compares the verdicts of the schemas with those of the server.
func TestOpenAPISchemasOfResources(t *testing.T) {
	c := newClient(t)
	s := schemasOf(t, openAPIOf(t, c, ""))
	for _, row := range []struct {
		body  string
		valid bool
	}{
		{`{"resourceType":"Patient"}`, true},
		{`{"resourceType":"Patient","birthDate":"1980","_birthDate":{"extension":[{"url":"http://x","valueDateTime":"1980-01-01T12:00:00Z"}]}}`, true},
		{`{"resourceType":"Patient","name":[{"given":["A",null],"_given":[null,{"extension":[{"url":"http://x","valueCode":"y"}]}]}]}`, true},
		{`{"resourceType":"Patient","contained":[{"resourceType":"Organization","id":"o","name":"O"}],"managingOrganization":{"reference":"#o"}}`, true},
		{`{"resourceType":"Patient","multipleBirthInteger":2,"link":[{"other":{"reference":"Patient/1"},"type":"seealso"}]}`, true},
		{`{"resourceType":"Patient","gender":"cat"}`, false},
		{`{"resourceType":"Patient","colour":"red"}`, false},
		{`{"resourceType":"Patient","birthDate":"1980-13"}`, false},
		{`{"resourceType":"Patient","multipleBirthInteger":1.5}`, false},
		{`{"resourceType":"Patient","active":"true"}`, false},
		{`{"resourceType":"Patient","name":{"family":"A"}}`, false},
		{`{"resourceType":"Patient","link":[{"other":{"reference":"Patient/1"}}]}`, false},
		{`{"resourceType":"Patient","id":"a b"}`, false},
		{`{"resourceType":"Observation","status":"final"}`, false},
		{`{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.50,"comparator":"<"}}`, true},
		{`{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueMoney":{"value":1}}`, false},
		{`{"resourceType":"Observation","status":"final","code":{"text":"x"},"effectiveInstant":"2026-01-01"}`, false},
		{`{"resourceType":"Bundle","type":"collection","entry":[{"fullUrl":"urn:x:1","resource":{"resourceType":"Patient","gender":"female"}}]}`, true},
		{`{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","gender":"cat"}}]}`, false},
		{`{"resourceType":"Questionnaire","status":"draft","item":[{"linkId":"1","type":"group","item":[{"linkId":"1.1","type":"string"}]}]}`, true},
		{`{"resourceType":"Questionnaire","status":"draft","item":[{"linkId":"1","type":"group","item":[{"linkId":"1.1","type":"riddle"}]}]}`, false},
	} {
		typ := at(response{body: row.body}.json(t), "resourceType").(string)
		outcome := c.do("POST", "/"+typ+"/$validate", row.body).body
		if err := s.judgeType(typ, row.body); (err == nil) != row.valid || strings.Contains(outcome, `"error"`) == row.valid {
			t.Errorf("%s\nvalid %v, by the schema %v, by the server %s", row.body, row.valid, err, outcome)
		}
	}
}

// TestOpenAPISchemasOfGenerated judges synthetic resources of all kinds and populations, and the
// built-in content.
func TestOpenAPISchemasOfGenerated(t *testing.T) {
	s := schemasOf(t, openAPIOf(t, newClient(t), ""))
	judged := 0
	judge := func(typ string, body []byte) {
		judged++
		if err := s.judgeType(typ, string(body)); err != nil {
			t.Errorf("%s: %v\n%s", typ, err, cut(string(body)))
		}
	}
	for _, made := range synth.Types() {
		g, err := synth.New(made.Name, synth.Options{Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(30) {
			judge(made.Name, g.Append(nil, n))
		}
	}
	all := definitions.All()
	for i := range all {
		if testing.Short() && i%20 > 0 {
			continue
		}
		body, err := all[i].Document()
		if err != nil {
			t.Fatal(err)
		}
		judge(all[i].Header.ResourceType, body)
	}
	if judged < 500 {
		t.Errorf("only %d were judged", judged)
	}
}

// TestOpenAPIResponses judges responses to interactions by what the document says about them.
func TestOpenAPIResponses(t *testing.T) {
	c := clinic(t)
	var shared sharing
	for _, base := range paths() {
		doc := openAPIOf(t, c, base)
		s := shared.schemasOf(t, doc)
		all := doc.operations()
		for _, row := range []struct{ what, path, body string }{
			{"GET /CodeSystem", "/CodeSystem?_sort=-name", ""},
			{"GET /CodeSystem", "/CodeSystem?name:exact=a&date=x", ""},
			{"GET /CodeSystem/{id}", "/CodeSystem/animals", ""},
			{"GET /CodeSystem/{id}", "/CodeSystem/nothing", ""},
			{"GET /ValueSet/{id}", "/ValueSet/pets", ""},
			{"GET /ConceptMap/{id}", "/ConceptMap/to-numbers", ""},
			{"GET /OperationDefinition", "/OperationDefinition", ""},
			{"GET /OperationDefinition/{id}", "/OperationDefinition/ValueSet-expand", ""},
			{"GET /CodeSystem/{id}/_history", "/CodeSystem/animals/_history", ""},
			{"GET /CodeSystem/{id}/_history/{version}", "/CodeSystem/animals/_history/1", ""},
			{"PUT /CodeSystem/{id}", "/CodeSystem/animals", animals},
			{"PUT /CodeSystem/{id}", "/CodeSystem/other", animals},
			{"POST /CodeSystem", "/CodeSystem", `{"resourceType":"CodeSystem"}`},
			{"POST /CodeSystem", "/CodeSystem", `{"resourceType":`},
			{"DELETE /CodeSystem", "/CodeSystem", ""},
			{"POST /", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"CodeSystem/animals"}},{"request":{"method":"GET","url":"CodeSystem/nothing"}}]}`},
			{"GET /CodeSystem/{id}/$validate", "/CodeSystem/animals/$validate", ""},
			{"POST /CodeSystem/$lookup", "/CodeSystem/$lookup", `{"resourceType":"Parameters","parameter":[{"name":"code","valueCode":"dog"},{"name":"system","valueUri":"http://t.example/animals"}]}`},
			{"GET /Patient", "/Patient?_revinclude=Observation:subject", ""},
			{"GET /Patient/{id}/{type}", "/Patient/peter/Observation", ""},
			{"GET /Patient/{id}/$everything", "/Patient/peter/$everything", ""},
			{"GET /", "/?_type=Patient,Observation", ""},
			{"GET /_history", "/_history", ""},
		} {
			op := all[row.what]
			if op == nil && base == "/r5" {
				continue
			}
			method, _, _ := strings.Cut(row.what, " ")
			r := c.do(method, base+row.path, row.body)
			if err := s.judgeResponse(op, r); err != nil {
				t.Errorf("%s %s%s: %d %v\n%s", method, base, row.path, r.status, err, r.body)
			}
		}
		for mode, typ := range map[string]string{"full": "CapabilityStatement", "terminology": "TerminologyCapabilities"} {
			if err := s.judgeType(typ, c.get(base+"/metadata?mode="+mode).body); err != nil {
				t.Errorf("%s/metadata?mode=%s: %v", base, mode, err)
			}
		}
	}
}
