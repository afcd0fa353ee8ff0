package httpadapter

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
)

const typeXML = "application/fhir+xml; charset=utf-8"

func testCodec() *fhirxml.Codec { return fhirxml.New(definitions.R4(), r4.Limits{}) }

// asTree returns a body as JSON, converted if it is XML.
func (r response) asTree(t testing.TB) any {
	t.Helper()
	body := []byte(r.body)
	if r.header.Get("Content-Type") == typeXML {
		var err error
		if body, err = testCodec().AppendJSON(t.Context(), nil, body); err != nil {
			t.Fatalf("%v\n%s", err, r.body)
		}
	}
	var tree any
	if err := json.Unmarshal(body, &tree); err != nil {
		t.Fatalf("%v\n%s", err, r.body)
	}
	return tree
}

// toXML returns a resource as XML.
func toXML(t testing.TB, resource string) string {
	t.Helper()
	text, err := testCodec().AppendXML(t.Context(), nil, []byte(resource), fhirxml.Indented)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestXML sends the same requests to two servers, once in JSON and once in XML, and compares the
// answers.
func TestXML(t *testing.T) {
	lookup := `{"resourceType":"Parameters","parameter":[{"name":"system","valueUri":"http://t.example/animals"},{"name":"code","valueCode":"dog"}]}`
	bundle := func(typ string) string {
		return `{"resourceType":"Bundle","type":"` + typ + `","entry":[` +
			`{"resource":{"resourceType":"Patient","id":"` + typ + `","active":true},"request":{"method":"PUT","url":"Patient/` + typ + `"}},` +
			`{"request":{"method":"GET","url":"Patient/peter?_format=xml"}}]}`
	}
	patchWith := `{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"replace"},{"name":"path","valueString":"Patient.birthDate"},{"name":"value","valueDate":"1980-01-01"}]}]}`
	for _, base := range pathsR4() {
		inJSON, inXML := clinic(t), clinic(t)
		for _, r := range []struct {
			method, path, body string
			headers            []string
		}{
			{"GET", "/metadata", "", nil},
			{"GET", "/metadata?mode=terminology", "", nil},
			{"GET", "/OperationDefinition", "", nil},
			{"GET", "/Patient/peter", "", nil},
			{"GET", "/Patient/peter?_summary=true", "", nil},
			{"GET", "/Patient/peter?_elements=name", "", nil},
			{"GET", "/Patient/peter?_pretty=true", "", nil},
			{"GET", "/Patient/peter/_history/1", "", nil},
			{"GET", "/Patient/peter/_history", "", nil},
			{"GET", "/Patient/peter/_history?_pretty=true", "", nil},
			{"GET", "/Patient/nobody", "", nil},
			{"GET", "/Hound", "", nil},
			{"GET", "/CodeSystem/animals", "", nil},
			{"GET", "/CodeSystem/loaded", "", nil},
			{"GET", "/CodeSystem/loaded?_summary=true", "", nil},
			{"GET", "/ValueSet/numbers", "", nil},
			{"GET", "/ConceptMap/to-numbers", "", nil},
			{"GET", "/CodeSystem", "", nil},
			{"GET", "/CodeSystem?_count=0", "", nil},
			{"GET", "/Patient?_summary=count", "", nil},
			{"GET", "/Patient?colour=red", "", nil},
			{"GET", "/Patient?name=Chalmers&_sort=_id", "", nil},
			{"GET", "/Patient?name=nobody", "", nil},
			{"GET", "/Patient?birthdate=soon", "", nil},
			{"GET", "/Observation?_include=Observation:subject&_pretty=true", "", nil},
			{"GET", "/Patient/peter/$everything", "", nil},
			{"GET", "/_history", "", nil},
			{"GET", "/CodeSystem/$lookup?system=http://t.example/animals&code=dog", "", nil},
			{"GET", "/CodeSystem/$lookup?system=http://t.example/animals&code=unicorn", "", nil},
			{"POST", "/CodeSystem/$lookup", lookup, nil},
			{"POST", "/ValueSet/$expand", everything, nil},
			{"POST", "/ValueSet/$validate-code", strings.Replace(lookup, `"system"`, `"url"`, 1), nil},
			{"POST", "/Patient/$validate", `{"resourceType":"Patient","gender":"x"}`, nil},
			{"PUT", "/Patient/paul", strings.Replace(peter, `"peter"`, `"paul"`, 1), nil},
			{"PUT", "/Patient/paul", strings.Replace(peter, `"peter"`, `"paul"`, 1), []string{"Prefer", "return=OperationOutcome"}},
			{"PUT", "/Patient/paul", strings.Replace(peter, `"peter"`, `"pauline"`, 1), nil},
			{"PUT", "/Patient/paul", `{"resourceType":"Patient","id":"paul","gender":"x"}`, nil},
			{"PUT", "/CodeSystem/animals", strings.Replace(animals, "Zoo", "Garden", 1), nil},
			{"PATCH", "/Patient/paul", patchWith, nil},
			{"POST", "/", bundle("batch"), nil},
			{"POST", "/", bundle("transaction"), nil},
			{"POST", "/", `{"resourceType":"Bundle","type":"history"}`, nil},
			{"DELETE", "/Patient/x/_history", "", nil},
		} {
			name := r.method + " " + base + r.path
			a := inJSON.do(r.method, base+r.path, r.body, r.headers...)
			headers, body := append([]string{"Accept", "application/fhir+xml", "Content-Type", "application/xml"}, r.headers...), r.body
			if body != "" {
				body = toXML(t, body)
			}
			b := inXML.do(r.method, base+r.path, body, headers...)
			if b.status != a.status || b.header.Get("Content-Type") != typeXML || b.header.Get("Location") != a.header.Get("Location") {
				t.Errorf("%s: status %d and %d, %v\n%s", name, a.status, b.status, b.header, b.body)
				continue
			}
			wellFormed(t, name, b.body)
			if strings.Contains(b.body, "(line ") {
				t.Errorf("%s: a place in JSON that the client did not send\n%s", name, b.body)
			}
			if pretty := strings.Contains(r.path, "_pretty"); pretty != strings.Contains(b.body, ">\n  <") {
				t.Errorf("%s: layout\n%s", name, b.body)
			}
			if got, want := withoutPlaces(b.asTree(t)), withoutPlaces(a.asTree(t)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\n  %s\n  %s", name, a.body, b.body)
			}
		}
	}
}

// withoutPlaces removes the places in JSON bodies from the issues of an outcome, random ids, and the
// times at which servers were made and answered.
func withoutPlaces(tree any) any {
	for _, name := range [...]string{"diagnostics", "text"} {
		each(tree, name, func(text string) string {
			before, _, _ := strings.Cut(text, " (line ")
			return before
		})
	}
	for _, name := range [...]string{"identifier", "timestamp", "date"} {
		each(tree, name, func(string) string { return "" })
	}
	return tree
}

// each replaces the strings in a tree that are members with a name.
func each(tree any, name string, f func(string) string) {
	switch tree := tree.(type) {
	case map[string]any:
		for key, v := range tree {
			if text, is := v.(string); is && key == name {
				tree[key] = f(text)
			}
			each(v, name, f)
		}
	case []any:
		for _, v := range tree {
			each(v, name, f)
		}
	}
}

func wellFormed(t *testing.T, name, text string) {
	t.Helper()
	in := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := in.Token(); err == io.EOF { //nolint:errorlint // the decoder returns it as it is
			return
		} else if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
	}
}

// TestChosenFormat checks which format a request gets by _format and Accept.
func TestChosenFormat(t *testing.T) {
	c := newClient(t)
	for _, row := range []struct {
		format, accept string
		xml            bool
	}{
		{"", "", false},
		{"", "application/fhir+xml", true},
		{"", "application/fhir+xml; charset=utf-8", true},
		{"", "application/fhir+xml; fhirVersion=4.0", true},
		{"", "application/xml", true},
		{"", "text/xml", true},
		{"", "APPLICATION/FHIR+XML", true},
		{"", "application/fhir+xml, application/fhir+json", true},
		{"", "application/fhir+json, application/fhir+xml", false},
		{"", "application/fhir+json;q=0.9, application/fhir+xml", true},
		{"", "application/fhir+xml;q=0.9, application/fhir+json;q=1.0", false},
		{"", "application/fhir+json;q=0, application/fhir+xml;q=0.1", true},
		{"", "application/fhir+json;q=0, */*;q=0.1", true},
		{"", "application/fhir+xml;q=0.2, */*;q=0.1", true},
		{"", "application/fhir+xml;q=0.1, */*;q=0.2", false},
		{"", "application/fhir+xml, */*", true},
		{"", "*/*, application/fhir+xml;q=0", false},
		{"", "text/*", false},
		{"", "text/html, application/xhtml+xml, image/png, application/xml;q=0.9, */*;q=0.8", false},
		{"", "text/html, application/xml;q=0.9", true},
		{"", "text/html, application/fhir+xml, */*;q=0.8", true},
		{"", "application/fhir+json;fhirVersion=3.0, application/fhir+xml;q=0.1", true},
		{"xml", "application/fhir+json", true},
		{"text/xml", "", true},
		{"application/xml", "", true},
		{"application/fhir%2Bxml", "", true},
		{"application/fhir+xml", "", true},
		{"json", "application/fhir+xml", false},
		{"application/fhir+json", "application/fhir+xml", false},
	} {
		for _, path := range []string{"/CodeSystem/$lookup?system=http://t.example/animals&code=dog", "/CodeSystem?", "/CodeSystem/animals?", "/Nowhere?", "/metadata?"} {
			if row.format != "" {
				path += "&_format=" + row.format
			}
			r := c.get(path, "Accept", row.accept)
			if got := r.header.Get("Content-Type") == typeXML; got != row.xml || got != strings.HasPrefix(r.body, "<?xml") {
				t.Errorf("%s, Accept %q: %d %v\n%.200s", path, row.accept, r.status, r.header, r.body)
			}
		}
	}
}

// TestXMLBodies sends bodies that are not what they should be.
func TestXMLBodies(t *testing.T) {
	c := clinic(t)
	for _, row := range []struct {
		method, path, body, media string
		status                    int
		text, expression          string
	}{
		{"POST", "/Patient", `<Patient xmlns="http://hl7.org/fhir">` + "\n" + ` <gendre value="male"/></Patient>`, "application/fhir+xml", 400, "line 2, column 2: Patient.gendre: unknown element", "Patient.gendre"},
		{"POST", "/Patient", `<Patient xmlns="http://hl7.org/fhir"><gender value="m"/></Patient>`, "text/xml", 422, `"m" is not one of`, "Patient.gender"},
		{"POST", "/Patient", `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><Patient xmlns="http://hl7.org/fhir"/>`, "application/xml", 400, "document type declaration", ""},
		{"POST", "/Patient", peter, "application/fhir+xml", 400, "the body is JSON, not XML", ""},
		{"POST", "/Patient", "<Patient/>", "application/fhir+xml", 400, "namespace", "Patient"},
		{"POST", "/Patient", "", "application/fhir+xml", 400, "empty", ""},
		{"POST", "/Patient", "<Patient/>", "application/fhir+xml; charset=ISO-8859-1", 415, "charset", ""},
		{"POST", "/CodeSystem/$lookup", "<Parameters/>", "application/fhir+xml", 400, "namespace", "Parameters"},
		{"PATCH", "/Patient/peter", `<diff/>`, "application/xml-patch+xml", 415, "send application/json-patch+json or application/merge-patch+json or application/fhir+json or application/fhir+xml", ""},
		{"PATCH", "/Patient/peter", `<diff/>`, "application/xml", 400, "namespace", "diff"},
		{"POST", "/Patient/_search", toXML(t, peter), "application/fhir+xml", 415, "application/x-www-form-urlencoded", ""},
	} {
		r := c.do(row.method, row.path, row.body, "Content-Type", row.media, "Accept", "application/fhir+json")
		doc := r.want(t, row.status)
		issue := at(doc, "issue", 0)
		text, _ := at(issue, "diagnostics").(string)
		expression, _ := at(issue, "expression", 0).(string)
		if !strings.Contains(text, row.text) || expression != row.expression || row.status == 422 && strings.Contains(text, "(line") {
			t.Errorf("%s %s %s: %s at %q", row.method, row.path, row.body, text, expression)
		}
	}
}

// TestNoXML reads resources that have no XML form.
func TestNoXML(t *testing.T) {
	c := clinic(t)
	broken := strings.Replace(peter, `"gender"`, `"text":{"status":"generated","div":"<div>&unknown;</div>"},"gender"`, 1)
	broken = strings.Replace(broken, `"peter"`, `"broken"`, 1)
	// A client that accepts anything gets the format of its body.
	if r := c.do("PUT", "/Patient/plain", toXML(t, `{"resourceType":"Patient","id":"plain"}`), "Content-Type", "application/xml; charset=UTF-8", "Accept", "*/*"); r.status != 201 || r.header.Get("Content-Type") != typeXML {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
	// The write is made and confirmed, although its response cannot be XML.
	r := c.do("PUT", "/Patient/broken", broken, "Accept", "application/fhir+xml")
	r.want(t, 201)
	for _, path := range []string{"/Patient/broken", "/Patient?_id=broken", "/Patient/broken/_history"} {
		r := c.get(path, "Accept", "application/fhir+xml")
		if r.status != 406 || r.header.Get("Content-Type") != typeXML || r.header.Get("Etag") != "" {
			t.Errorf("%s: %d %v\n%s", path, r.status, r.header, r.body)
		}
		text, _ := at(r.asTree(t), "issue", 0, "diagnostics").(string)
		if !strings.Contains(text, "narrative") || !strings.Contains(text, "request it as application/fhir+json") {
			t.Errorf("%s: %s", path, text)
		}
		c.get(path).want(t, 200)
	}
}

// TestInexpressibleError checks that an error that quotes characters which XML excludes is XML.
func TestInexpressibleError(t *testing.T) {
	c := clinic(t)
	for _, path := range []string{"/Patient/%00", "/Patient/a%1Fb", "/Patient/%EF%BF%BE", "/Patient/%5Cu0001"} {
		r := c.get(path, "Accept", "application/fhir+xml")
		if r.status != 404 || r.header.Get("Content-Type") != typeXML {
			t.Errorf("%s: %d %v\n%s", path, r.status, r.header, r.body)
		}
		if text, _ := at(r.asTree(t), "issue", 0, "diagnostics").(string); !strings.Contains(text, "not found") {
			t.Errorf("%s: %q", path, text)
		}
	}
}

// TestLargeXML reads a page that is sent in parts, and one whose connection ends.
func TestLargeXML(t *testing.T) {
	c := clinic(t)
	for i := range 300 {
		body := fmt.Sprintf(`{"resourceType":"Patient","id":"p%d","name":[{"text":%q}]}`, i, strings.Repeat("long ", 100))
		if r := c.do("PUT", fmt.Sprintf("/Patient/p%d", i), body); r.status != 201 {
			t.Fatal(r.body)
		}
	}
	for _, path := range []string{"/Patient?_count=1000&_sort=_id", "/_history?_count=1000", "/Patient?_count=1000&_sort=_id&_pretty=true"} {
		a, b := c.get(path), c.get(path, "Accept", "application/fhir+xml")
		if b.status != 200 || len(b.body) < 3*streamPart || !reflect.DeepEqual(a.asTree(t), b.asTree(t)) {
			t.Errorf("%s: %d, %d bytes", path, b.status, len(b.body))
		}
	}
	r := httptest.NewRequest(http.MethodHead, "/Patient?_format=xml", nil)
	if got := serve(c.handler, r); got.status != 200 || got.body != "" || got.header.Get("Content-Type") != typeXML {
		t.Errorf("HEAD: %d %v", got.status, got.header)
	}
}
