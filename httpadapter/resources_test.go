package httpadapter

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const colours = `{"resourceType":"CodeSystem","id":"colours","url":"http://t.example/colours","status":"active","content":"complete","concept":[{"code":"red"}]}`

func TestLifeOfAResource(t *testing.T) {
	for _, prefix := range pathsR4() {
		c := newClient(t)
		path := prefix + "/CodeSystem/colours"
		c.get(path).wantIssue(t, 404, "not-found")
		if r := c.do("DELETE", path, ""); r.status != 204 || r.body != "" {
			t.Errorf("delete of nothing: %d %s", r.status, r.body)
		}

		r := c.do("PUT", path, colours)
		doc := r.want(t, 201)
		if got, want := r.header.Get("Location"), "http://example.com"+path+"/_history/1"; got != want {
			t.Errorf("Location %s, want %s", got, want)
		}
		if r.header.Get("ETag") != `W/"1"` || r.header.Get("Last-Modified") == "" {
			t.Errorf("headers %v", r.header)
		}
		if at(doc, "meta", "versionId") != "1" || at(doc, "meta", "lastUpdated") == nil {
			t.Errorf("meta %v", at(doc, "meta"))
		}

		// The same content keeps its version.
		if r := c.do("PUT", path, colours); r.status != 200 || r.header.Get("ETag") != `W/"1"` {
			t.Errorf("same content: %d %s", r.status, r.header.Get("ETag"))
		}
		changed := strings.Replace(colours, `"red"`, `"green"`, 1)
		c.do("PUT", path, changed, "If-Match", `W/"7"`).wantIssue(t, 412, "conflict")
		c.do("PUT", path, changed, "If-None-Match", "*").wantIssue(t, 412, "conflict")
		c.do("PUT", path, changed, "If-Match", "seven").wantIssue(t, 400, "value")
		c.do("PUT", prefix+"/CodeSystem/new", strings.Replace(changed, "colours", "new", 1), "If-Match", "*").wantIssue(t, 412, "conflict")
		c.do("PUT", path, changed, "If-Match", `W/"lxyz"`).wantIssue(t, 412, "conflict")
		c.do("PUT", path, colours, "If-Match", "*").want(t, 200)
		r = c.do("PUT", path, changed, "If-Match", `W/"1"`)
		r.want(t, 200)
		if r.header.Get("ETag") != `W/"2"` || r.header.Get("Location") != "" {
			t.Errorf("second version: %v", r.header)
		}

		// A stored resource can be used at once.
		c.get(prefix+"/CodeSystem/$lookup?system=http://t.example/colours&code=green").want(t, 200)
		c.get(prefix+"/CodeSystem/$lookup?system=http://t.example/colours&code=red").wantIssue(t, 404, "not-found")

		r = c.get(path)
		r.want(t, 200)
		for _, headers := range [][]string{
			{"If-None-Match", `W/"2"`},
			{"If-None-Match", `"1", "2"`},
			{"If-None-Match", "*"},
			{"If-Modified-Since", r.header.Get("Last-Modified")},
		} {
			if again := c.get(path, headers...); again.status != 304 || again.body != "" || again.header.Get("ETag") != `W/"2"` {
				t.Errorf("%v: status %d, %q", headers, again.status, again.body)
			}
		}
		c.get(path, "If-None-Match", `W/"1"`).want(t, 200)
		c.get(path, "If-Modified-Since", "Thu, 01 Jan 2026 00:00:00 GMT").want(t, 200)
		if head := c.do("HEAD", path, ""); head.status != 200 || head.body != "" || head.header.Get("ETag") != `W/"2"` {
			t.Errorf("HEAD: %d %v", head.status, head.header)
		}

		// Former versions.
		first := c.get(path + "/_history/1")
		if at(first.want(t, 200), "concept", 0, "code") != "red" || first.header.Get("ETag") != `W/"1"` {
			t.Errorf("first version: %s", first.body)
		}
		if r := c.do("DELETE", path, ""); r.status != 204 {
			t.Errorf("delete: %d %s", r.status, r.body)
		}
		if r := c.do("DELETE", path, ""); r.status != 204 {
			t.Errorf("delete again: %d %s", r.status, r.body)
		}
		c.get(path).wantIssue(t, 410, "deleted")
		c.get(prefix+"/CodeSystem/$lookup?system=http://t.example/colours&code=green").wantIssue(t, 404, "not-found")
		history := c.get(path+"/_history").want(t, 200)
		if history["type"] != "history" || history["total"] != 3.0 {
			t.Errorf("history %v", history)
		}
		var methods []any
		for i := range 3 {
			methods = append(methods, at(history, "entry", i, "request", "method"), at(history, "entry", i, "response", "status"))
		}
		if diff := cmp.Diff([]any{"DELETE", "204", "PUT", "200", "PUT", "201"}, methods); diff != "" {
			t.Error(diff)
		}
		if got := c.get(path+"/_history?_count=1").want(t, 200); len(got["entry"].([]any)) != 1 {
			t.Errorf("_count=1: %v", got)
		}
		c.get(path+"/_history?_since=yesterday").wantIssue(t, 400, "value")
		if got := c.get(path+"/_history?_since=2027-01-01T00:00:00Z").want(t, 200); got["total"] != 0.0 || got["entry"] != nil {
			t.Errorf("_since: %v", got)
		}
		c.do("PUT", path, colours).want(t, 201)
	}
}

func TestCreate(t *testing.T) {
	c := newClient(t)
	r := c.do("POST", "/baseR4/CodeSystem", colours)
	doc := r.want(t, 201)
	id, _ := doc["id"].(string)
	if id == "" || id == "colours" {
		t.Errorf("id %q", id)
	}
	if got, want := r.header.Get("Location"), "http://example.com/baseR4/CodeSystem/"+id+"/_history/1"; got != want {
		t.Errorf("Location %s, want %s", got, want)
	}
	c.get("/CodeSystem/"+id).want(t, 200)

	// If-None-Exist finds one, several or none.
	r = c.do("POST", "/CodeSystem", colours, "If-None-Exist", "url=http://t.example/colours")
	if doc := r.want(t, 200); doc["id"] != id {
		t.Errorf("If-None-Exist gave %v", doc["id"])
	}
	c.do("POST", "/CodeSystem", colours).want(t, 201)
	c.do("POST", "/CodeSystem", colours, "If-None-Exist", "url=http://t.example/colours").wantIssue(t, 412, "multiple-matches")
	c.do("POST", "/CodeSystem", colours, "If-None-Exist", "url=http://t.example/new").want(t, 201)
	c.do("POST", "/CodeSystem", colours, "If-None-Exist", "colour=red").wantIssue(t, 400, "not-supported")

	if r := c.do("POST", "/CodeSystem", colours, "Prefer", "return=minimal"); r.status != 201 || r.body != "" || r.header.Get("Location") == "" {
		t.Errorf("minimal: %d %q", r.status, r.body)
	}
	c.do("POST", "/CodeSystem", colours, "Prefer", "return=OperationOutcome").wantIssue(t, 201, "informational")
	c.do("POST", "/CodeSystem", pets).wantIssue(t, 400, "invalid")
}

// TestLoaded checks that resources loaded from files can be read, searched and replaced by stored
// ones, and cannot be deleted.
func TestLoaded(t *testing.T) {
	c := newClient(t)
	r := c.get("/CodeSystem/loaded")
	doc := r.want(t, 200)
	if doc["url"] != "http://t.example/loaded" || len(doc["concept"].([]any)) != 3 || at(doc, "concept", 1, "code") != "two" {
		t.Errorf("loaded: %s", r.body)
	}
	tag := r.header.Get("ETag")
	if !strings.HasPrefix(tag, `W/"l`) {
		t.Errorf("ETag %s", tag)
	}
	if r := c.get("/CodeSystem/loaded", "If-None-Match", tag); r.status != 304 {
		t.Errorf("If-None-Match: %d", r.status)
	}
	if got := c.get("/ValueSet/numbers").want(t, 200); got["url"] != "http://t.example/vs/numbers" {
		t.Errorf("numbers: %v", got)
	}
	if got := c.get("/CodeSystem/loaded?_summary=true").want(t, 200); got["concept"] != nil || at(got, "meta", "tag", 0, "code") != "SUBSETTED" {
		t.Errorf("summary: %v", got)
	}
	if got := c.get("/CodeSystem/loaded?_elements=concept").want(t, 200); got["url"] != nil || got["concept"] == nil || got["status"] == nil {
		t.Errorf("elements: %v", got)
	}
	if text := c.do("DELETE", "/CodeSystem/loaded", "").wantIssue(t, 409, "conflict"); !strings.Contains(text, "loaded.json") {
		t.Errorf("delete: %s", text)
	}

	stored := `{"resourceType":"CodeSystem","id":"loaded","url":"http://t.example/loaded","version":"7","status":"active","content":"complete","concept":[{"code":"four"}]}`
	c.do("PUT", "/CodeSystem/loaded", stored).want(t, 201)
	if r := c.get("/CodeSystem/loaded", "If-None-Match", tag); r.status != 200 || r.header.Get("ETag") != `W/"1"` {
		t.Errorf("the stored one does not replace the loaded one: %d %s", r.status, r.header.Get("ETag"))
	}
	c.get("/CodeSystem/$lookup?system=http://t.example/loaded&code=four").want(t, 200)
	if r := c.do("DELETE", "/CodeSystem/loaded", ""); r.status != 204 {
		t.Errorf("delete of the stored one: %d %s", r.status, r.body)
	}
	c.get("/CodeSystem/loaded").want(t, 200)
	c.get("/CodeSystem/$lookup?system=http://t.example/loaded&code=one").want(t, 200)
}

// TestReadOnly checks a server without a resource service.
func TestReadOnly(t *testing.T) {
	c := newClient(t, func(config *Config) { config.Resources = nil })
	c.get("/CodeSystem/loaded").want(t, 200)
	c.get("/CodeSystem/nothing").wantIssue(t, 404, "not-found")
	for _, r := range []response{
		c.do("PUT", "/CodeSystem/loaded", colours), c.do("POST", "/CodeSystem", colours), c.do("DELETE", "/CodeSystem/loaded", ""),
	} {
		r.wantIssue(t, 405, "not-supported")
		if r.header.Get("Allow") == "" {
			t.Error("no Allow")
		}
	}
	c.get("/CodeSystem/loaded/_history").wantIssue(t, 404, "not-found")
	c.get("/CodeSystem/loaded/_history/1").wantIssue(t, 404, "not-found")
	doc := c.get("/metadata").want(t, 200)
	if got := at(doc, "rest", 0, "resource", 0, "interaction").([]any); len(got) != 2 {
		t.Errorf("interactions %v", got)
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := New(Config{}); err == nil {
		t.Error("no engine")
	}
	for _, base := range []string{"tx.example", "https://", "https://x?y=1", "://"} {
		if _, err := New(Config{Engine: newClient(t).engine, BaseURL: base}); err == nil {
			t.Errorf("BaseURL %q", base)
		}
	}
}

func TestBaseURL(t *testing.T) {
	c := newClient(t, func(config *Config) { config.BaseURL = "https://tx.example/" })
	r := c.do("POST", "/baseR4/CodeSystem", colours)
	if got := r.header.Get("Location"); !strings.HasPrefix(got, "https://tx.example/baseR4/CodeSystem/") {
		t.Errorf("Location %s", got)
	}
}

// TestMeta runs $meta, $meta-add and $meta-delete.
func TestMeta(t *testing.T) {
	for _, prefix := range pathsR4() {
		c := clinic(t)
		path := prefix + "/Patient/peter/"
		meta := func(text string) string {
			return `{"resourceType":"Parameters","parameter":[{"name":"meta","valueMeta":` + text + `}]}`
		}
		for _, step := range []struct{ op, meta, version, want string }{
			{"meta", "", "1", "null null null"},
			{"meta-add", `{"profile":["http://p"],"tag":[{"system":"s","code":"a","display":"A"},{"system":"s","code":"a"},{"code":"b"}]}`, "2", `["http://p"] [{"code":"a","display":"A","system":"s"},{"code":"b"}] null`},
			{"meta-add", `{"profile":["http://p"],"tag":[{"code":"b"}]}`, "2", `["http://p"] [{"code":"a","display":"A","system":"s"},{"code":"b"}] null`},
			{"meta-add", `{"security":[{"code":"R"}]}`, "3", `["http://p"] [{"code":"a","display":"A","system":"s"},{"code":"b"}] [{"code":"R"}]`},
			{"meta-delete", `{"profile":["http://p","http://q"],"tag":[{"system":"s","code":"a"}]}`, "4", `null [{"code":"b"}] [{"code":"R"}]`},
			{"meta-delete", `{"tag":[{"system":"s","code":"b"}]}`, "4", `null [{"code":"b"}] [{"code":"R"}]`},
			{"meta", "", "4", `null [{"code":"b"}] [{"code":"R"}]`},
		} {
			method, body := "POST", meta(step.meta)
			if step.meta == "" {
				method, body = "GET", ""
			}
			got := at(c.do(method, path+"$"+step.op, body).want(t, 200), "parameter", 0, "valueMeta")
			text := ""
			for _, name := range []string{"profile", "tag", "security"} {
				list, err := json.Marshal(at(got, name))
				if err != nil {
					t.Fatal(err)
				}
				text += " " + string(list)
			}
			if text[1:] != step.want || at(got, "versionId") != step.version {
				t.Errorf("%s %s:%s %v, want %s of version %s", step.op, step.meta, text, at(got, "versionId"), step.want, step.version)
			}
		}
		for body, status := range map[string]int{meta("3"): 400, "{": 400, peter: 400, meta(`{"tag":[{"colour":1}]}`): 400} {
			if r := c.do("POST", path+"$meta-add", body); r.status != status {
				t.Errorf("%s: %d %s", body, r.status, r.body)
			}
		}
		c.do("POST", path+"$meta-add", meta(`{"tag":[{"code":"z"}]}`), "If-Match", `W/"1"`).wantIssue(t, 412, "conflict")
		c.do("GET", path+"$meta-add", "").wantIssue(t, 405, "not-supported")
		c.get(prefix+"/Patient/nobody/$meta").wantIssue(t, 404, "not-found")
		c.do("POST", prefix+"/Patient/nobody/$meta-delete", meta(`{}`)).wantIssue(t, 404, "not-found")
	}
}

// validations returns the parameters of a batch that checks codings.
func validations(system string, codes ...string) string {
	var b strings.Builder
	for _, code := range codes {
		b.WriteString(`,{"name":"validation","resource":{"resourceType":"Parameters","parameter":[{"name":"coding","valueCoding":{"system":"` + system + `","code":"` + code + `"}}]}}`)
	}
	return b.String()
}

// TestInvalidRegexInPostedValueSet: an invalid regular expression of 1.3 MB is refused with the
// beginning of it, in every operation that reads value sets.
func TestInvalidRegexInPostedValueSet(t *testing.T) {
	c := newClient(t)
	const system = "http://t.example/planets"
	valueSet := `{"resourceType":"ValueSet","url":"http://t.example/vs/bad","status":"active","compose":{"include":[{"system":"` + system + `","filter":[{"property":"code","op":"regex","value":"` + strings.Repeat("(", 1_300_000) + `"}]}]}}`
	given := `{"name":"valueSet","resource":` + valueSet + `}`
	coding := `,{"name":"coding","valueCoding":{"system":"` + system + `","code":"mars"}}`
	for _, tt := range []struct {
		operation, parameters string
		status                int
	}{
		{"ValueSet/$validate-code", given + coding, 422},
		{"ValueSet/$validate-code", `{"name":"tx-resource","resource":` + valueSet + `},{"name":"url","valueUri":"http://t.example/vs/bad"}` + coding, 422},
		{"ValueSet/$expand", given, 422},
		{"ValueSet/$explain", given + coding, 200},
		{"ValueSet/$batch-validate-code", given + validations(system, "mars", "venus"), 200},
	} {
		for _, base := range []string{"/", "/r4/"} {
			r := c.do("POST", base+tt.operation, withResources(tt.parameters, planets))
			if r.status != tt.status || len(r.body) > 5<<10 || !strings.Contains(r.body, "1300000 bytes") {
				t.Errorf("%s%s: %d, %d bytes: %.300s", base, tt.operation, r.status, len(r.body), r.body)
			}
		}
	}
}

// TestManyListedCodesInPostedValueSet: the work on 500,000 codes grows with their number alone. It is
// counted in allocations for each code, and an algorithm that compares all with all would not come to
// an end.
func TestManyListedCodesInPostedValueSet(t *testing.T) {
	c := newClient(t)
	const n, system = 500_000, "http://t.example/none"
	var b strings.Builder
	b.WriteString(`{"name":"valueSet","resource":{"resourceType":"ValueSet","url":"http://t.example/vs/many","status":"active","compose":{"include":[{"system":"` + system + `","concept":[{"code":"first"}`)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, `,{"code":"c%d"}`, i)
	}
	b.WriteString(`]}]}}}`)
	var codes []string
	for i := range 1000 {
		codes = append(codes, fmt.Sprint("c", n-2*i)) // of which the first is not listed
	}
	for _, tt := range []struct {
		name, operation, parameters string
		want                        string
		times                       int
		each                        float64 // allocations for each code
	}{
		{"a coding", "ValueSet/$validate-code", `,{"name":"coding","valueCoding":{"system":"` + system + `","code":"c499999"}}`, `{"name":"result","valueBoolean":true}`, 1, 2},
		{"a code without its system", "ValueSet/$validate-code", `,{"name":"code","valueCode":"c499999"}`, `{"name":"result","valueBoolean":true}`, 1, 4},
		{"no member", "ValueSet/$validate-code", `,{"name":"coding","valueCoding":{"system":"` + system + `","code":"c500000"}}`, `{"name":"result","valueBoolean":false}`, 1, 2},
		{"an expansion", "ValueSet/$expand", `,{"name":"count","valueInteger":2},{"name":"offset","valueInteger":499998}`, `"code":"c499999"`, 1, 4},
		{"a batch", "ValueSet/$batch-validate-code", validations(system, codes...), `{"name":"result","valueBoolean":true}`, 999, 3},
	} {
		body := withResources(b.String() + tt.parameters)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := c.do("POST", "/"+tt.operation, body)
		runtime.ReadMemStats(&after)
		if r.status != 200 || strings.Count(r.body, tt.want) != tt.times {
			t.Errorf("%s: %d %.500s", tt.name, r.status, r.body)
		}
		if each := float64(after.Mallocs-before.Mallocs) / n; each > tt.each {
			t.Errorf("%s: %.1f allocations for each code", tt.name, each)
		}
	}
}
