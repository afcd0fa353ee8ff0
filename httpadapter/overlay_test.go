package httpadapter

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// withResources returns a Parameters body with documents and further parameters.
func withResources(parameters string, documents ...string) string {
	var b strings.Builder
	b.WriteString(`{"resourceType":"Parameters","parameter":[`)
	for _, doc := range documents {
		b.WriteString(`{"name":"tx-resource","resource":` + doc + `},`)
	}
	return b.String() + parameters + `]}`
}

const (
	planets = `{"resourceType":"CodeSystem","url":"http://t.example/planets","version":"1","status":"active","content":"complete","concept":[{"code":"mars","display":"Mars","designation":[{"language":"fr","value":"Mars la rouge"}]}]}`
	ofR5    = `{"resourceType":"ValueSet","url":"http://t.example/vs/planets","status":"active","extension":[{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.versionAlgorithm","valueCoding":{"code":"semver"}}],"copyrightLabel":"2026","compose":{"property":["*"],"include":[{"system":"http://t.example/planets","copyright":"x"}]}}`
)

// TestOverlay sends resources with requests, and checks that they are not visible afterwards.
func TestOverlay(t *testing.T) {
	c := newClient(t)
	url := `{"name":"url","valueUri":"http://t.example/vs/planets"}`
	for _, prefix := range paths() {
		r := c.do("POST", prefix+"/ValueSet/$expand", withResources(url+`,{"name":"uuid","valueUuid":"urn:uuid:1"}`, planets, ofR5))
		if r.status != 200 || !strings.Contains(r.body, `"code":"mars"`) {
			t.Errorf("%d %s", r.status, r.body)
		}
		r = c.do("POST", prefix+"/ValueSet/$expand", withResources(url))
		if r.status != 404 && r.status != 422 {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	lookup := withResources(`{"name":"system","valueUri":"http://t.example/planets"},{"name":"code","valueCode":"mars"}`, planets)
	r := c.do("POST", "/CodeSystem/$lookup", lookup, "Accept-Language", "fr")
	if r.status != 200 || !strings.Contains(r.body, `{"name":"display","valueString":"Mars la rouge"}`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	r = c.do("POST", "/CodeSystem/$lookup", lookup, "Accept-Language", "fr", "Prefer", "handling=strict")
	if r.status != 200 {
		t.Errorf("tx-resource is known: %d %s", r.status, r.body)
	}
	if got := c.get("/CodeSystem?url=http://t.example/planets").want(t, 200); got["total"] != 0.0 {
		t.Error("a search finds a resource that came with a request")
	}
}

// TestOverlayLimits checks which requests are refused, and with which message.
func TestOverlayLimits(t *testing.T) {
	c := newClient(t, func(config *Config) { config.Limits.Overlays = engine.OverlayLimits{MaxResources: 1} })
	url := `{"name":"url","valueUri":"http://t.example/vs/planets"}`
	for body, says := range map[string]string{
		withResources(url, planets, ofR5):                             "2 resources, more than the 1",
		withResources(url, `{"resourceType":"ValueSet","status":{}}`): "tx-resource[0]",
		withResources(url, `{"resourceType":"ValueSet","compose":{"include":[{"concept":3}]},"url":"http://t.example/vs/planets"}`): "tx-resource[0]",
	} {
		r := c.do("POST", "/ValueSet/$expand", body)
		if r.status != http.StatusBadRequest || !strings.Contains(r.body, says) || !strings.Contains(r.body, "OperationOutcome") {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
}

// TestOverlayAfterChange checks that a cached result is not used after its sources have changed.
func TestOverlayAfterChange(t *testing.T) {
	c := newClient(t)
	importing := `{"resourceType":"ValueSet","url":"http://t.example/vs/mine","status":"active","compose":{"include":[{"valueSet":["http://t.example/vs/pets"]}]}}`
	body := withResources(`{"name":"url","valueUri":"http://t.example/vs/mine"}`, importing)
	if r := c.do("POST", "/ValueSet/$expand", body); !strings.Contains(r.body, `"total":2`) {
		t.Fatal(r.body)
	}
	fewer := strings.Replace(pets, `"id":"pets"`, `"id":"pets","title":"changed"`, 1)
	fewer = fewer[:strings.Index(fewer, `"compose"`)] + `"compose":{"include":[{"system":"http://t.example/animals","concept":[{"code":"dog"}]}]}}`
	if _, err := c.service.Update(context.Background(), "ValueSet", "pets", []byte(fewer), resources.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if r := c.do("POST", "/ValueSet/$expand", body); !strings.Contains(r.body, `"total":1`) {
		t.Error(r.body)
	}
}

// TestEcosystemMetadata checks the elements that clients of the terminology ecosystem use.
func TestEcosystemMetadata(t *testing.T) {
	c := newClient(t, func(config *Config) { config.Version, config.Released = "1.2.3+dirty", "2026-11-21" })
	doc := c.get("/metadata").want(t, 200)
	if at(doc, "software", "version") != "1.2.3" || at(doc, "software", "releaseDate") != "2026-11-21" {
		t.Error(doc["software"])
	}
	for i, want := range []string{"test-version", "CodeSystemAsParameter"} {
		definition, _ := at(doc, "extension", i, "extension", 0, "valueCanonical").(string)
		if !strings.HasSuffix(definition, "/"+want) {
			t.Errorf("feature %d is %q", i, definition)
		}
	}
	if at(doc, "extension", 1, "extension", 1, "valueBoolean") != true {
		t.Error("a code system as a parameter is not declared")
	}
	if r := c.do("GET", "/$versions", ""); !strings.Contains(r.body, `{"name":"default","valueCode":"4.0"}`) {
		t.Error(r.body)
	}
	terminology := c.get("/metadata?mode=terminology").want(t, 200)
	declared := map[any]bool{}
	for i := 0; at(terminology, "expansion", "parameter", i) != nil; i++ {
		declared[at(terminology, "expansion", "parameter", i, "name")] = true
	}
	for _, name := range []string{"activeOnly", "check-system-version", "count", "property", "system-version", "tx-resource", "useSupplement"} {
		if !declared[name] {
			t.Errorf("expansion.parameter lacks %s", name)
		}
	}
}

// BenchmarkOverlayHandler posts a request with fifteen resources, as clients do that validate a
// package: the same ones each time, and different ones each time.
func BenchmarkOverlayHandler(b *testing.B) {
	documents := make([]string, 15)
	for i := range documents {
		var concepts strings.Builder
		for code := range 50 {
			fmt.Fprintf(&concepts, `,{"code":"c%d","display":"Concept %d","definition":"What concept %d means, in some words."}`, code, code, code)
		}
		documents[i] = fmt.Sprintf(`{"resourceType":"CodeSystem","url":"http://t.example/%d","status":"active","content":"complete","concept":[%s]}`, i, concepts.String()[1:])
	}
	body := []byte(withResources(`{"name":"url","valueUri":"http://t.example/3?fhir_vs"},{"name":"coding","valueCoding":{"system":"http://t.example/3","code":"c7"}}`, documents...))
	for _, bench := range []struct {
		name  string
		cache int64 // 1 keeps nothing
	}{{"same", 0}, {"different", 1}} {
		b.Run(bench.name, func(b *testing.B) {
			handler := benchHandler(b, func(c *Config) { c.Limits.Overlays.CacheBytes = bench.cache })
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "http://localhost/ValueSet/$validate-code", bytes.NewReader(body))
				r.Header.Set("Content-Type", "application/fhir+json")
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != 200 || !bytes.Contains(w.Body.Bytes(), []byte(`"valueBoolean":true`)) {
					b.Fatal(w.Body)
				}
			}
		})
	}
}
