package httpadapter

import (
	"fmt"
	"strings"
	"testing"
)

// TestRefused sends wrong requests about clinical resources. Each gets an OperationOutcome that names
// the element at fault, and changes nothing.
func TestRefused(t *testing.T) {
	c := clinic(t)
	before := c.get("/_history?_count=1000").body
	form := []string{"Content-Type", mediaForm}
	for _, tt := range []struct {
		method, path, body string
		status             int
		code               string
		expression         string
		headers            []string
	}{
		// Addresses.
		{"GET", "/Patient/nobody", "", 404, "not-found", "", nil},
		{"GET", "/Patient/a_b", "", 404, "not-found", "", nil},
		{"GET", "/Patient/" + strings.Repeat("x", 65), "", 404, "not-found", "", nil},
		{"GET", "/Patient/peter/_history/2", "", 404, "not-found", "", nil},
		{"GET", "/Patient/peter/_history/x", "", 404, "not-found", "", nil},
		{"GET", "/Patient/nobody/_history", "", 404, "not-found", "", nil},
		{"GET", "/Patient/a_b/_history", "", 404, "not-found", "", nil},
		{"GET", "/Patient/peter/Hound", "", 404, "not-supported", "", nil},
		{"GET", "/Patient/peter/Medication", "", 404, "not-supported", "", nil},
		{"GET", "/Patient/peter/address", "", 404, "not-found", "", nil},
		{"GET", "/Patient/nobody/Observation", "", 404, "not-found", "", nil},
		{"GET", "/Patient/a_b/Observation", "", 404, "not-found", "", nil},
		{"GET", "/Observation/pulse/Patient", "", 404, "not-found", "", nil},
		{"GET", "/Parameters", "", 404, "not-supported", "", nil},
		{"GET", "/patient/peter", "", 404, "not-found", "", nil},
		{"PUT", "/Patient/a_b", strings.Replace(peter, `"peter"`, `"a_b"`, 1), 400, "value", "", nil},
		// Methods.
		{"POST", "/Patient/peter", peter, 405, "not-supported", "", nil},
		{"DELETE", "/Patient/peter/_history", "", 405, "not-supported", "", nil},
		{"DELETE", "/Patient/peter/$everything", "", 405, "not-supported", "", nil},
		{"GET", "/Patient/_search", "", 405, "not-supported", "", nil},
		{"TRACE", "/Patient/peter", "", 405, "not-supported", "", nil},
		// Bodies.
		{"POST", "/Patient", "", 400, "structure", "", nil},
		{"POST", "/Patient", "{", 400, "structure", "", nil},
		{"POST", "/Patient", "[]", 400, "structure", "Patient", nil},
		{"POST", "/Patient", "{}", 400, "invalid", "", nil},
		{"POST", "/Patient", pulse, 400, "invalid", "", nil},
		{"POST", "/Patient", `{"resourceType":"Patient","colour":"red"}`, 400, "structure", "Patient.colour", nil},
		{"POST", "/Patient", `{"resourceType":"Patient","name":{}}`, 400, "structure", "Patient.name", nil},
		{"POST", "/Patient", `{"resourceType":"Patient","gender":"m"}`, 422, "code-invalid", "Patient.gender", nil},
		{"POST", "/Patient", `{"resourceType":"Patient","birthDate":"1974-13"}`, 422, "value", "Patient.birthDate", nil},
		{"POST", "/Observation", `{"resourceType":"Observation","code":{"text":"x"}}`, 422, "required", "Observation.status", nil},
		{"POST", "/SupplyRequest", `{"resourceType":"SupplyRequest","itemCodeableConcept":{"text":"x"}}`, 422, "required", "SupplyRequest.quantity", nil},
		{"PUT", "/Patient/peter", nameless(peter), 400, "invalid", "", nil},
		{"PUT", "/Patient/peter", paula, 400, "invalid", "", nil},
		{"POST", "/Patient", "a=b", 415, "not-supported", "", form},
		{"POST", "/Patient", peter, 415, "not-supported", "", []string{"Content-Type", "text/turtle"}},
		{"POST", "/Patient", peter, 400, "structure", "", []string{"Content-Type", "application/fhir+xml", "Accept", "application/fhir+json"}},
		{"POST", "/Patient", peter, 415, "not-supported", "", []string{"Content-Type", "application/fhir+json; fhirVersion=5.0"}},
		{"POST", "/Patient", peter, 415, "not-supported", "", []string{"Content-Encoding", "deflate, gzip"}},
		{"POST", "/Patient", peter, 406, "not-supported", "", []string{"Accept", "text/turtle"}},
		{"POST", "/Patient/_search", "{}", 415, "not-supported", "", nil},
		{"PUT", "/Patient/peter", peter, 400, "value", "http.If-Match", []string{"If-Match", "1"}},
		{"PUT", "/Patient/peter", peter, 412, "conflict", "", []string{"If-None-Match", "*"}},
		{"PUT", "/Patient/new", strings.Replace(peter, `"peter"`, `"new"`, 1), 412, "conflict", "", []string{"If-Match", `W/"1"`}},
		{"PUT", "/Patient/new", strings.Replace(peter, `"peter"`, `"new"`, 1), 412, "conflict", "", []string{"If-Match", `W/"0"`}},
		// Searches.
		{"GET", "/Patient?birthdate=soon", "", 400, "value", "http.birthdate", nil},
		{"GET", "/Patient?name:below=x", "", 400, "", "http.name:below", []string{"Prefer", "handling=strict"}},
		{"GET", "/Patient?_count=x", "", 400, "value", "http._count", nil},
		{"GET", "/Patient?_sort=colour", "", 400, "", "http._sort", []string{"Prefer", "handling=strict"}},
		{"GET", "/Patient?_summary=x", "", 400, "value", "http._summary", nil},
		{"GET", "/Patient?_cursor=x", "", 400, "", "http._cursor", nil},
		{"GET", "/Patient?name=%zz", "", 400, "value", "http.name", nil},
		{"GET", "/Patient?name=%ff", "", 400, "value", "http.name", nil},
		{"GET", "/?_type=Hound", "", 400, "", "http._type", nil},
		{"POST", "/Patient/_search", "birthdate=soon", 400, "value", "http.birthdate", form},
		{"GET", "/Patient/_history?_since=soon", "", 400, "value", "http._since", nil},
		{"GET", "/Patient/_history?_at=soon", "", 400, "value", "http._at", nil},
		{"GET", "/Patient/_history?_count=x", "", 400, "value", "http._count", nil},
		{"GET", "/Patient/_history?_cursor=!", "", 400, "value", "", nil},
		{"GET", "/Patient/_history?x=1", "", 400, "value", "http.x", []string{"Prefer", "handling=strict"}},
		{"GET", "/_history?_format=ttl", "", 406, "not-supported", "", nil},
	} {
		for _, prefix := range pathsR4() {
			t.Run(fmt.Sprintf("%s %.60s %.60s", tt.method, prefix+tt.path, tt.body), func(t *testing.T) {
				r := c.do(tt.method, prefix+tt.path, tt.body, tt.headers...)
				doc := r.want(t, tt.status)
				issue := at(doc, "issue", 0)
				if doc["resourceType"] != "OperationOutcome" || at(issue, "severity") != "error" || at(issue, "diagnostics") == nil {
					t.Errorf("not an outcome: %s", r.body)
				}
				if got := at(issue, "code"); tt.code != "" && got != tt.code {
					t.Errorf("code %v, want %s: %s", got, tt.code, r.body)
				}
				if got, _ := at(issue, "expression", 0).(string); got != tt.expression {
					t.Errorf("expression %q, want %q: %s", got, tt.expression, r.body)
				}
				if tt.status == 405 && r.header.Get("Allow") == "" {
					t.Error("no Allow")
				}
			})
		}
	}
	if c.get("/_history?_count=1000").body != before {
		t.Error("a refused request changed something")
	}
}
