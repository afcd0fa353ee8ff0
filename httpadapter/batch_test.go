package httpadapter

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// entry returns an entry of a batch.
func entry(method, url, resource string) string {
	if resource != "" {
		resource = `"resource":` + resource + `,`
	}
	return fmt.Sprintf(`{%s"request":{"method":%q,"url":%q}}`, resource, method, url)
}

func batchOf(entries ...string) string {
	return `{"resourceType":"Bundle","type":"batch","entry":[` + strings.Join(entries, ",") + `]}`
}

// TestBatch compares the response to each request in a Bundle with the response to the request alone.
func TestBatch(t *testing.T) {
	c := newClient(t)
	isDog := `{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"http://t.example/vs/pets"},{"name":"coding","valueCoding":{"system":"http://t.example/animals","code":"dog"}}]}`
	wrong := `{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":3}]}`
	for _, path := range []string{"/", "/baseR4", "/baseR4/"} {
		var got struct {
			Type  string
			Entry []struct {
				Resource json.RawMessage
				Response struct {
					Status  string
					Outcome json.RawMessage
				}
			}
		}
		entries := []struct{ method, url, body, status string }{
			{"POST", "ValueSet/$validate-code", isDog, "200 OK"},
			{"POST", "/ValueSet/$validate-code", wrong, "400 Bad Request"},
			{"GET", "CodeSystem/$lookup?system=http://t.example/animals&code=dog", "", "200 OK"},
			{"GET", "ValueSet/pets", "", "200 OK"},
			{"GET", "ValueSet/nothing", "", "404 Not Found"},
			{"DELETE", "ValueSet/nothing", "", "204 No Content"},
			{"DELETE", "ValueSet/numbers", "", "409 Conflict"},
			{"PATCH", "ValueSet/pets", pets, "400 Bad Request"},
			{"BREW", "ValueSet/pets", "", "400 Bad Request"},
			{"PUT", "ValueSet", pets, "400 Bad Request"},
			{"POST", "", batchOf(), "400 Bad Request"},
			{"GET", "metrics", "", "404 Not Found"},
			{"DELETE", "http://example.com/baseR4/ValueSet/nothing", "", "204 No Content"},
			{"DELETE", "http://example.com/ValueSet/nothing", "", "204 No Content"},
			{"DELETE", "/baseR4/ValueSet/nothing", "", "204 No Content"},
			{"GET", "http://elsewhere.example/ValueSet/pets", "", "400 Bad Request"},
			{"GET", "%zz", "", "400 Bad Request"},
			{"GET", "//ValueSet/pets", "", "404 Not Found"},
			{"", "", "", "400 Bad Request"},
		}
		var list []string
		for _, e := range entries {
			list = append(list, entry(e.method, e.url, e.body))
		}
		r := c.do("POST", path, batchOf(list...))
		if err := json.Unmarshal([]byte(r.body), &got); err != nil || r.status != http.StatusOK || got.Type != "batch-response" || len(got.Entry) != len(entries) {
			t.Fatalf("%s: %d %v %s", path, r.status, err, r.body)
		}
		for i, e := range entries {
			answer := got.Entry[i]
			if answer.Response.Status != e.status || (answer.Response.Outcome == nil) != strings.HasPrefix(e.status, "2") {
				t.Errorf("%s: %s %s: %s %s", path, e.method, e.url, answer.Response.Status, answer.Response.Outcome)
			}
			if e.status != "200 OK" {
				continue
			}
			if alone := c.do(e.method, "/baseR4/"+strings.TrimPrefix(e.url, "/"), e.body); strings.TrimSpace(alone.body) != string(answer.Resource) {
				t.Errorf("%s: %s, alone %s", e.url, answer.Resource, alone.body)
			}
		}
	}
}

// TestBatchWrites checks the responses to conditional and unconditional writes in a batch.
func TestBatchWrites(t *testing.T) {
	for _, prefix := range paths() {
		c := newClient(t)
		body := `{"resourceType":"Bundle","type":"batch","entry":[` + strings.Join([]string{
			`{"resource":` + colours + `,"request":{"method":"PUT","url":"CodeSystem/colours"}}`,
			`{"resource":` + colours + `,"request":{"method":"POST","url":"CodeSystem","ifNoneExist":"url=http://t.example/colours"}}`,
			`{"resource":` + colours + `,"request":{"method":"PUT","url":"CodeSystem/colours","ifMatch":"W/\"9\""}}`,
			`{"resource":{"resourceType":"Binary","contentType":"application/json-patch+json","data":"` +
				base64.StdEncoding.EncodeToString([]byte(`[{"op":"add","path":"/title","value":"Farben"}]`)) +
				`"},"request":{"method":"PATCH","url":"CodeSystem/colours","ifMatch":"W/\"1\""}}`,
			`{"request":{"method":"GET","url":"CodeSystem/colours","ifNoneMatch":"W/\"2\""}}`,
			`{"request":{"method":"DELETE","url":"CodeSystem/colours"}}`,
			`{"request":{"method":"GET","url":"CodeSystem/colours"}}`,
		}, ",") + `]}`
		doc := c.do("POST", prefix+"/", body).want(t, 200)
		location := "http://example.com" + prefix + "/CodeSystem/colours/_history/1"
		for i, want := range []struct{ status, location, etag string }{
			{"201 Created", location, `W/"1"`},
			{"200 OK", location, `W/"1"`},
			{"412 Precondition Failed", "", ""},
			{"200 OK", "", `W/"2"`},
			{"304 Not Modified", "", `W/"2"`},
			{"204 No Content", "", `W/"3"`},
			{"410 Gone", "", ""},
		} {
			response := at(doc, "entry", i, "response")
			for name, want := range map[string]string{"status": want.status, "location": want.location, "etag": want.etag} {
				if got, _ := at(response, name).(string); got != want {
					t.Errorf("%d: %s %q, want %q", i, name, got, want)
				}
			}
			if modified, _ := at(response, "lastModified").(string); (modified == "") != (want.etag == "") {
				t.Errorf("%d: lastModified %q", i, modified)
			}
		}
		if at(doc, "entry", 3, "resource", "title") != "Farben" {
			t.Errorf("patched: %v", at(doc, "entry", 3))
		}
	}
}

// TestBadBatches checks which Bundles are refused as a whole.
func TestBadBatches(t *testing.T) {
	c := newClient(t)
	for body, status := range map[string]int{
		"":                              http.StatusBadRequest,
		"{":                             http.StatusBadRequest,
		`{"resourceType":"Parameters"}`: http.StatusBadRequest,
		`{"resourceType":"Bundle","type":"batch","entry":3}`: http.StatusBadRequest,
		`{"resourceType":"Bundle","type":"collection"}`:      http.StatusUnprocessableEntity,
		batchOf(): http.StatusOK,
	} {
		if r := c.do("POST", "/", body); r.status != status || !strings.Contains(r.body, "resourceType") {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	if r := c.do("POST", "/", "a=b", "Content-Type", "application/x-www-form-urlencoded"); r.status != http.StatusUnsupportedMediaType {
		t.Error(r.status, r.body)
	}
}

// TestBatchTime checks that all entries together have the timeout of one request.
func TestBatchTime(t *testing.T) {
	c := newClient(t, func(config *Config) { config.Limits.Timeout = time.Nanosecond })
	r := c.do("POST", "/", batchOf(entry("GET", "ValueSet/pets", ""), entry("GET", "ValueSet/pets", "")))
	if r.status != http.StatusOK || strings.Count(r.body, `"503 Service Unavailable"`) != 2 {
		t.Error(r.status, r.body)
	}
}

// FuzzBatch checks that the response to any body at the base is a resource and never a 5xx.
func FuzzBatch(f *testing.F) {
	for _, seed := range []string{
		batchOf(entry("GET", "ValueSet/pets", "")), batchOf(entry("POST", "ValueSet/$expand", `{"resourceType":"Parameters"}`)),
		batchOf(entry("GET", "/CodeSystem/$lookup?code=dog&system=http://t.example/animals", "")), batchOf(entry("GET", "../metrics", "{}")),
		`{"resourceType":"Bundle","type":"batch","entry":[null,{"request":null},{"resource":[]}]}`, "[]", "",
	} {
		f.Add(seed)
	}
	c := newClient(f)
	f.Fuzz(func(t *testing.T, body string) {
		c := client{t: t, handler: c.handler}
		r := c.do("POST", "/baseR4", body)
		if !json.Valid([]byte(r.body)) || r.status >= http.StatusInternalServerError || strings.Contains(r.body, `"status":"500`) {
			t.Errorf("%q: %d %s", body, r.status, r.body)
		}
	})
}

// TestBinaryContent sends and receives the content of a Binary as it is.
func TestBinaryContent(t *testing.T) {
	c := clinic(t)
	content := "\x00\x01<script>\xff"
	r := c.do("POST", "/Binary", content, "Content-Type", "text/html; charset=latin1", "X-Security-Context", "Patient/peter")
	doc := r.want(t, 201)
	if doc["contentType"] != "text/html; charset=latin1" || at(doc, "securityContext", "reference") != "Patient/peter" || doc["data"] != "AAE8c2NyaXB0Pv8=" {
		t.Fatalf("%v", doc)
	}
	path := "/Binary/" + doc["id"].(string)
	for accept, raw := range map[string]bool{
		"": false, "application/fhir+json": false, "application/xml, */*": false, "application/json;q=0.9": false,
		"*/*": true, "text/html,application/xml;q=0.9": true, "image/png": true,
	} {
		for _, at := range []string{path, path + "/_history/1"} {
			r := c.do("GET", at, "", "Accept", accept)
			if is := r.body == content; is != raw || r.status != 200 || !strings.Contains(r.header.Get("Vary"), "Accept") {
				t.Errorf("%s with %q: %d %q", at, accept, r.status, r.body)
			}
			if raw && (r.header.Get("Content-Type") != "text/html; charset=latin1" || r.header.Get("X-Content-Type-Options") != "nosniff" || r.header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" ||
				!strings.HasPrefix(r.header.Get("Content-Disposition"), "attachment") || r.header.Get("Etag") != `W/"1"` || r.header.Get("X-Security-Context") != "Patient/peter") {
				t.Errorf("%s with %q: %v", at, accept, r.header)
			}
		}
	}
	if r := c.do("GET", path, "", "Accept", "*/*", "If-None-Match", `W/"1"`); r.status != 304 || r.body != "" {
		t.Errorf("not modified: %d", r.status)
	}
	if r := c.do("HEAD", path, "", "Accept", "*/*"); r.status != 200 || r.header.Get("Content-Length") != "11" {
		t.Errorf("HEAD: %d %v", r.status, r.header)
	}
	if doc := c.do("GET", path+"?_format=json", "", "Accept", "*/*").want(t, 200); doc["resourceType"] != "Binary" {
		t.Errorf("_format: %v", doc)
	}
	c.do("PUT", "/Binary/form", "a=b", "Content-Type", mediaForm).want(t, 201)
	if r := c.do("GET", "/Binary/form", "", "Accept", "*/*"); r.body != "a=b" || r.header.Get("Content-Type") != mediaForm {
		t.Errorf("form: %q %v", r.body, r.header)
	}
	c.do("PUT", "/Binary/empty", "", "Content-Type", "text/plain").want(t, 201)
	if r := c.do("GET", "/Binary/empty", "", "Accept", "*/*"); r.status != 200 || r.body != "" {
		t.Errorf("empty: %d %q", r.status, r.body)
	}
	c.do("PUT", "/Binary/odd", `{"resourceType":"Binary","id":"odd","contentType":"a\\b","data":"AA =="}`)
	if r := c.do("GET", "/Binary/odd", "", "Accept", "*/*"); r.status == 200 && r.header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("odd type: %v", r.header)
	}
	c.do("POST", "/Patient", "x", "Content-Type", "image/png").wantIssue(t, 415, "not-supported")
	c.do("GET", "/Patient/peter", "", "Accept", "image/png").wantIssue(t, 406, "not-supported")
	c.do("GET", "/Binary/nobody", "", "Accept", "image/png").wantIssue(t, 404, "not-found")
	if doc := c.do("POST", "/Binary", `{"resourceType":"Binary","contentType":"a/b"}`).want(t, 201); doc["contentType"] != "a/b" {
		t.Errorf("a Binary in JSON: %v", doc)
	}
}
