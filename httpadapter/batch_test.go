package httpadapter

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// entry makes an entry of a batch.
func entry(method, url, resource string) string {
	if resource != "" {
		resource = `"resource":` + resource + `,`
	}
	return fmt.Sprintf(`{%s"request":{"method":%q,"url":%q}}`, resource, method, url)
}

func batchOf(entries ...string) string {
	return `{"resourceType":"Bundle","type":"batch","entry":[` + strings.Join(entries, ",") + `]}`
}

// TestBatch sends requests in a Bundle, and compares each answer with the one it has alone.
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
			{"DELETE", "ValueSet/pets", "", "405 Method Not Allowed"},
			{"PUT", "ValueSet/pets", pets, "405 Method Not Allowed"},
			{"POST", "ValueSet", pets, "405 Method Not Allowed"},
			{"POST", "", batchOf(), "400 Bad Request"},
			{"GET", "metrics", "", "404 Not Found"},
			{"GET", "%zz", "", "400 Bad Request"},
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
	if r := c.do("GET", "/ValueSet/pets", ""); r.status != http.StatusOK {
		t.Error("a batch deletes")
	}
}

// TestBadBatches checks what is refused as a whole.
func TestBadBatches(t *testing.T) {
	c := newClient(t)
	for body, status := range map[string]int{
		"":                              http.StatusBadRequest,
		"{":                             http.StatusBadRequest,
		`{"resourceType":"Parameters"}`: http.StatusBadRequest,
		`{"resourceType":"Bundle","type":"batch","entry":3}`: http.StatusBadRequest,
		`{"resourceType":"Bundle","type":"transaction"}`:     http.StatusUnprocessableEntity,
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

// TestBatchTime checks that all entries have the time of one request.
func TestBatchTime(t *testing.T) {
	c := newClient(t, func(config *Config) { config.Limits.Timeout = time.Nanosecond })
	r := c.do("POST", "/", batchOf(entry("GET", "ValueSet/pets", ""), entry("GET", "ValueSet/pets", "")))
	if r.status != http.StatusOK || strings.Count(r.body, `"503 Service Unavailable"`) != 2 {
		t.Error(r.status, r.body)
	}
}

// FuzzBatch posts any body to the base: it is answered with a resource, and never with an
// error of this server.
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
