package httpadapter

import (
	"encoding/json"
	"slices"
	"testing"

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
