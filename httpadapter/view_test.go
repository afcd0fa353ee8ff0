package httpadapter

import (
	"strings"
	"testing"

	"github.com/roget-health/roget/access"
)

// TestView runs views over stored and sent resources.
func TestView(t *testing.T) {
	c := clinic(t)
	for id, member := range map[string]string{"g": "Patient/peter", "h": "Patient/paula"} {
		c.do("PUT", "/Group/"+id, `{"resourceType":"Group","id":"`+id+`","type":"person","actual":true,"member":[{"entity":{"reference":"`+member+`"}}]}`).want(t, 201)
	}
	definition := func(typ, where string) string {
		return `{"resourceType":"ViewDefinition","resource":"` + typ + `","select":[{"column":[{"name":"id","path":"id"}]}],"where":[{"path":"` + where + `"}]}`
	}
	do := func(query, view, more string) response {
		return c.do("POST", "/r4/$viewdefinition-run"+query, `{"resourceType":"Parameters","parameter":[{"name":"viewResource","resource":`+view+`}`+more+`]}`)
	}
	seen, patients := definition("Observation", "true"), definition("Patient", "true")
	sent := `,{"name":"resource","resource":{"resourceType":"Observation","id":"a"}},{"name":"resource","resource":{"resourceType":"Patient","id":"b"}}`
	for _, test := range []struct {
		query, view, more string
		status            int
		want              string
	}{
		{"?_format=csv", seen, "", 200, "id\nweight\npulse\n"},
		{"?_format=text/csv&header=false&_limit=1", seen, "", 200, "weight\n"},
		{"?format=ndjson", seen, sent, 200, `{"id":"a"}` + "\n"},
		{"", seen, `,{"name":"_format","valueCode":"json"},{"name":"patient","valueReference":{"reference":"Patient/peter"}}`, 200, `[{"id":"weight"},` + "\n" + `{"id":"pulse"}]` + "\n"},
		{"?patient=Patient/paula", seen, "", 200, "[]\n"},
		{"?patient=Patient/paula", patients, "", 200, `[{"id":"paula"}]` + "\n"},
		{"?group=Group/h", patients, "", 200, `[{"id":"paula"}]` + "\n"},
		{"?group=Group/g&group=Group/h&_format=csv", patients, "", 200, "id\npaula\npeter\n"},
		{"?group=Group/h&patient=Patient/peter", seen, "", 200, "[]\n"},
		{"?_since=2030-01-01T00:00:00Z", seen, "", 200, "[]\n"},
		{"", definition("Observation", "code.memberOf('http://t.example/vs/pets')"), "", 200, "[]\n"},
		{"", definition("Observation", "code.memberOf('http://t.example/none')"), "", 422, "ViewDefinition.where[0].path"},
		{"", definition("Observation", "id"), "", 422, "ViewDefinition.where[0].path"},
		{"", definition("Nothing", "true"), "", 422, "ViewDefinition.resource"},
		{"?_format=parquet", seen, "", 400, "csv, ndjson, json"},
		{"?_limit=0", seen, "", 400, "_limit"},
		{"?patient=Group/g", seen, "", 400, "Patient/1"},
		{"?patient=Patient/nobody", seen, "", 404, "nobody"},
		{"?group=Group/nobody", seen, "", 404, "nobody"},
		{"?source=x", seen, "", 400, "source"},
	} {
		if r := do(test.query, test.view, test.more); r.status != test.status || r.status == 200 && r.body != test.want || !strings.Contains(r.body, test.want) {
			t.Errorf("%s %s %s: %d %s", test.query, test.view, test.more, r.status, r.body)
		}
	}
	for accept, media := range map[string]string{"text/csv": "text/csv", "application/x-ndjson": "application/x-ndjson", "*/*": mediaJSON} {
		if r := c.do("POST", "/r5/$viewdefinition-run", seen, "Accept", accept); r.status != 200 || r.header.Get("Content-Type") != media {
			t.Errorf("%s: %d %s %s", accept, r.status, r.header.Get("Content-Type"), r.body)
		}
	}
	r := c.do("POST", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"POST","url":"$viewdefinition-run"},"resource":`+seen+`}]}`)
	if !strings.Contains(r.body, "not supported in a Bundle") {
		t.Error(r.body)
	}
}

// TestViewPermitted shows only the resources that a grant permits to search.
func TestViewPermitted(t *testing.T) {
	w := &witness{access.ScopesGrant(&access.Principal{Scopes: []string{"system/*.cruds"}})}
	c := clinic(t, func(c *Config) { c.Authorizer = w })
	for scope, want := range map[string]string{
		"system/*.rs": "id\nweight\npulse\n", "system/Observation.rs?code=http://loinc.org|8867-4": "id\npulse\n", "system/Observation.r": "forbidden",
	} {
		w.grant = access.ScopesGrant(&access.Principal{Scopes: []string{scope}})
		r := c.do("POST", "/$viewdefinition-run", `{"resourceType":"ViewDefinition","resource":"Observation","select":[{"column":[{"name":"id","path":"id"}]}]}`, "Accept", "text/csv")
		if r.body != want && (r.status != 403 || !strings.Contains(r.body, want)) {
			t.Errorf("%s: %s", scope, r.body)
		}
	}
}
