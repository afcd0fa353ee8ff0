package httpadapter

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// newElements is a CodeSystem with elements that R4 does not have.
const newElements = `{"resourceType":"CodeSystem","id":"five","url":"http://t.example/five","version":"1","versionAlgorithmString":"semver",
	"name":"Five","title":"Five","status":"active","copyrightLabel":"ours","approvalDate":"2026-11-01","_approvalDate":{"id":"a"},
	"topic":[{"text":"zoology"}],"author":[{"name":"Ann"}],"relatedArtifact":[{"type":"part-of","resource":"http://t.example/whole"}],
	"caseSensitive":true,"content":"complete","filter":[{"code":"parent","operator":["=","child-of"],"value":"a code"}],
	"concept":[{"code":"a","display":"A","designation":[{"value":"Alpha","additionalUse":[{"system":"http://t.example/uses","code":"u"}]}]}]}`

// newMap is a ConceptMap with what changed in R5.
const newMap = `{"resourceType":"ConceptMap","id":"five","url":"http://t.example/cm/five","status":"active",
	"identifier":[{"value":"1"},{"value":"2"}],"property":[{"code":"score","type":"decimal"}],
	"additionalAttribute":[{"code":"sex","uri":"http://t.example/sex","type":"code"}],"sourceScopeUri":"http://t.example/vs/s",
	"group":[{"source":"http://t.example/five|1","target":"http://t.example/other","element":[
		{"code":"a","target":[{"code":"x","display":"X","relationship":"source-is-narrower-than-target",
			"property":[{"code":"score","valueDecimal":1.50}],"dependsOn":[{"attribute":"sex","valueCode":"female"}]}]},
		{"code":"b","noMap":true}],"unmapped":{"mode":"use-source-code","relationship":"equivalent"}}]}`

func sameDocument(t *testing.T, got, want string) {
	t.Helper()
	a, errA := document.Parse([]byte(got), r4.DefaultLimits())
	b, errB := document.Parse([]byte(want), r4.DefaultLimits())
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for member := range b.Root().Members() {
		if !document.Equal(a.Root().Get(member.Name()), member) {
			t.Errorf("%s is %s, was %s", member.Name(), a.Root().Get(member.Name()).Raw(), member.Raw())
		}
	}
	if a.Root().Len() != b.Root().Len()+1 { // meta
		t.Errorf("other members: %s", got)
	}
}

// TestR5RoundTrip writes R5 and reads it in R5, as it was, and in R4, as valid R4.
func TestR5RoundTrip(t *testing.T) {
	c := newClient(t)
	validator := validate.New(definitions.R4())
	for path, body := range map[string]string{"/CodeSystem/five": newElements, "/ConceptMap/five": newMap} {
		sameDocument(t, c.do("PUT", "/r5"+path, body).body, body)
		r := c.do("GET", "/r5"+path, "")
		if r.status != 200 || r.header.Get("ETag") != `W/"1"` {
			t.Errorf("%s: %d %v", path, r.status, r.header)
		}
		sameDocument(t, r.body, body)
		if again := c.do("GET", "/r5"+path, "", "If-None-Match", `W/"1"`); again.status != 304 {
			t.Errorf("%s: %d", path, again.status)
		}
		if again := c.do("PUT", "/r5"+path, body); again.header.Get("ETag") != `W/"1"` {
			t.Errorf("equal content made a version: %v", again.header)
		}
		for _, base := range pathsR4() {
			as4 := c.do("GET", base+path, "")
			doc, err := document.Parse([]byte(as4.body), r4.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			for _, is := range validator.Validate(doc) {
				if is.Severity == validate.Error {
					t.Errorf("%s%s: %s", base, path, is)
				}
			}
		}
	}
	as4 := c.do("GET", "/r4/ConceptMap/five", "").body
	for _, want := range []string{`"sourceUri":"http://t.example/vs/s"`, `"sourceVersion":"1"`, `"equivalence":"wider"`, `"equivalence":"unmatched"`, `"mode":"provided"`, `"property":"http://t.example/sex"`} {
		if !strings.Contains(as4, want) {
			t.Errorf("no %s in %s", want, as4)
		}
	}
}

// TestR5ReadsR4 writes R4 and reads valid R5.
func TestR5ReadsR4(t *testing.T) {
	c := newClient(t)
	body := `{"resourceType":"ConceptMap","id":"four","url":"http://t.example/cm/four","status":"active","group":[{"source":"http://t.example/s",
		"target":"http://t.example/t","element":[{"code":"a","target":[{"code":"b","equivalence":"subsumes","dependsOn":[
		{"property":"http://t.example/p#age","value":"old"}]}]}]}]}`
	c.do("PUT", "/baseR4/ConceptMap/four", body)
	validator := validate.New(definitions.R5())
	for _, path := range []string{
		"/ConceptMap/four", "/CodeSystem/animals", "/CodeSystem?url=http://t.example/animals", "/ConceptMap/four/_history", "/metadata",
		"/metadata?mode=terminology", "/OperationDefinition/ValueSet-expand", "/ValueSet/$expand?url=http://t.example/vs/everything", "/$versions",
		"/CodeSystem/$lookup?system=http://t.example/animals&code=dog", "/Patient/1", "/CodeSystem?_summary=true", "/ConceptMap?_elements=url",
	} {
		r := c.do("GET", "/r5"+path, "")
		doc, err := document.Parse([]byte(r.body), r4.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		for _, is := range validator.Validate(doc) {
			if is.Severity == validate.Error {
				t.Errorf("%s: %s\n%s", path, is, r.body)
			}
		}
	}
	got := c.do("GET", "/r5/ConceptMap/four", "").body
	for _, want := range []string{`"relationship":"source-is-narrower-than-target"`, `"attribute":"age"`, `"uri":"http://t.example/p#age"`, `"valueString":"old"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

// TestR5Elements checks that a search selects elements that only one of the versions has.
func TestR5Elements(t *testing.T) {
	c := clinic(t)
	c.do("PUT", "/r5/NamingSystem/five", `{"resourceType":"NamingSystem","id":"five","url":"http://t.example/ns/five","version":"3","name":"Five","title":"Five",
		"status":"active","kind":"codesystem","date":"2026","uniqueId":[{"type":"iri-stem","value":"http://t.example/five"}],"usage":"none"}`).want(t, 201)
	got := c.do("GET", "/r5/NamingSystem?_id=five&_elements=url,title", "", "Prefer", "handling=strict").body
	for text, want := range map[string]bool{`"url":"http://t.example/ns/five"`: true, `"title":"Five"`: true, `"version":"3"`: false, `"usage"`: false, "OperationOutcome": false} {
		if strings.Contains(got, text) != want {
			t.Errorf("%s is in the answer: %v\n%s", text, !want, got)
		}
	}
	c.do("GET", "/baseR4/NamingSystem?_id=five&_elements=url", "", "Prefer", "handling=strict").want(t, 400)
}

// TestR5Versions checks that a base names the version that it speaks.
func TestR5Versions(t *testing.T) {
	c := newClient(t)
	for base, version := range map[string]string{"": "4.0", "/baseR4": "4.0", "/r4": "4.0", "/r5": "5.0"} {
		want := `{"resourceType":"Parameters","parameter":[{"name":"version","valueCode":"` + version + `"},{"name":"default","valueCode":"` + version + `"}]}`
		if got := c.do("GET", base+"/$versions", "").body; got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}

func TestR5Translate(t *testing.T) {
	c := newClient(t)
	c.do("PUT", "/r5/ConceptMap/five", strings.Replace(newMap, `"sourceScopeUri":"http://t.example/vs/s",`, "", 1))
	ask := func(parameters string) string {
		return c.do("POST", "/r5/ConceptMap/$translate", `{"resourceType":"Parameters","parameter":[
			{"name":"url","valueUri":"http://t.example/cm/five"},{"name":"system","valueUri":"http://t.example/five"},`+parameters+`]}`).body
	}
	got := ask(`{"name":"sourceCode","valueCode":"a"},{"name":"dependency","part":[{"name":"attribute","valueUri":"http://t.example/sex"},{"name":"value","valueCode":"female"}]}`)
	for _, want := range []string{`{"name":"result","valueBoolean":true}`, `{"name":"relationship","valueCode":"source-is-narrower-than-target"}`, `"name":"originMap","valueCanonical":"http://t.example/cm/five`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if got := ask(`{"name":"sourceCode","valueCode":"a"},{"name":"dependency","part":[{"name":"attribute","valueUri":"http://t.example/sex"},{"name":"value","valueCode":"male"}]}`); !strings.Contains(got, `"valueBoolean":false`) {
		t.Errorf("another dependency: %s", got)
	}
}

// TestR5Refuses sends what a base of R5 does not take.
func TestR5Refuses(t *testing.T) {
	c := newClient(t)
	for _, q := range []struct {
		method, path, body string
		status             int
		part               string
	}{
		{"GET", "/Patient/peter", "", 404, "http://example.com/baseR4"},
		{"POST", "/Patient", `{"resourceType":"Patient"}`, 404, "Patient is not served in R5"},
		{"GET", "/_history", "", 404, "history"},
		{"GET", "?_type=CodeSystem", "", 404, "search"},
		{"GET", "/Nothing", "", 404, "Nothing"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"CodeSystem","id":"x","status":"active","content":"none"}`, 422, "CodeSystem.content"},
		{"PUT", "/ConceptMap/x", `{"resourceType":"ConceptMap","id":"x","status":"active","sourceUri":"http://x"}`, 400, "sourceUri"},
		{"PUT", "/CodeSystem/x", `{"resourceType":"Patient","id":"x"}`, 400, "Patient"},
		{"PUT", "/CodeSystem/x", `{`, 400, ""},
		{"POST", "/ConceptMap/$translate", `{"resourceType":"Parameters","parameter":[{"name":"conceptMap","resource":{"resourceType":"ConceptMap","sourceUri":"http://x"}}]}`, 400, "sourceUri"},
		{"POST", "/", `{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"PUT","url":"Patient/1"},"resource":{"resourceType":"Patient","id":"1"}}]}`, 400, "Bundle.entry[0]"},
	} {
		r := c.do(q.method, "/r5"+q.path, q.body)
		if r.status != q.status || !strings.Contains(r.body, q.part) || !strings.Contains(r.body, "OperationOutcome") {
			t.Errorf("%s %s: %d, want %d with %q\n%s", q.method, q.path, r.status, q.status, q.part, r.body)
		}
	}
	for version, ok := range map[string]bool{"5.0": true, "5.0.0": true, "4.0": false} {
		for base, speaks := range map[string]bool{"/r5": ok, "/r4": !ok} {
			r := c.do("GET", base+"/metadata", "", "Accept", "application/fhir+json; fhirVersion="+version)
			if (r.status == 200) != speaks {
				t.Errorf("%s under %s: %d", version, base, r.status)
			}
		}
	}
}

// TestR5Interactions writes in the other ways: create, patch, batch, transaction, delete, and XML.
func TestR5Interactions(t *testing.T) {
	c := newClient(t)
	c.do("PUT", "/r5/CodeSystem/five", newElements)
	for media, body := range map[string]string{
		"application/json-patch+json":  `[{"op":"replace","path":"/copyrightLabel","value":"theirs"}]`,
		"application/merge-patch+json": `{"copyrightLabel":"all"}`,
		"application/fhir+json": `{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"replace"},
			{"name":"path","valueString":"CodeSystem.copyrightLabel"},{"name":"value","valueString":"none"}]}]}`,
	} {
		r := c.do("PATCH", "/r5/CodeSystem/five", body, "Content-Type", media)
		if r.status != 200 || strings.Contains(r.body, `"ours"`) || !strings.Contains(r.body, `"copyrightLabel":"`) {
			t.Errorf("%s: %d %s", media, r.status, r.body)
		}
	}
	for _, typ := range []string{"batch", "transaction"} {
		body := `{"resourceType":"Bundle","type":"` + typ + `","entry":[{"request":{"method":"PUT","url":"ConceptMap/` + typ + `"},"resource":` +
			strings.Replace(newMap, `"id":"five"`, `"id":"`+typ+`"`, 1) + `},{"request":{"method":"GET","url":"CodeSystem/five"}}]}`
		r := c.do("POST", "/r5", body)
		var bundle struct {
			Entry []struct{ Resource json.RawMessage }
		}
		if err := json.Unmarshal([]byte(r.body), &bundle); err != nil || len(bundle.Entry) != 2 {
			t.Fatalf("%s: %d %s", typ, r.status, r.body)
		}
		for i, want := range []string{`"relationship":"`, `"copyrightLabel"`} {
			if !strings.Contains(string(bundle.Entry[i].Resource), want) {
				t.Errorf("%s: no %s in %s", typ, want, bundle.Entry[i].Resource)
			}
		}
	}
	codec := fhirxml.New(definitions.R5(), r4.Limits{})
	xml, err := codec.AppendXML(t.Context(), nil, []byte(strings.Replace(newMap, `"id":"five"`, `"id":"xml"`, 1)), fhirxml.Compact)
	if err != nil {
		t.Fatal(err)
	}
	r := c.do("PUT", "/r5/ConceptMap/xml", string(xml), "Content-Type", "application/fhir+xml", "Accept", "application/fhir+xml")
	if r.status != http.StatusCreated {
		t.Fatalf("%d %s", r.status, r.body)
	}
	back, err := codec.AppendJSON(t.Context(), nil, []byte(r.body))
	if err != nil {
		t.Fatal(err)
	}
	sameDocument(t, string(back), strings.Replace(newMap, `"id":"five"`, `"id":"xml"`, 1))
	if r := c.do("DELETE", "/r5/ConceptMap/xml", ""); r.status != 204 {
		t.Errorf("delete: %d", r.status)
	}
	if r := c.do("GET", "/r5/ConceptMap/xml/_history", ""); r.status != 200 || strings.Count(r.body, `"fullUrl"`) != 2 || !strings.Contains(r.body, `"relationship"`) {
		t.Errorf("history: %d %s", r.status, r.body)
	}
	for body, want := range map[string]string{newElements: `"issue":[{"severity":"warning","code":"invariant","diagnostics":"dom-6: `, strings.Replace(newElements, `"complete"`, `"all"`, 1): `"CodeSystem.content"`} {
		if r := c.do("POST", "/r5/CodeSystem/$validate", body); r.status != 200 || !strings.Contains(r.body, want) {
			t.Errorf("$validate: %d %s, want %s", r.status, r.body, want)
		}
	}
}
