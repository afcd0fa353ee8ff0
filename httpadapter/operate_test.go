package httpadapter

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTerminologyPaths sends every request of the clinical document, 4.2, under every base.
func TestTerminologyPaths(t *testing.T) {
	c := newClient(t)
	subsumes := `{"resourceType":"Parameters","parameter":[{"name":"system","valueUri":"http://t.example/animals"},{"name":"codeA","valueCode":"mammal"},{"name":"codeB","valueCode":"dog"}]}`
	valid := `{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"http://t.example/vs/pets"},{"name":"codeableConcept","valueCodeableConcept":{"coding":[{"system":"http://t.example/animals","code":"bird"},{"system":"http://t.example/animals","code":"dog"}]}}]}`
	for _, tt := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"PUT", "/CodeSystem/animals", animals, 200, `"resourceType":"CodeSystem"`},
		{"PUT", "/ValueSet/pets", pets, 200, `"resourceType":"ValueSet"`},
		{"GET", "/ValueSet/$expand?url=http://t.example/vs/pets&filter=do&count=1&offset=0", "", 200, `"total":1`},
		{"GET", "/ValueSet/pets/$expand?count=1", "", 200, `"total":2`},
		{"POST", "/ValueSet/$expand", `{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"http://t.example/vs/everything"}]}`, 200, `"total":6`},
		{"GET", "/ValueSet/$validate-code?url=http://t.example/vs/pets&code=dog&system=http://t.example/animals", "", 200, `{"name":"result","valueBoolean":true}`},
		{"POST", "/ValueSet/$validate-code", valid, 200, `{"name":"result","valueBoolean":true}`},
		{"GET", "/CodeSystem/$lookup?system=http://t.example/animals&code=dog&version=1.0", "", 200, `"valueString":"Dog"`},
		{"GET", "/CodeSystem/$subsumes?system=http://t.example/animals&codeA=mammal&codeB=dog&version=1.0", "", 200, `{"name":"outcome","valueCode":"subsumes"}`},
		{"GET", "/CodeSystem/animals/$subsumes?codeA=dog&codeB=mammal", "", 200, `"subsumed-by"`},
		{"POST", "/CodeSystem/$subsumes", subsumes, 200, `"subsumes"`},
		{"GET", "/terminology/memberOf?code=dog&system=http://t.example/animals&valueSetUrl=http://t.example/vs/pets", "", 200, `{"name":"result","valueBoolean":true}`},
		{"GET", "/CodeSystem/%24lookup?system=http://t.example/animals&code=dog", "", 200, `"Dog"`},
		{"GET", "/CodeSystem/$lookup?system=http%3A%2F%2Ft.example%2Fanimals&code=odd%7Ccode", "", 200, `Odd & strange`},
		{"GET", "/ConceptMap/$translate?system=http://t.example/animals&code=dog&targetsystem=http://t.example/loaded", "", 200, `"one"`},
	} {
		for _, prefix := range paths() {
			r := c.do(tt.method, prefix+tt.path, tt.body)
			if r.status != tt.status || !strings.Contains(r.body, tt.says) {
				t.Errorf("%s %s: status %d, want %d saying %s\n%s", tt.method, prefix+tt.path, r.status, tt.status, tt.says, r.body)
			}
			r.want(t, tt.status)
			if tt.method != "GET" {
				continue
			}
			head := c.do("HEAD", prefix+tt.path, "")
			if head.status != tt.status || head.body != "" || head.header.Get("Content-Length") == "" {
				t.Errorf("HEAD %s: status %d, %d bytes, Content-Length %q", prefix+tt.path, head.status, len(head.body), head.header.Get("Content-Length"))
			}
		}
	}
}

// expansionStamp matches the members that differ between two expansions.
var expansionStamp = regexp.MustCompile(`"(identifier|timestamp)":"[^"]*"`)

// TestQueryBodyAndForm checks that the same parameters have the same result as a query, as Parameters
// and as a form, on the type and on an instance.
func TestQueryBodyAndForm(t *testing.T) {
	c := newClient(t)
	type pair struct{ name, value, text string }
	uri := func(name, text string) pair { return pair{name, `"valueUri":"` + text + `"`, text} }
	code := func(name, text string) pair { return pair{name, `"valueCode":"` + text + `"`, text} }
	for _, tt := range []struct {
		path   string
		params []pair
	}{
		{"/CodeSystem/$lookup", []pair{uri("system", "http://t.example/animals"), code("code", "cat")}},
		{"/CodeSystem/$lookup", []pair{uri("system", "http://t.example/nowhere"), code("code", "cat")}},
		{"/CodeSystem/$lookup", []pair{{"coding", `"valueCoding":{"system":"http://t.example/animals","code":"cat"}`, "http://t.example/animals|cat"}}},
		{"/CodeSystem/$subsumes", []pair{uri("system", "http://t.example/animals"), code("codeA", "cat"), code("codeB", "dog")}},
		{"/CodeSystem/animals/$subsumes", []pair{code("codeA", "cat"), code("codeB", "animal")}},
		{"/ValueSet/$validate-code", []pair{uri("url", "http://t.example/vs/pets"), code("code", "bird"), uri("system", "http://t.example/animals")}},
		{"/ValueSet/pets/$validate-code", []pair{code("code", "dog"), uri("system", "http://t.example/animals")}},
		{"/ValueSet/$expand", []pair{uri("url", "http://t.example/vs/everything"), {"count", `"valueInteger":2`, "2"}, {"offset", `"valueInteger":1`, "1"}, {"filter", `"valueString":"a"`, "a"}}},
		{"/ValueSet/everything/$expand", []pair{{"activeOnly", `"valueBoolean":true`, "true"}}},
		{"/terminology/memberOf", []pair{code("code", "cat"), uri("system", "http://t.example/animals"), uri("valueSetUrl", "http://t.example/vs/pets")}},
		{"/ValueSet/$expand", nil},
	} {
		var query, entries []string
		for _, p := range tt.params {
			query = append(query, p.name+"="+p.text)
			entries = append(entries, `{"name":"`+p.name+`",`+p.value+`}`)
		}
		body := `{"resourceType":"Parameters"}`
		if len(entries) > 0 {
			body = `{"resourceType":"Parameters","parameter":[` + strings.Join(entries, ",") + `]}`
		}
		form := strings.Join(query, "&")
		stamped := func(r response) string {
			return http.StatusText(r.status) + expansionStamp.ReplaceAllString(r.body, `"$1":""`)
		}
		get := stamped(c.get(tt.path + "?" + form))
		post := stamped(c.do("POST", tt.path, body))
		if diff := cmp.Diff(get, post); diff != "" {
			t.Errorf("%s: GET and POST differ: %s", tt.path, diff)
		}
		if form == "" {
			continue
		}
		if diff := cmp.Diff(get, stamped(c.do("POST", tt.path, form, "Content-Type", "application/x-www-form-urlencoded"))); diff != "" {
			t.Errorf("%s: GET and form differ: %s", tt.path, diff)
		}
		if diff := cmp.Diff(get, stamped(c.do("POST", tt.path+"?"+form, ""))); diff != "" {
			t.Errorf("%s: GET and POST with a query differ: %s", tt.path, diff)
		}
	}
}

// TestPostedResource sends a resource directly as the body.
func TestPostedResource(t *testing.T) {
	c := newClient(t)
	doc := c.do("POST", "/ValueSet/$expand?count=1", pets).want(t, 200)
	if got := at(doc, "expansion", "total"); got != 2.0 {
		t.Errorf("total %v", got)
	}
	c.do("POST", "/ValueSet/$expand", animals).wantIssue(t, 400, "invalid")
}

func TestUnknownParameters(t *testing.T) {
	c := newClient(t)
	path := "/CodeSystem/$lookup?system=http://t.example/animals&code=dog&kount=1"
	text := c.get(path).wantIssue(t, 400, "invalid")
	for _, word := range []string{"kount", "system", "displayLanguage"} {
		if !strings.Contains(text, word) {
			t.Errorf("%q does not name %s", text, word)
		}
	}
	c.get(path, "Prefer", "handling=lenient").want(t, 200)
	body := `{"resourceType":"Parameters","parameter":[{"name":"system","valueUri":"http://t.example/animals"},{"name":"code","valueCode":"dog"},{"name":"kount","valueInteger":1}]}`
	c.do("POST", "/CodeSystem/$lookup", body).want(t, 200)
	c.do("POST", "/CodeSystem/$lookup", body, "Prefer", "return=representation; handling=strict").wantIssue(t, 400, "invalid")
	c.get("/CodeSystem/$lookup?system=http://t.example/animals&code=dog&_format=json&_pretty=false&_summary=false&_elements=x").want(t, 200)
}

func TestPretty(t *testing.T) {
	c := newClient(t)
	path := "/CodeSystem/$lookup?system=http://t.example/animals&code=dog"
	plain, pretty := c.get(path), c.get(path+"&_pretty=true")
	if !strings.Contains(pretty.body, "\n  ") || compact(t, pretty.body) != plain.body {
		t.Errorf("pretty: %s", pretty.body)
	}
	if got := c.get("/CodeSystem/loaded?_pretty=true").body; !strings.Contains(got, "\n  ") {
		t.Errorf("pretty stream: %s", got)
	}
}

func TestNegotiation(t *testing.T) {
	c := newClient(t)
	path := "/CodeSystem/$lookup?system=http://t.example/animals&code=dog"
	for _, accept := range []string{
		"", "*/*", "application/json", "application/fhir+json", "application/fhir+json; charset=utf-8", "application/fhir+json; fhirVersion=4.0",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/fhir+xml, application/fhir+json;q=0.1", "application/*",
	} {
		if r := c.get(path, "Accept", accept); r.status != 200 {
			t.Errorf("Accept %q: status %d", accept, r.status)
		}
	}
	for _, accept := range []string{
		"text/turtle", "text/html", "application/fhir+json; fhirVersion=5.0", "application/fhir+xml; fhirVersion=5.0", "application/fhir+xml;q=0.0", "application/json;q=0", "nonsense",
	} {
		for _, target := range []string{path, "/CodeSystem/animals", "/CodeSystem?name=a", "/metadata", "/CodeSystem/loaded", "/OperationDefinition"} {
			if text := c.get(target, "Accept", accept).wantIssue(t, 406, "not-supported"); !strings.Contains(text, "Accept") {
				t.Errorf("%s", text)
			}
		}
	}
	for _, format := range []string{"json", "application/json", "application/fhir%2Bjson", "application/fhir+json", "text/json", "application/fhir%2Bjson;%20fhirVersion=4.0"} {
		if r := c.get(path+"&_format="+format, "Accept", "application/xml"); r.status != 200 {
			t.Errorf("_format=%s: %s", format, r.body)
		}
	}
	for _, format := range []string{"html", "application/fhir+xml%3BfhirVersion=3.0", "ttl", "%2F%2F"} {
		c.get(path+"&_format="+format).wantIssue(t, 406, "not-supported")
		c.get("/CodeSystem/animals?_format="+format).wantIssue(t, 406, "not-supported")
	}
	for _, media := range []string{"application/fhir+json", "application/json; charset=UTF-8", "application/fhir+json; fhirVersion=4.0"} {
		if r := c.do("POST", "/ValueSet/$expand?count=1", pets, "Content-Type", media); r.status != 200 {
			t.Errorf("Content-Type %s: %s", media, r.body)
		}
	}
	for _, media := range []string{"application/xml-patch+xml", "text/plain", "application/fhir+json; fhirVersion=3.0", "application/json; charset=latin1", ";;", ""} {
		c.do("POST", "/ValueSet/$expand", pets, "Content-Type", media).wantIssue(t, 415, "not-supported")
		c.do("PUT", "/ValueSet/pets", pets, "Content-Type", media).wantIssue(t, 415, "not-supported")
	}
	c.do("PUT", "/ValueSet/pets", pets, "Content-Encoding", "br").wantIssue(t, 415, "not-supported")
	c.do("PUT", "/ValueSet/pets", "a=b", "Content-Type", "application/x-www-form-urlencoded").wantIssue(t, 415, "not-supported")
}

// TestAnswersAreJSON checks that the response of every operation is strict JSON.
func TestAnswersAreJSON(t *testing.T) {
	c := newClient(t)
	for _, path := range []string{
		"/ValueSet/$explain?url=http://t.example/vs/pets&code=dog&system=http://t.example/animals",
		"/CodeSystem/$validate-code?url=http://t.example/animals&code=dog",
		"/CodeSystem/$validate-code?url=http://t.example/animals&code=unicorn%22",
	} {
		doc := c.get(path).want(t, 200)
		if doc["resourceType"] != "Parameters" {
			t.Errorf("%s: %v", path, doc["resourceType"])
		}
	}
	body := `{"resourceType":"Parameters","parameter":[{"name":"system","valueUri":"http://t.example/animals"},` +
		`{"name":"property","part":[{"name":"code","valueCode":"display"},{"name":"value","valueString":"Dog"}]},{"name":"exact","valueBoolean":true}]}`
	doc := c.do("POST", "/CodeSystem/$find-matches", body).want(t, 200)
	if raw, _ := json.Marshal(doc); !strings.Contains(string(raw), `"dog"`) {
		t.Errorf("find-matches: %s", raw)
	}
}
