package httpadapter

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// TestMetadataDeclaresLimits checks that clients can read the limits of what they write.
func TestMetadataDeclaresLimits(t *testing.T) {
	c := newClient(t)
	for _, prefix := range paths() {
		text, _ := at(c.get(prefix+"/metadata").want(t, 200), "description").(string)
		for _, limit := range []string{
			"a body of 16777216 bytes", "transaction has at most 10000 entries", "at most 50000 entries in the search index", "a transaction 400000 together", "ConceptMap has at most 1000000",
		} {
			if !strings.Contains(text, limit) {
				t.Errorf("%s: %q does not say %q", prefix, text, limit)
			}
		}
	}
}

// TestMetadataAgreesWithRoutes checks that exactly the supported interactions are declared.
func TestMetadataAgreesWithRoutes(t *testing.T) {
	c := newClient(t)
	versions := map[string]string{"": "4.0.1", "/baseR4": "4.0.1", "/r4": "4.0.1", "/r5": "5.0.0"}
	for _, prefix := range paths() {
		doc := c.get(prefix+"/metadata").want(t, 200)
		for path, want := range map[string]any{
			"resourceType": "CapabilityStatement", "status": "active", "kind": "instance", "fhirVersion": versions[prefix],
		} {
			if doc[path] != want {
				t.Errorf("%s = %v, want %v", path, doc[path], want)
			}
		}
		if at(doc, "software", "version") != "1.2.3" || at(doc, "implementation", "url") != "http://example.com"+prefix {
			t.Errorf("software %v, implementation %v", doc["software"], doc["implementation"])
		}
		declared := map[string]bool{}
		follow := func(typ string, list any) {
			operations, _ := list.([]any)
			for _, op := range operations {
				name, _ := at(op, "name").(string)
				declared[typ+" $"+name] = true
				definition, _ := at(op, "definition").(string)
				id := definition[strings.LastIndex(definition, "/")+1:]
				def := c.get(prefix+"/OperationDefinition/"+id).want(t, 200)
				if def["code"] != name || def["resourceType"] != "OperationDefinition" || len(def["parameter"].([]any)) == 0 {
					t.Errorf("definition %s: %v", id, def)
				}
				path := prefix + "/" + typ + "/$" + name
				switch {
				case typ == "":
					path = prefix + "/$" + name
				case def["type"] == false:
					path = prefix + "/" + typ + "/nothing/$" + name
				}
				for _, method := range []string{"GET", "POST"} {
					if method == "GET" && def["affectsState"] == true {
						continue // which few allow
					}
					r := c.do(method, path, "")
					if r.status == 405 || (r.status == 404 && strings.Contains(r.body, "not-supported")) {
						t.Errorf("%s %s is declared, but answers %d %s", method, path, r.status, r.body)
					}
				}
			}
		}
		follow("", at(doc, "rest", 0, "operation"))
		for i := 0; at(doc, "rest", 0, "resource", i) != nil; i++ {
			resource := at(doc, "rest", 0, "resource", i)
			typ, _ := at(resource, "type").(string)
			follow(typ, at(resource, "operation"))
			c.get(prefix+"/"+typ).want(t, 200)
			for j := 0; at(resource, "searchParam", j) != nil; j++ {
				name, _ := at(resource, "searchParam", j, "name").(string)
				value := "x"
				switch at(resource, "searchParam", j, "type") {
				case "date", "number", "quantity":
					value = "2026"
				case "composite":
					continue // the parts are of other parameters
				case "special":
					value = "8|47"
				}
				if _, outcome := ids(t, c.get(prefix+"/"+typ+"?"+url.QueryEscape(name)+"="+value).want(t, 200)); outcome != "" {
					t.Errorf("%s?%s is declared, but %s", typ, name, outcome)
				}
			}
		}
		for _, op := range operation.All() {
			if prefix == "/r5" && op.Type == "QuestionnaireResponse" {
				continue // R5 has terminology only
			}
			if !declared[op.Type+" $"+op.Name] {
				t.Errorf("$%s on %q is not declared", op.Name, op.Type)
			}
			if op.Path != "" {
				if r := c.get(prefix + op.Path); r.status == 404 {
					t.Errorf("%s: 404", op.Path)
				}
			}
			if op.Instance {
				if r := c.get(prefix + "/" + op.Type + "/nothing/$" + op.Name); strings.Contains(r.body, "not-supported") {
					t.Errorf("%s/id/$%s: %s", op.Type, op.Name, r.body)
				}
			}
		}
	}
	bundle := c.get("/OperationDefinition").want(t, 200)
	if bundle["total"] != float64(len(operation.All())+len(c.handler.(*Handler).resourceOperations)) {
		t.Errorf("%v definitions", bundle["total"])
	}
}

func TestDefinitionOfParts(t *testing.T) {
	doc := newClient(t).get("/OperationDefinition/CodeSystem-find-matches").want(t, 200)
	if doc["base"] != "http://hl7.org/fhir/OperationDefinition/CodeSystem-find-matches" || doc["name"] != "CodeSystemFindMatches" {
		t.Errorf("%v %v", doc["base"], doc["name"])
	}
}

func TestTerminologyCapabilities(t *testing.T) {
	c := newClient(t)
	doc := c.get("/metadata?mode=terminology").want(t, 200)
	if doc["resourceType"] != "TerminologyCapabilities" {
		t.Fatalf("%v", doc)
	}
	systems := func(doc map[string]any) (list []string) {
		for i := 0; at(doc, "codeSystem", i) != nil; i++ {
			version, _ := at(doc, "codeSystem", i, "version", 0, "code").(string)
			list = append(list, at(doc, "codeSystem", i, "uri").(string)+"|"+version)
		}
		return list
	}
	if diff := cmp.Diff([]string{"http://t.example/animals|1.0", "http://t.example/loaded|7"}, systems(doc)); diff != "" {
		t.Error(diff)
	}
	var parameters []string
	for i := 0; at(doc, "expansion", "parameter", i) != nil; i++ {
		parameters = append(parameters, at(doc, "expansion", "parameter", i, "name").(string))
	}
	for _, name := range []string{"activeOnly", "count", "displayLanguage", "filter", "offset", "url"} {
		if !slices.Contains(parameters, name) {
			t.Errorf("expansion parameter %s is missing", name)
		}
	}
	for _, name := range []string{"context", "contextDirection"} {
		if slices.Contains(parameters, name) {
			t.Errorf("expansion parameter %s is declared, but refused", name)
		}
	}
	if text := c.get("/OperationDefinition/ValueSet-expand").body; strings.Contains(text, "contextDirection") {
		t.Error("the definition of $expand declares a refused parameter")
	}
	for path, required := range map[string]float64{"ValueSet-expand": 0, "memberOf": 1} {
		if got := at(c.get("/OperationDefinition/"+path).want(t, 200), "parameter", 0, "min"); got != required {
			t.Errorf("%s: the first parameter has min %v, want %v", path, got, required)
		}
	}
	c.do("PUT", "/CodeSystem/stub", `{"resourceType":"CodeSystem","id":"stub","url":"http://t.example/stub","status":"active","content":"not-present"}`).want(t, 201)
	if diff := cmp.Diff([]string{"http://t.example/animals|1.0", "http://t.example/loaded|7"}, systems(c.get("/metadata?mode=terminology").want(t, 200))); diff != "" {
		t.Errorf("a code system without content is declared: %s", diff)
	}

	// A second version, and the default version.
	other := strings.NewReplacer(`"id":"animals"`, `"id":"animals2"`, `"version":"1.0"`, `"version":"2.0"`).Replace(animals)
	before := c.get("/metadata?mode=terminology").header.Get("ETag")
	c.do("PUT", "/CodeSystem/animals2", other).want(t, 201)
	r := c.get("/metadata?mode=terminology")
	doc = r.want(t, 200)
	if r.header.Get("ETag") == before {
		t.Error("the statement is out of date")
	}
	versions := at(doc, "codeSystem", 0, "version")
	if at(versions, 0, "isDefault") != false || at(versions, 1, "isDefault") != true || at(versions, 1, "code") != "2.0" {
		t.Errorf("versions %v", versions)
	}
}

func TestMetadataCache(t *testing.T) {
	c := newClient(t)
	first := c.get("/metadata")
	tag := first.header.Get("ETag")
	if tag == "" {
		t.Fatal("no ETag")
	}
	if r := c.get("/metadata", "If-None-Match", tag); r.status != 304 || r.body != "" {
		t.Errorf("%d %q", r.status, r.body)
	}
	if c.get("/metadata").body != first.body || c.get("/metadata?_pretty=true").body == first.body {
		t.Error("the cache returns the wrong statement")
	}
	if c.get("/baseR4/metadata").header.Get("ETag") == tag {
		t.Error("the prefix has no effect")
	}
	for i := range 100 { // a client may send any Host
		c.get("http://host" + strings.Repeat("x", i) + "/metadata")
	}
	if n := len(c.handler.(*Handler).metadata.statements); n > maxStatements {
		t.Errorf("%d statements kept", n)
	}
}

// forgetful is a store without former versions.
type forgetful struct{ resources.Store }

// TestHistoryAsKept checks that history is declared if and only if former versions are kept.
func TestHistoryAsKept(t *testing.T) {
	for _, row := range []struct {
		name  string
		store resources.Store
		kept  bool
	}{{"kept", memory.New(), true}, {"not kept", forgetful{memory.New()}, false}} {
		t.Run(row.name, func(t *testing.T) {
			eng := engine.New(engine.WithDefaultCount(7), engine.WithMaxCount(70))
			h, err := New(Config{Engine: eng, Resources: resources.NewService(row.store, eng)})
			if err != nil {
				t.Fatal(err)
			}
			r := h.restResource("http://example.com", "CodeSystem")
			if *r.ReadHistory != row.kept || slices.Contains(r.Interaction, interaction{"history-instance"}) != row.kept {
				t.Errorf("readHistory %v, interactions %v", *r.ReadHistory, r.Interaction)
			}
			if text := h.terminologyCapabilities(root(), "").Description; !strings.HasSuffix(text, " contains 7 codes unless count says otherwise; a page contains at most 70.") {
				t.Error(text)
			}
		})
	}
}

// TestMetadataIsValid checks the statements and OperationDefinitions with $validate.
func TestMetadataIsValid(t *testing.T) {
	c := newClient(t, generating, func(config *Config) { config.Released = "2026-11-21" })
	for _, path := range []string{"/metadata", "/metadata?mode=terminology", "/OperationDefinition/Patient-everything", "/OperationDefinition/ValueSet-expand"} {
		r := c.get(path)
		typ, _ := r.want(t, 200)["resourceType"].(string)
		issues, _ := c.do("POST", "/"+typ+"/$validate", r.body).want(t, 200)["issue"].([]any)
		for _, is := range issues {
			if text, _ := at(is, "diagnostics").(string); at(is, "severity") != "information" && !strings.HasPrefix(text, "dom-6: ") { // statements have no narrative
				t.Errorf("%s: %v", path, is)
			}
		}
		if len(issues) == 0 {
			t.Errorf("%s: no verdict", path)
		}
	}
}
