package httpadapter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
)

// TestStoredSearch checks the entries, modes and links of searches by GET and by POST.
func TestStoredSearch(t *testing.T) {
	c := clinic(t)
	for _, tt := range []struct{ path, query, want, self string }{
		{"Patient", "family=chalmers", "paula peter", "family=chalmers"},
		{"Patient", "_id=peter", "peter", "_id=peter"},
		{"Patient", "family=nobody", "", "family=nobody"},
		{"Observation", "subject=Patient/peter&_sort=date", "pulse weight", "subject=Patient%2Fpeter&_sort=date"},
		{"Observation", "subject=http://example.com/baseR4/Patient/peter&_sort=-date", "weight pulse", ""},
		{"Observation", "subject=http://example.com/Patient/peter", "weight pulse", ""},
		{"Observation", "subject:Patient.name=peter&code=http://loinc.org%7C8867-4", "pulse", ""},
		{"Observation", "code=8867-4&_include=Observation:subject", "pulse +peter", ""},
		{"Patient", "_id=peter&_revinclude=Observation:subject", "peter +weight +pulse", ""},
		{"Patient", "_has:Observation:subject:code=8867-4", "peter", ""},
		{"Observation", "value-quantity=gt80", "weight", ""},
		{"", "_type=Patient,Condition&_sort=_id", "fever paula peter", "_type=Patient%2CCondition&_sort=_id"},
		{"", "_id=peter", "peter", "_id=peter"},
		{"Patient/peter/Observation", "code=8867-4", "pulse", "code=8867-4"},
		{"Patient/peter/Observation", "_sort=date", "pulse weight", "_sort=date"},
		{"Patient/paula/Observation", "_sort=date", "", "_sort=date"},
		{"Patient/peter/*", "_type=Condition,Encounter&_sort=_id", "fever visit", ""},
		{"Encounter/visit/Condition", "_sort=_id", "", ""},
	} {
		for _, prefix := range pathsR4() {
			root := "http://example.com" + prefix + "/" + tt.path
			doc := c.get(prefix+"/"+tt.path+"?"+tt.query).want(t, 200)
			if got := modes(t, doc, "http://example.com"+prefix); got != tt.want {
				t.Errorf("%s?%s: %q, want %q", tt.path, tt.query, got, tt.want)
			}
			if tt.want == "" && (doc["entry"] != nil || doc["total"] != 0.0) {
				t.Errorf("%s?%s: %v", tt.path, tt.query, doc)
			}
			if self := links(doc)["self"]; !strings.HasPrefix(self, root+"?") || tt.self != "" && self != root+"?"+tt.self {
				t.Errorf("%s?%s: self %s", tt.path, tt.query, self)
			}
			posted := c.do("POST", prefix+"/"+strings.TrimPrefix(tt.path+"/_search", "/"), tt.query, "Content-Type", mediaForm).want(t, 200)
			if got := modes(t, posted, "http://example.com"+prefix); got != tt.want || links(posted)["self"] != links(doc)["self"] {
				t.Errorf("POST %s?%s: %q %v, want %q", tt.path, tt.query, got, links(posted), tt.want)
			}
		}
	}
}

// modes returns the ids of a searchset, with + for included resources and ! for outcomes.
func modes(t testing.TB, doc map[string]any, root string) string {
	t.Helper()
	var list []string
	for i := 0; at(doc, "entry", i) != nil; i++ {
		e := at(doc, "entry", i)
		typ, _ := at(e, "resource", "resourceType").(string)
		id, _ := at(e, "resource", "id").(string)
		mode := map[any]string{"match": "", "include": "+", "outcome": "!"}[at(e, "search", "mode")]
		if want := root + "/" + typ + "/" + id; mode != "!" && at(e, "fullUrl") != want {
			t.Errorf("fullUrl %v, want %s", at(e, "fullUrl"), want)
		}
		list = append(list, mode+id)
	}
	return strings.Join(list, " ")
}

// TestSearchPages follows the links from page to page, while others write.
func TestSearchPages(t *testing.T) {
	for _, prefix := range pathsR4() {
		c := clinic(t)
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			c.do("PUT", "/Patient/"+id, strings.Replace(peter, `"id":"peter"`, `"id":"`+id+`"`, 1)).want(t, 201)
		}
		for _, start := range []string{"/Patient?_count=2&_sort=_id", "/?_type=Patient&_count=2&_sort=_id&_pretty=true"} {
			var all []string
			next, pages := prefix+start, 0
			for ; next != "" && pages < 10; pages++ {
				doc := c.get(next).want(t, 200)
				got, _ := ids(t, doc)
				all = append(all, got...)
				if doc["total"] != 7.0 {
					t.Errorf("page %d: total %v", pages, doc["total"])
				}
				rel := links(doc)
				if (pages == 0) == (rel["previous"] != "") && pages < 2 {
					t.Errorf("page %d: previous %q", pages, rel["previous"])
				}
				if pages == 0 {
					c.do("PUT", "/Patient/ab", strings.Replace(peter, `"id":"peter"`, `"id":"ab"`, 1)).want(t, 201)
				}
				next = strings.TrimPrefix(rel["next"], "http://example.com")
			}
			if got := strings.Join(all, " "); got != "a b c d e paula peter" || pages != 4 {
				t.Errorf("%s: %d pages: %s", start, pages, got)
			}
			c.do("DELETE", "/Patient/ab", "")
		}
	}
}

// TestSearchControls checks the parameters that control the form of a response.
func TestSearchControls(t *testing.T) {
	c := clinic(t)
	doc := c.get("/Patient?_summary=true&_id=peter").want(t, 200)
	r := at(doc, "entry", 0, "resource")
	if at(r, "contact") != nil || at(r, "gender") != "male" || at(r, "meta", "tag", 0, "code") != "SUBSETTED" {
		t.Errorf("summary: %v", r)
	}
	doc = c.get("/Patient?_summary=text").want(t, 200)
	if r := at(doc, "entry", 0, "resource"); at(r, "text", "status") != "generated" || at(r, "name") != nil {
		t.Errorf("text: %v", r)
	}
	doc = c.get("/Patient?_summary=data&_id=paula").want(t, 200)
	if r := at(doc, "entry", 0, "resource"); at(r, "text") != nil || at(r, "name") == nil {
		t.Errorf("data: %v", r)
	}
	doc = c.get("/Patient?_summary=count").want(t, 200)
	if doc["total"] != 2.0 || doc["entry"] != nil || len(links(doc)) != 1 {
		t.Errorf("count: %v", doc)
	}
	doc = c.get("/Observation?_elements=status,value&_id=pulse").want(t, 200)
	if r := at(doc, "entry", 0, "resource"); at(r, "valueQuantity") == nil || at(r, "code") == nil || at(r, "subject") != nil {
		t.Errorf("elements: %v", r) // code is mandatory
	}
	doc = c.get("/Patient?_total=none").want(t, 200)
	if _, told := doc["total"]; told {
		t.Errorf("total: %v", doc)
	}
	doc = c.get("/Patient?colour=red&family=chalmers&_id=peter").want(t, 200)
	got, outcome := ids(t, doc)
	if len(got) != 1 || !strings.Contains(outcome, "colour") || strings.Contains(links(doc)["self"], "colour") || doc["total"] != 1.0 {
		t.Errorf("unknown parameter: %v", doc)
	}
	if at(doc, "entry", 1, "resource", "issue", 0, "severity") != "warning" || at(doc, "entry", 1, "resource", "issue", 0, "expression", 0) != "http.colour" {
		t.Errorf("outcome: %v", at(doc, "entry", 1))
	}
	c.get("/Patient?colour=red", "Prefer", "handling=strict").wantIssue(t, 400, "not-supported")
	if r := c.get("/Patient?_pretty=true&_format=application/fhir%2Bjson"); !strings.Contains(r.body, "\n  \"total\": 2") || !strings.Contains(links(r.want(t, 200))["self"], "_pretty=true") {
		t.Errorf("pretty: %s", r.body)
	}
	c.get("/Patient?_format=ttl").wantIssue(t, 406, "not-supported")
	c.get("/Patient", "Accept", "text/turtle").wantIssue(t, 406, "not-supported")
	if head := c.do("HEAD", "/Patient", ""); head.status != 200 || head.body != "" || head.header.Get("Content-Length") == "" {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}
}

// TestDefinitionsOfOthers checks that clients may store OperationDefinitions in addition to the
// generated ones.
func TestDefinitionsOfOthers(t *testing.T) {
	c := newClient(t)
	own := c.get("/OperationDefinition").want(t, 200)["total"].(float64)
	doc := `{"resourceType":"OperationDefinition","id":"mine","name":"Mine","status":"draft","kind":"operation","code":"mine","system":true,"type":false,"instance":false}`
	c.do("PUT", "/OperationDefinition/mine", doc).want(t, 201)
	c.get("/OperationDefinition/mine").want(t, 200)
	all := c.get("/OperationDefinition").want(t, 200)
	found, _ := ids(t, all)
	if all["total"] != own+1 || !slices.Contains(found, "mine") || !slices.Contains(found, "ValueSet-expand") {
		t.Errorf("%v of %v", found, all["total"])
	}
	if found, _ := ids(t, c.get("/OperationDefinition?code=mine").want(t, 200)); len(found) != 1 {
		t.Errorf("by code: %v", found)
	}
}

// TestStoreWithoutSearches checks a server whose store only reads and writes by id.
func TestStoreWithoutSearches(t *testing.T) {
	c := newClient(t, func(config *Config) {
		config.Resources = resources.NewService(forgetful{memory.New()}, nil)
	})
	c.do("PUT", "/Patient/peter", peter).want(t, 201)
	c.get("/Patient/peter").want(t, 200)
	for _, path := range []string{"/Patient?name=x", "/Patient/_history", "/_history", "/?_id=x", "/Patient/peter/Observation", "/Patient/peter/$everything"} {
		c.get(path).wantIssue(t, 501, "not-supported")
	}
	c.get("/ValueSet?name=num").want(t, 200)
	c.do("DELETE", "/Patient?name=x", "").wantIssue(t, 501, "not-supported")
	c.do("POST", "/", `{"resourceType":"Bundle","type":"transaction"}`).wantIssue(t, 501, "not-supported")
	doc := c.get("/metadata").want(t, 200)
	for i := 0; at(doc, "rest", 0, "resource", i) != nil; i++ {
		r := at(doc, "rest", 0, "resource", i)
		if at(r, "type") == "Patient" && (at(r, "searchParam") != nil || at(r, "conditionalDelete") != "not-supported" || at(r, "conditionalCreate") != false) {
			t.Errorf("%v", r)
		}
	}
}

// TestLastN groups Observations by their codes.
func TestLastN(t *testing.T) {
	c := clinic(t)
	for n, code := range []string{"8867-4", "8867-4", "29463-7", "29463-7", "text"} {
		text := `{"coding":[{"system":"http://loinc.org","code":"` + code + `"}]}`
		if code == "text" {
			text = `{"text":"free"}`
		}
		c.do("PUT", fmt.Sprint("/Observation/n", n), fmt.Sprintf(`{"resourceType":"Observation","id":"n%d","status":"final","code":%s,"subject":{"reference":"Patient/peter"},"effectiveDateTime":"2026-02-0%d"}`, n, text, n+1)).want(t, 201)
	}
	for query, want := range map[string]string{
		"?patient=peter": "n4 n3 n1", "?subject=Patient/peter&max=2": "n4 n3 n2 n1 n0", "?patient=peter&code=29463-7&max=9": "n3 n2 weight",
		"?patient=Patient/peter&date=lt2026-02-01": "weight pulse", "?patient=paula": "",
	} {
		doc := c.get("/Observation/$lastn"+query).want(t, 200)
		found, _ := ids(t, doc)
		text := ""
		for _, id := range found {
			text += " " + id
		}
		if text != " "+want && text != want || doc["total"] != float64(len(found)) || doc["type"] != "searchset" {
			t.Errorf("%s:%s of %v, want %s", query, text, doc["total"], want)
		}
	}
	if found, _ := ids(t, c.do("POST", "/Observation/$lastn", "patient=peter&max=1", "Content-Type", mediaForm).want(t, 200)); len(found) != 3 {
		t.Errorf("POST: %v", found)
	}
	if found, _ := ids(t, c.do("POST", "/Observation/$lastn?patient=peter", `{"resourceType":"Parameters","parameter":[{"name":"max","valuePositiveInt":2}]}`).want(t, 200)); len(found) != 5 {
		t.Errorf("POST of Parameters: %v", found)
	}
	for query, status := range map[string]int{"": 400, "?code=x": 400, "?patient=peter&max=0": 400, "?patient=peter&max=x": 400, "?patient=peter&colour=red": 400, "?patient=peter&_sort=code": 400} {
		if r := c.get("/Observation/$lastn" + query); r.status != status {
			t.Errorf("%s: %d %s", query, r.status, r.body)
		}
	}
}

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
