package httpadapter

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
)

const anEvent = `{"resourceType":"AuditEvent","type":{"code":"rest","system":"http://terminology.hl7.org/CodeSystem/audit-event-type"},` +
	`"recorded":"2026-11-24T08:00:00Z","agent":[{"requestor":true}],"source":{"observer":{"display":"x"}}}`

// TestAppendOnlyType checks that clients can create and read, but not change, resources of a type that is
// append-only, and that metadata and OPTIONS say the same.
func TestAppendOnlyType(t *testing.T) {
	c := newClient(t, func(config *Config) {
		config.Resources = resources.NewService(memory.New(), nil, resources.WithAppendOnly("AuditEvent"))
	})
	created := c.do("POST", "/AuditEvent", anEvent)
	created.want(t, 201)
	var head struct{ ID string }
	if err := json.Unmarshal([]byte(created.body), &head); err != nil {
		t.Fatal(err)
	}
	at := "/AuditEvent/" + head.ID
	for _, tt := range []struct {
		method, path, body, media string
		status                    int
		allow                     string
	}{
		{"PUT", at, anEvent, mediaFHIR, 405, "GET, HEAD, OPTIONS"},
		{"PATCH", at, `{"action":"R"}`, mediaMergePatch, 405, "GET, HEAD, OPTIONS"},
		{"DELETE", at, "", "", 405, "GET, HEAD, OPTIONS"},
		{"PUT", "/AuditEvent?_id=x", anEvent, mediaFHIR, 405, "GET, HEAD, POST, OPTIONS"},
		{"DELETE", "/AuditEvent?_id=x", "", "", 405, "GET, HEAD, POST, OPTIONS"},
		{"OPTIONS", at, "", "", 204, "GET, HEAD, OPTIONS"},
		{"POST", "/", `{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"AuditEvent/` + head.ID + `"}}]}`, mediaFHIR, 405, ""},
		{"POST", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"DELETE","url":"AuditEvent/` + head.ID + `"}}]}`, mediaFHIR, 200, ""},
		{"GET", at, "", "", 200, ""},
		{"GET", at + "/_history/1", "", "", 200, ""},
		{"PUT", "/Patient/a", `{"resourceType":"Patient","id":"a"}`, mediaFHIR, 201, ""},
		{"DELETE", "/Patient/a", "", "", 204, ""},
	} {
		got := c.do(tt.method, tt.path, tt.body, "Content-Type", tt.media)
		if got.status != tt.status {
			t.Errorf("%s %s: %d %s, want %d", tt.method, tt.path, got.status, got.body, tt.status)
		}
		if allow := got.header.Get("Allow"); tt.allow != "" && allow != tt.allow {
			t.Errorf("%s %s: Allow %q, want %q", tt.method, tt.path, allow, tt.allow)
		}
	}
	var statement struct {
		Rest []struct {
			Resource []struct {
				Type, ConditionalDelete         string
				UpdateCreate, ConditionalUpdate bool
				Interaction                     []struct{ Code string }
			}
		}
	}
	if err := json.Unmarshal([]byte(c.do("GET", "/metadata", "").body), &statement); err != nil {
		t.Fatal(err)
	}
	for _, r := range statement.Rest[0].Resource {
		changes := false
		for _, i := range r.Interaction {
			changes = changes || slices.Contains([]string{"update", "patch", "delete"}, i.Code)
		}
		want := r.Type != "AuditEvent"
		if changes != want || r.UpdateCreate != want || r.ConditionalUpdate != want || (r.ConditionalDelete == "not-supported") == want {
			if r.Type == "AuditEvent" || r.Type == "Patient" {
				t.Errorf("%+v", r)
			}
		}
	}
}

// TestAdmission checks that large requests wait for others, and that small ones do not.
func TestAdmission(t *testing.T) {
	c := newClient(t)
	h := c.handler.(*Handler)
	h.admission = make(admission, 1)
	parameters := `{"name":"system","valueUri":"http://t.example/animals"},{"name":"code","valueCode":"dog"}`
	small := withResources(parameters)
	large := withResources(`{"name":"x","valueString":"`+strings.Repeat("x", largeBody)+`"},`+parameters, planets)
	batch := batchOf(entry("POST", "CodeSystem/$lookup", large), entry("POST", "CodeSystem/$lookup", large))
	ask := func(path, body string, status int) {
		t.Helper()
		if r := c.do("POST", path, body); r.status != status || strings.Contains(r.body, `"503`) {
			t.Errorf("%s with %d bytes: %d %.200s", path, len(body), r.status, r.body)
		}
		if len(h.admission) != 0 && len(h.admission) != cap(h.admission) {
			t.Errorf("%d slots are not released", len(h.admission))
		}
	}
	for range 2 {
		ask("/CodeSystem/$lookup", large, http.StatusOK)
		ask("/CodeSystem/$lookup", strings.Replace(large, `"dog"`, `"fog"`, 1), http.StatusNotFound)
		ask("/", batch, http.StatusOK)
	}
	h.admission <- struct{}{}
	ask("/CodeSystem/$lookup", small, http.StatusOK)
	h.Limits.Timeout = time.Millisecond
	ask("/CodeSystem/$lookup", large, http.StatusServiceUnavailable)
	h.Limits.Timeout = time.Minute
	time.AfterFunc(10*time.Millisecond, func() { <-h.admission })
	if r := c.do("POST", "/CodeSystem/$lookup", large); r.status != http.StatusOK {
		t.Error("not admitted though a slot is free:", r.status)
	}
}

// TestAdmissionAfterPanic checks that a handler that panics releases its slot.
func TestAdmissionAfterPanic(t *testing.T) {
	h := newClient(t).handler.(*Handler)
	c := &call{h: h, w: nothing{}, r: newRequest(t)}
	func() {
		defer func() { _ = recover() }()
		c.run(func(c *call) {
			if err := c.admit(make([]byte, largeBody)); err != nil {
				t.Error(err)
			}
			panic("oops")
		})
	}()
	if len(h.admission) != 0 {
		t.Error("the slot is not released")
	}
}

func newRequest(t *testing.T) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// nothing is a ResponseWriter that discards everything.
type nothing struct{}

func (nothing) Header() http.Header         { return http.Header{} }
func (nothing) WriteHeader(int)             {}
func (nothing) Write(p []byte) (int, error) { return len(p), nil }
