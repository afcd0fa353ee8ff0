package httpadapter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/access"
)

// TestView runs views over stored and sent resources.
func TestView(t *testing.T) {
	c := clinic(t)
	group := func(id, member string) string {
		return fmt.Sprintf(`{"resourceType":"Group","id":%q,"type":"person","actual":true,"member":[{"entity":{"reference":%q}}]}`, id, member)
	}
	c.do("PUT", "/Group/g", group("g", "Patient/peter")).want(t, 201)
	c.do("PUT", "/Group/h", group("h", "Patient/paula")).want(t, 201)
	definition := func(typ, more string) string {
		return `{"name":"viewResource","resource":{"resourceType":"ViewDefinition","resource":"` + typ + `","select":[{"column":[{"name":"id","path":"id"},{"name":"p","path":"subject.getReferenceKey(Patient)"}]}]` + more + `}}`
	}
	observations := definition("Observation", "")
	sent := `,{"name":"resource","resource":{"resourceType":"Observation","id":"a"}},{"name":"resource","resource":{"resourceType":"Patient","id":"b"}}`
	for _, test := range []struct {
		query, params string
		status        int
		want          string
	}{
		{"?_format=csv", observations, 200, "id,p\nweight,peter\npulse,peter\n"},
		{"?_format=csv&header=false&_limit=1", observations, 200, "weight,peter\n"},
		{"?format=ndjson", observations + sent, 200, `{"id":"a","p":null}` + "\n"},
		{"", observations + `,{"name":"_format","valueCode":"json"},{"name":"_limit","valueInteger":1}`, 200, `[{"id":"weight","p":"peter"}]` + "\n"},
		{"?patient=Patient/peter&_format=text/csv&header=false", observations, 200, "weight,peter\npulse,peter\n"},
		{"?patient=Patient/paula&_format=csv&header=false", observations, 200, ""},
		{"?group=Group/g&_format=csv&header=false", definition("Patient", ""), 200, "peter,\n"},
		{"?group=Group/g&group=Group/h&_format=csv&header=false", definition("Patient", ""), 200, "paula,\npeter,\n"},
		{"?group=Group/h&patient=Patient/peter&_format=csv&header=false", observations, 200, ""},
		{"?_since=2030-01-01T00:00:00Z", observations, 200, "[]\n"},
		{"", definition("Observation", `,"where":[{"path":"code.memberOf('http://t.example/vs/pets')"}]`), 200, "[]\n"},
		{"", definition("Observation", `,"where":[{"path":"code.memberOf('http://t.example/none')"}]`), 422, "ViewDefinition.where[0].path"},
		{"", definition("Observation", `,"where":[{"path":"code ="}]`), 422, "ViewDefinition.where[0].path"},
		{"", definition("Observation", `,"where":[{"path":"id"}]`), 422, "ViewDefinition.where[0].path"},
		{"", definition("Nothing", ""), 422, "ViewDefinition.resource"},
		{"?_format=parquet", observations, 400, "csv, ndjson, json"},
		{"?_limit=0", observations, 400, "_limit"},
		{"?patient=Group/g", observations, 400, "Patient/1"},
		{"?group=Patient/peter", observations, 400, "Group/1"},
		{"?patient=Patient/nobody", observations, 404, "nobody"},
		{"?group=Group/nobody", observations, 404, "nobody"},
		{"?viewReference=ViewDefinition/1", observations, 400, "viewReference"},
		{"", `{"name":"header","valueBoolean":true}`, 400, "viewResource"},
	} {
		r := c.do("POST", "/$viewdefinition-run"+test.query, `{"resourceType":"Parameters","parameter":[`+test.params+`]}`)
		if r.status != test.status || r.status == 200 && r.body != test.want || !strings.Contains(r.body, test.want) {
			t.Errorf("%s %.300s: %d %s", test.query, test.params, r.status, r.body)
		}
	}
	alone := strings.TrimSuffix(strings.TrimPrefix(definition("Patient", ""), `{"name":"viewResource","resource":`), "}")
	for accept, media := range map[string]string{"text/csv": "text/csv", "application/x-ndjson": "application/x-ndjson", "*/*": mediaJSON} {
		if r := c.do("POST", "/baseR4/$viewdefinition-run", alone, "Accept", accept); r.status != 200 || r.header.Get("Content-Type") != media {
			t.Errorf("%s: %d %s %s", accept, r.status, r.header.Get("Content-Type"), r.body)
		}
	}
	if r := c.do("POST", "/r5/$viewdefinition-run?_format=csv", `{"resourceType":"Parameters","parameter":[`+observations+sent+`]}`); r.body != "id,p\na,\n" {
		t.Errorf("R5: %d %s", r.status, r.body)
	}
	if r := c.do("POST", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"POST","url":"$viewdefinition-run"},"resource":`+alone+`}]}`); r.status != 200 || !strings.Contains(r.body, "404 Not Found") {
		t.Errorf("batch: %d %s", r.status, r.body)
	}
}

// TestViewPermitted shows only the resources that a grant permits to search.
func TestViewPermitted(t *testing.T) {
	with := func(scope string) *access.Grant {
		return access.ScopesGrant(&access.Principal{Scopes: []string{scope}})
	}
	w := &witness{with("system/*.cruds")}
	c := clinic(t, func(c *Config) { c.Authorizer = w })
	run := func(scope string) string {
		w.grant = with(scope)
		return c.do("POST", "/$viewdefinition-run", `{"resourceType":"ViewDefinition","resource":"Observation","select":[{"column":[{"name":"id","path":"id"}]}]}`, "Accept", "text/csv").body
	}
	for scope, want := range map[string]string{
		"system/*.rs": "id\nweight\npulse\n", "system/Observation.rs?code=http://loinc.org|8867-4": "id\npulse\n", "system/Patient.rs": "forbidden", "system/Observation.r": "forbidden",
	} {
		if got := run(scope); got != want && (want != "forbidden" || !strings.Contains(got, want)) {
			t.Errorf("%s: %s", scope, got)
		}
	}
}
