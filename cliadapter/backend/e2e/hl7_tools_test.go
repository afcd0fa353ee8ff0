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
		{name: "lookup in a language", method: "GET", path: "/CodeSystem/$lookup?code=de&system=urn%3Aietf%3Abcp%3A47&language=nl&property=region", want: []string{"German"}},
	} {
		r.accept = hapiRead
		for _, base := range []string{"/r4", "/baseR4"} {
			r.test(t, handler, base)
		}
	}
}

// clientRead is what the clients of org.hl7.fhir.core accept.
const clientRead = "application/fhir+json; fhirVersion=4.0"

// clientSettings are parameters that these clients send with each validation.
const clientSettings = `,{"name":"displayLanguage","valueString":"en, en-US"},{"name":"default-to-latest-version","valueBoolean":true},` +
	`{"name":"system-version","valueCanonical":"http://snomed.info/sct|http://snomed.info/sct/900000000000207008"},{"name":"diagnostics","valueBoolean":true}`

// TestDefect17PublisherRequests sends what the terminology clients of org.hl7.fhir.core 6.10.4 sent,
// as a worker context that calls itself fhir/publisher, and what IG Publisher is reported to send: the
// parameters valueCoding and valueCodeableConcept, and the version "current".
func TestDefect17PublisherRequests(t *testing.T) {
	handler := backendtest.Handler(t, "--data", t.TempDir(), "--no-samples")
	const money = `{"resourceType":"ValueSet","url":"http://example.org/vs/money","version":"1.0","status":"active","compose":{"inactive":true,"include":[{"system":"urn:iso:std:iso:4217"}]}}`
	const expanded = `{"name":"system-version","valueCanonical":"http://snomed.info/sct|http://snomed.info/sct/900000000000207008"},{"name":"defaultDisplayLanguage","valueCode":"en"},` +
		`{"name":"includeDefinition","valueBoolean":false},{"name":"excludeNested","valueBoolean":true},{"name":"count","valueInteger":1000},{"name":"offset","valueInteger":0},{"name":"valueSet","resource":`
	for _, r := range []toolRequest{
		{name: "capabilities", method: "GET", path: "/metadata", want: []string{`"fhirVersion":"4.0.1"`}},
		{name: "capabilities in short", method: "GET", path: "/metadata?_summary=true", want: []string{`"software"`}},
		{name: "terminology capabilities", method: "GET", path: "/metadata?mode=terminology", want: []string{`"uri":"urn:iso:std:iso:4217"`, `"uri":"http://unitsofmeasure.org"`}, not: []string{`"uri":"http://snomed.info/sct"`}},
		{
			name: "coding", method: "POST", path: "/CodeSystem/$validate-code?",
			body: parameters(`{"name":"coding","valueCoding":{"system":"urn:iso:std:iso:4217","code":"USD","display":"US Dollar"}}` + clientSettings), want: []string{yes},
		},
		{
			name: "coding in a value set", method: "POST", path: "/ValueSet/$validate-code?",
			body: parameters(`{"name":"coding","valueCoding":{"system":"urn:iso:std:iso:4217","code":"usd"}},{"name":"valueSet","resource":` + money + `}` + clientSettings),
			want: []string{no, "http://example.org/vs/money|1.0", "Unknown code 'usd'"},
		},
		{
			name: "code of an element", method: "POST", path: "/ValueSet/$validate-code?",
			body: parameters(`{"name":"inferSystem","valueBoolean":true},{"name":"code","valueCode":"json"},{"name":"valueSet","resource":{"resourceType":"ValueSet","url":"urn:uuid:014d35b9-0920-46bd-be18-e374fe0eb76e","version":"1","status":"active","compose":{"include":[{"system":"urn:ietf:bcp:13"}]}}}` + clientSettings),
			want: []string{yes, "urn:ietf:bcp:13"},
		},
		{
			name: "code system that is not loaded", method: "POST", path: "/CodeSystem/$validate-code?",
			body: parameters(`{"name":"coding","valueCoding":{"system":"http://loinc.org","code":"8867-4"}}` + clientSettings),
			want: []string{no, `"code":"not-found"`, "x-caused-by-unknown-system"},
		},
		{
			name: "system in place of url", method: "POST", path: "/CodeSystem/$validate-code?",
			body: parameters(`{"name":"system","valueUri":"http://unitsofmeasure.org"},{"name":"code","valueCode":"mg"}` + clientSettings), want: []string{yes},
		},
		{
			name: "valueCoding", method: "POST", path: "/CodeSystem/$validate-code?",
			body: parameters(`{"name":"valueCoding","valueCoding":{"system":"urn:iso:std:iso:4217","code":"USD"}}` + clientSettings), want: []string{yes},
		},
		{
			name: "valueCoding in a value set", method: "POST", path: "/ValueSet/$validate-code?",
			body: parameters(`{"name":"url","valueUri":"http://hl7.org/fhir/ValueSet/currencies"},{"name":"valueCoding","valueCoding":{"system":"urn:iso:std:iso:4217","code":"usd"}}` + clientSettings), want: []string{no},
		},
		{
			name: "valueCodeableConcept", method: "POST", path: "/ValueSet/$validate-code?",
			body: parameters(`{"name":"url","valueUri":"http://hl7.org/fhir/ValueSet/currencies"},{"name":"valueCodeableConcept","valueCodeableConcept":{"coding":[{"system":"urn:iso:std:iso:4217","code":"USD"}]}}` + clientSettings),
			want: []string{yes, `"valueCodeableConcept":{`},
		},
		{
			name: "current version of a coding", method: "POST", path: "/CodeSystem/$validate-code?",
			body: parameters(`{"name":"coding","valueCoding":{"system":"http://unitsofmeasure.org","version":"current","code":"mg"}}` + clientSettings),
			want: []string{yes, `{"name":"version","valueString":"2.2"}`}, not: []string{warning},
		},
		{
			name: "current version in parameters", method: "POST", path: "/CodeSystem/$validate-code?",
			body: parameters(`{"name":"url","valueUri":"http://hl7.org/fhir/administrative-gender"},{"name":"version","valueString":"current"},{"name":"code","valueCode":"male"}` + clientSettings),
			want: []string{yes, `{"name":"version","valueString":"4.0.1"}`},
		},
		{
			name: "current version of a value set and its code system", method: "POST", path: "/ValueSet/$validate-code?",
			body: parameters(`{"name":"url","valueUri":"http://hl7.org/fhir/ValueSet/administrative-gender"},{"name":"valueSetVersion","valueString":"current"},{"name":"system","valueUri":"http://hl7.org/fhir/administrative-gender"},{"name":"systemVersion","valueString":"current"},{"name":"code","valueCode":"male"}` + clientSettings),
			want: []string{yes}, not: []string{warning},
		},
		{
			name: "current version of what is not loaded", method: "POST", path: "/CodeSystem/$validate-code?",
			body: parameters(`{"name":"coding","valueCoding":{"system":"http://snomed.info/sct","version":"current","code":"22298006"}}` + clientSettings),
			want: []string{no, "x-caused-by-unknown-system"}, not: []string{"'current'"},
		},
		{name: "current version of a lookup", method: "GET", path: "/CodeSystem/$lookup?system=http%3A%2F%2Funitsofmeasure.org&version=current&code=mg&language=en", want: []string{"(milligram)"}},
		{
			name: "expansion", method: "POST", path: "/ValueSet/$expand", body: parameters(expanded + money + `}`),
			want: []string{`"total":234`, `"code":"XXX"`},
		},
		{
			name: "current version in a value set", method: "POST", path: "/ValueSet/$expand",
			body: parameters(expanded + `{"resourceType":"ValueSet","status":"active","compose":{"include":[{"system":"http://hl7.org/fhir/administrative-gender","version":"current"}]}}}`),
			want: []string{`"total":4`, "administrative-gender|4.0.1"},
		},
		{
			name: "batch", method: "POST", path: "/ValueSet/$batch-validate-code",
			body: parameters(`{"name":"validation","resource":` + parameters(`{"name":"coding","valueCoding":{"system":"http://unitsofmeasure.org","code":"mg"}},{"name":"defaultDisplayLanguage","valueCode":"en"},{"name":"displayLanguage","valueString":"en, en-US"}`) + `}`),
			want: []string{`"validation"`, yes},
		},
		{
			name: "batch with codings of all kinds", method: "POST", path: "/CodeSystem/$batch-validate-code",
			body: parameters(`{"name":"validation","resource":` + parameters(`{"name":"valueCoding","valueCoding":{"system":"urn:ietf:bcp:47","version":"current","code":"de-CH"}}`) + `}`),
			want: []string{yes},
		},
		{
			name: "relationship of value sets", method: "POST", path: "/ValueSet/$compare?",
			body: parameters(`{"name":"thisValueSet","resource":` + money + `},{"name":"otherValueSet","resource":{"resourceType":"ValueSet","status":"active","compose":{"include":[{"system":"urn:iso:std:iso:4217","concept":[{"code":"USD"}]}]}}},{"name":"diagnostics","valueBoolean":true}`),
			want: []string{`"superset"`},
		},
		{
			name: "subsumption", method: "POST", path: "/CodeSystem/$subsumes?",
			body: parameters(`{"name":"codingA","valueCoding":{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"_ActAccountCode"}},{"name":"codingB","valueCoding":{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"ACCTRECEIVABLE"}}`),
			want: []string{`"subsumes"`},
		},
		{name: "search", method: "GET", path: "/ValueSet?_format=json&url=http%3A%2F%2Fhl7.org%2Ffhir%2FValueSet%2Fcurrencies", want: []string{`"total":1`}},
		{name: "read", method: "GET", path: "/ValueSet/currencies", want: []string{`"urn:iso:std:iso:4217"`}},
	} {
		r.accept = clientRead
		for _, base := range []string{"/r4", "/baseR4"} {
			r.test(t, handler, base)
		}
	}
}
