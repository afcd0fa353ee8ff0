package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestAuditLogSurvivesKill kills a server after 100 acknowledged requests, and counts their lines in the
// audit log with encoding/json alone.
func TestAuditLogSurvivesKill(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "audit")
	server := backendtest.Serve(t, backendtest.Tested, "--data", t.TempDir(), "--no-samples", "--no-base", "--audit", folder)
	if status, body := server.Do(t, "PUT", "/Patient/x", `{"resourceType":"Patient","id":"x"}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	type want struct{ event, member, reference string }
	acknowledged := map[string]want{}
	for i := range 100 {
		method, path, body := "GET", "/Patient/x", ""
		expected := want{"read", "read", "Patient/x/_history/1"}
		switch i % 4 {
		case 1:
			path, expected.event = "/Patient?_id=x", "search"
		case 2:
			path, expected.event = "/Patient/x/$everything", "$everything"
		case 3:
			id := fmt.Sprintf("o%d", i)
			method, path = "PUT", "/Observation/"+id
			body = `{"resourceType":"Observation","id":"` + id + `","status":"final","code":{"text":"a"},"subject":{"reference":"Patient/x"}}`
			expected = want{"update", "created", "Observation/" + id + "/_history/1"}
		}
		req, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/fhir+json")
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode > 299 {
			t.Fatalf("%s %s: %d", method, path, answer.StatusCode)
		}
		acknowledged[answer.Header.Get("X-Request-Id")] = expected
	}
	server.Kill()
	if len(acknowledged) != 100 {
		t.Fatalf("%d ids of 100 requests", len(acknowledged))
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var members map[string]any
			if err := json.Unmarshal([]byte(line), &members); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			id, _ := members["request"].(string)
			expected, known := acknowledged[id]
			if !known {
				continue
			}
			delete(acknowledged, id)
			if members["event"] != expected.event || !strings.Contains(fmt.Sprint(members[expected.member]), expected.reference) || fmt.Sprint(members["patients"]) != "[Patient/x]" {
				t.Errorf("want %v of Patient/x: %s", expected, line)
			}
		}
	}
	if len(acknowledged) > 0 {
		t.Errorf("%d acknowledged requests have no line: %v", len(acknowledged), acknowledged)
	}
}

// TestAuditEventsSurviveKill kills a server after 100 acknowledged requests, starts another on the same
// store, and counts their AuditEvents, which it searches by patient and by agent.
func TestAuditEventsSurviveKill(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { auditEventsSurviveKill(t, "--data", t.TempDir()) })
	t.Run("postgres", func(t *testing.T) {
		auditEventsSurviveKill(t, "--data", t.TempDir(), "--store", postgresServer.Schema(t))
	})
}

func auditEventsSurviveKill(t *testing.T, store ...string) {
	args := append(store, "--no-samples", "--no-base", "--audit-events")
	server := backendtest.Serve(t, backendtest.Tested, args...)
	if status, body := server.Do(t, "PUT", "/Patient/x", `{"resourceType":"Patient","id":"x"}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	want := map[string]string{} // request → action and subtype
	for i := range 100 {
		method, path, body, is := "GET", "/Patient/x", "", "R read"
		switch i % 4 {
		case 1:
			path, is = "/Patient?_id=x", "E search-type"
		case 2:
			path, is = "/Patient/x/$everything", "E operation"
		case 3:
			id := fmt.Sprintf("o%d", i)
			method, path, is = "PUT", "/Observation/"+id, "C create"
			body = `{"resourceType":"Observation","id":"` + id + `","status":"final","code":{"text":"a"},"subject":{"reference":"Patient/x"}}`
		}
		id := fmt.Sprintf("kill-%d", i)
		req, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/fhir+json")
		req.Header.Set("X-Request-Id", id)
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode > 299 {
			t.Fatalf("%s %s: %d", method, path, answer.StatusCode)
		}
		want[id] = is
	}
	server.Kill()
	server = backendtest.Serve(t, backendtest.Tested, args...)
	status, body := server.Do(t, "GET", "/AuditEvent?patient=Patient/x&_count=1000", "")
	var page struct {
		Entry []struct {
			Resource struct {
				Action  string
				Subtype []struct{ Code string }
				Entity  []struct {
					What struct{ Identifier struct{ Value string } }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	for _, e := range page.Entry {
		for _, en := range e.Resource.Entity {
			id := en.What.Identifier.Value
			if is := e.Resource.Action + " " + e.Resource.Subtype[0].Code; want[id] == is {
				delete(want, id)
			} else if want[id] != "" {
				t.Errorf("%s: %s, want %s", id, is, want[id])
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("%d acknowledged requests have no event: %v", len(want), want)
	}
}
