package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// A toolRequest is a request that one of HL7's tools was recorded sending.
type toolRequest struct {
	name, method, path string
	accept             string
	body               string
	want               []string // what the answer contains
	not                []string // what it does not contain
}

func (r *toolRequest) ask(handler http.Handler, base string) *httptest.ResponseRecorder {
	media := ""
	if r.body != "" {
		media = "application/fhir+json; charset=UTF-8"
	}
	sent := request(r.method, base+r.path, media, r.body)
	sent.Header.Set("Accept", r.accept)
	return answered(handler, sent)
}

func (r *toolRequest) test(t *testing.T, handler http.Handler, base string) {
	a := r.ask(handler, base)
	text := a.Body.String()
	missing := slices.DeleteFunc(slices.Clone(r.want), func(part string) bool { return strings.Contains(text, part) })
	wrong := slices.DeleteFunc(slices.Clone(r.not), func(part string) bool { return !strings.Contains(text, part) })
	if a.Code != http.StatusOK || len(missing) > 0 || len(wrong) > 0 {
		t.Errorf("%s%s: status %d, without %q, with %q: %s", base, r.name, a.Code, missing, wrong, text)
	}
}

const (
	hapiRead = "application/fhir+json;q=1.0, application/json+fhir;q=0.9"
	yes      = `{"name":"result","valueBoolean":true}`
	no       = `{"name":"result","valueBoolean":false}`
	warning  = `"severity":"warning"`
	failure  = `"severity":"error"`
)

// parameters returns a body of the type Parameters.
func parameters(list string) string {
	return `{"resourceType":"Parameters","parameter":[` + list + `]}`
}

// TestHAPI sends what RemoteTerminologyServiceValidationSupport of HAPI 8.8 sent when it validated the
// examples of R4. HAPI takes a system for known if a search finds it, and a result of false for an
// error, unless all issues are warnings.
func TestHAPI(t *testing.T) {
	handler := backendtest.Handler(t, "--data", t.TempDir(), "--no-samples")
	for _, r := range []toolRequest{
		{
			name: "currency in its value set", method: "POST", path: "/ValueSet/$validate-code",
			body: parameters(`{"name":"url","valueUri":"http://hl7.org/fhir/ValueSet/currencies"},{"name":"code","valueString":"EUR"},{"name":"system","valueUri":"urn:iso:std:iso:4217"}`),
			want: []string{yes, "Euro"},
		},
		{
			name: "currency", method: "POST", path: "/CodeSystem/$validate-code",
			body: parameters(`{"name":"url","valueUri":"urn:iso:std:iso:4217"},{"name":"code","valueString":"USD"}`), want: []string{yes},
		},
		{
			name: "no currency", method: "POST", path: "/CodeSystem/$validate-code",
			body: parameters(`{"name":"url","valueUri":"urn:iso:std:iso:4217"},{"name":"code","valueString":"usd"}`), want: []string{no, failure},
		},
		{
			name: "country by ISO's name", method: "POST", path: "/CodeSystem/$validate-code",
			body: parameters(`{"name":"url","valueUri":"urn:iso:std:iso:3166"},{"name":"code","valueString":"US"},{"name":"display","valueString":"United States of America (the)"}`), want: []string{yes},
		},
		{
			name: "short name of a media type", method: "POST", path: "/ValueSet/$validate-code",
			body: parameters(`{"name":"url","valueUri":"http://hl7.org/fhir/ValueSet/mimetypes"},{"name":"code","valueString":"xml"},{"name":"system","valueUri":"urn:ietf:bcp:13"}`), want: []string{yes},
		},
		{
			name: "media type with a blank in a parameter", method: "POST", path: "/CodeSystem/$validate-code",
			body: parameters(`{"name":"url","valueUri":"urn:ietf:bcp:13"},{"name":"code","valueString":"application/dicom; variant=DICOM WADO-RS"}`), want: []string{yes},
		},
		{
			name: "no media type", method: "POST", path: "/CodeSystem/$validate-code",
			body: parameters(`{"name":"url","valueUri":"urn:ietf:bcp:13"},{"name":"code","valueString":"html"}`), want: []string{no, failure},
		},
		{
			name: "coding without system", method: "POST", path: "/CodeSystem/$validate-code",
			body: parameters(`{"name":"url"},{"name":"code","valueString":"BlueTubes"},{"name":"display","valueString":"Blood collect tubes blue cap"}`),
			want: []string{no, warning, "Coding_has_no_system__cannot_validate"}, not: []string{failure},
		},
		{
			name: "another display of a unit", method: "POST", path: "/CodeSystem/$validate-code",
			body: parameters(`{"name":"url","valueUri":"http://unitsofmeasure.org"},{"name":"code","valueString":"[in_i]"},{"name":"display","valueString":"inches"}`),
			want: []string{yes, warning, "inches"}, not: []string{failure},
		},
		{
			name: "another display of a language", method: "POST", path: "/CodeSystem/$validate-code",
			body: parameters(`{"name":"url","valueUri":"urn:ietf:bcp:47"},{"name":"code","valueString":"nl-NL"},{"name":"display","valueString":"Dutch"}`),
			want: []string{yes, warning}, not: []string{failure},
		},
		{
			name: "another display of a listed code", method: "POST", path: "/CodeSystem/$validate-code",
			body: parameters(`{"name":"url","valueUri":"http://hl7.org/fhir/administrative-gender"},{"name":"code","valueString":"male"},{"name":"display","valueString":"Mann"}`),
			want: []string{no, failure},
		},
		{
			name: "wrong unit", method: "POST", path: "/CodeSystem/$validate-code",
			body: parameters(`{"name":"url","valueUri":"http://unitsofmeasure.org"},{"name":"code","valueString":"tbl"}`), want: []string{no, failure},
		},
		{name: "is SNOMED CT there", method: "GET", path: "/CodeSystem?url=http%3A%2F%2Fsnomed.info%2Fsct", want: []string{`"total":0`}},
		{name: "is UCUM there", method: "GET", path: "/CodeSystem?url=http%3A%2F%2Funitsofmeasure.org&_summary=false", want: []string{`"total":1`}},
		{name: "are currencies there", method: "GET", path: "/CodeSystem?url=urn%3Aiso%3Astd%3Aiso%3A4217&_summary=false", want: []string{`"total":1`, `"code":"EUR"`}},
		{name: "is the system without a name there", method: "GET", path: "/CodeSystem", want: []string{`"type":"searchset"`}},
		{name: "is a value set there", method: "GET", path: "/ValueSet?url=http%3A%2F%2Fhl7.org%2Ffhir%2FValueSet%2Fcurrencies&version=4.0.1&_summary=false", want: []string{`"total":1`}},
		{name: "lookup", method: "GET", path: "/CodeSystem/$lookup?code=min&system=http%3A%2F%2Funitsofmeasure.org", want: []string{"(minute)"}},
	} {
		r.accept = hapiRead
		for _, base := range []string{"/r4", "/baseR4"} {
			r.test(t, handler, base)
		}
	}
}
