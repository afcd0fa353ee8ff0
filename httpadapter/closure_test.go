package httpadapter

import (
	"fmt"
	"strings"
	"testing"
)

// closureOf returns the body of a $closure request.
func closureOf(name, version string, codes ...string) string {
	list := []string{`{"name":"name","valueString":"` + name + `"}`}
	if version != "" {
		list = append(list, `{"name":"version","valueString":"`+version+`"}`)
	}
	for _, code := range codes {
		list = append(list, `{"name":"concept","valueCoding":{"system":"http://t.example/animals","code":"`+code+`","display":"any"}}`)
	}
	return `{"resourceType":"Parameters","parameter":[` + strings.Join(list, ",") + `]}`
}

// TestClosure follows the walk of the specification (R4 terminology-service.html#closure): initialise,
// add, add more, replay, at both paths of every base.
func TestClosure(t *testing.T) {
	c := newClient(t)
	const group = `,"group":[{"source":"http://t.example/animals","sourceVersion":"1.0","target":"http://t.example/animals","targetVersion":"1.0","element":[`
	inR5 := strings.NewReplacer( // R5 reads relationships from the source; the extension has the R4 code
		`"equivalence":"subsumes"`, `"relationship":"source-is-narrower-than-target","_relationship":{"extension":[{"url":"http://hl7.org/fhir/1.0/StructureDefinition/extension-ConceptMap.element.target.equivalence","valueCode":"subsumes"}]}`,
		`"http://t.example/animals","sourceVersion":"1.0"`, `"http://t.example/animals|1.0"`,
		`"http://t.example/animals","targetVersion":"1.0"`, `"http://t.example/animals|1.0"`,
	)
	for _, base := range paths() {
		for _, path := range []string{"/$closure", "/ConceptMap/$closure"} {
			name := strings.NewReplacer("/", "x", "$", "y").Replace(base + path)
			for i, step := range []struct {
				body, version, want string
			}{
				{closureOf(name, ""), "1", ""},
				{closureOf(name, "", "dog"), "2", ""},
				{closureOf(name, "", "animal"), "3", `{"code":"dog","target":[{"code":"animal","equivalence":"subsumes"}]}`},
				{closureOf(name, "", "dog", "animal"), "3", ""},
				{
					closureOf(name, "", "mammal", "bird"), "4",
					`{"code":"mammal","target":[{"code":"animal","equivalence":"subsumes"}]},{"code":"dog","target":[{"code":"mammal","equivalence":"subsumes"}]},{"code":"bird","target":[{"code":"animal","equivalence":"subsumes"}]}`,
				},
				{closureOf(name, "4"), "4", ""},
				{closureOf(name, "2"), "4", `{"code":"dog","target":[{"code":"animal","equivalence":"subsumes"},{"code":"mammal","equivalence":"subsumes"}]},{"code":"mammal","target":[{"code":"animal","equivalence":"subsumes"}]},{"code":"bird","target":[{"code":"animal","equivalence":"subsumes"}]}`},
			} {
				r := c.do("POST", base+path, step.body)
				body := r.body
				if r.status != 200 {
					t.Fatalf("%s, step %d: %d %s", name, i, r.status, body)
				}
				want := fmt.Sprintf(`{"resourceType":"ConceptMap","id":%q,"version":%q,"name":%q`, name, step.version, name)
				if !strings.HasPrefix(body, want) || strings.Contains(body, `"group"`) != (step.want != "") {
					t.Errorf("%s, step %d: %s", name, i, body)
				}
				want = group + step.want + `]}]}`
				if base == "/r5" {
					want = inR5.Replace(want)
				}
				if step.want != "" && i < 5 && !strings.HasSuffix(body, want) {
					t.Errorf("%s, step %d: %s\nwant …%s", name, i, body, want)
				}
			}
		}
	}
}

// TestClosureErrors checks the status of each error of the specification, and of ours.
func TestClosureErrors(t *testing.T) {
	c := newClient(t)
	c.do("POST", "/$closure", closureOf("t", "")).want(t, 200)
	c.do("POST", "/$closure", closureOf("t", "", "dog")).want(t, 200)
	for _, tt := range []struct {
		body   string
		status int
		want   string
	}{
		{closureOf("a b", ""), 400, `invalid closure name`},
		{closureOf("unknown", "", "dog"), 404, `not initialized`},
		{closureOf("unknown", "0"), 404, `not initialized`},
		{closureOf("t", "", "cat", "unicorn"), 400, `unicorn`},
		{closureOf("t", "2", "cat"), 400, `not both`},
		{closureOf("t", "99"), 400, `version 2`},
		{`{"resourceType":"Parameters","parameter":[{"name":"concept","valueCoding":{"system":"http://t.example/animals","code":"cat"}}]}`, 400, `name`},
		{`{"resourceType":"Parameters","parameter":[{"name":"name","valueString":"t"},{"name":"concept","valueCoding":{"system":"http://nowhere","code":"cat"}}]}`, 400, `http://nowhere`},
		{closureOf(strings.Repeat("x", 10_000), ""), 400, `xxx\": expected`},
		// What has no value does not empty the table.
		{`{"resourceType":"Parameters","parameter":[{"name":"name","valueString":"t"},{"name":"version","valueString":""}]}`, 400, `version`},
		{`{"resourceType":"Parameters","parameter":[{"name":"name","valueString":"t"},{"name":"version"}]}`, 400, `version`},
		{`{"resourceType":"Parameters","parameter":[{"name":"name","valueString":"t"},{"name":"concept"}]}`, 400, `concept`},
	} {
		r := c.do("POST", "/$closure", tt.body)
		if r.status != tt.status || !strings.Contains(r.body, tt.want) {
			t.Errorf("%s: %d %s", tt.body, r.status, r.body)
		}
	}
	if r := c.do("POST", "/$closure", closureOf("t", "0")); !strings.Contains(r.body, `"version":"2"`) || strings.Contains(r.body, "group") {
		t.Errorf("an error changed the table: %s", r.body)
	}
	if r := c.get("/$closure?name=t"); r.status != 405 {
		t.Errorf("GET: %d %s", r.status, r.body)
	}
	c.do("PUT", "/CodeSystem/animals", strings.Replace(animals, `"version":"1.0"`, `"version":"1.1"`, 1)).want(t, 200)
	for _, body := range []string{closureOf("t", "", "cat"), closureOf("t", "0")} {
		if r := c.do("POST", "/$closure", body); r.status != 422 || !strings.Contains(r.body, "must be reinitialized") {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	c.do("POST", "/$closure", closureOf("t", "")).want(t, 200)
	if r := c.do("POST", "/$closure", closureOf("t", "", "dog", "animal")); r.status != 200 || !strings.Contains(r.body, `"sourceVersion":"1.1"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := c.do("POST", "/$closure", closureOf("t", "2")); r.status != 422 {
		t.Errorf("a version from before: %d %s", r.status, r.body)
	}
}

// TestClosureDeclared checks that the operation is declared where there is a store, and only there.
func TestClosureDeclared(t *testing.T) {
	for _, stored := range []bool{true, false} {
		c := newClient(t, func(config *Config) {
			if !stored {
				config.Closures = nil
			}
		})
		if r := c.get("/metadata"); strings.Contains(r.body, `{"name":"closure","definition":"http://hl7.org/fhir/OperationDefinition/ConceptMap-closure"`) != stored {
			t.Errorf("stored %t: %s", stored, r.body)
		}
		if r := c.get("/metadata?mode=terminology"); strings.Contains(r.body, `"closure":{"translation":false}`) != stored {
			t.Errorf("stored %t: %s", stored, r.body)
		}
		if r := c.do("POST", "/$closure", closureOf("t", "")); (r.status == 200) != stored {
			t.Errorf("stored %t: %d %s", stored, r.status, r.body)
		}
		r := c.get("/OperationDefinition/ConceptMap-closure")
		if (r.status == 200) != stored || stored && (!strings.Contains(r.body, `"system":true`) || !strings.Contains(r.body, `"affectsState":true`)) {
			t.Errorf("stored %t: %d %s", stored, r.status, r.body)
		}
	}
}

// TestClosureUnknownParameter checks that a misspelled parameter does not empty the table, however
// lenient the client asks the server to be.
func TestClosureUnknownParameter(t *testing.T) {
	c := newClient(t)
	c.do("POST", "/$closure", closureOf("t", "")).want(t, 200)
	c.do("POST", "/$closure", closureOf("t", "", "dog")).want(t, 200)
	body := strings.Replace(closureOf("t", "", "animal"), `"concept"`, `"concepts"`, 1)
	for _, path := range []string{"/$closure", "/r5/$closure"} {
		if r := c.do("POST", path, body); r.status != 400 || !strings.Contains(r.body, "concepts") {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if r := c.do("POST", "/$closure", closureOf("t", "", "animal")); r.status != 200 || !strings.Contains(r.body, `"code":"dog","target":[{"code":"animal"`) {
		t.Errorf("after the wrong requests: %d %s", r.status, r.body)
	}
}
