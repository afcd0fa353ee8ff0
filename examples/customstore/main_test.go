package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/storetest"
	"github.com/roget-health/roget/resources"
)

// The store keeps the contract of all stores.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) resources.Store {
		return open(t, filepath.Join(t.TempDir(), "journal"))
	})
	storetest.RunDurable(t, func(t *testing.T) func() resources.Store {
		path := filepath.Join(t.TempDir(), "journal")
		return func() resources.Store { return open(t, path) }
	})
}

func open(t *testing.T, path string) *Store {
	t.Helper()
	store, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// client sends requests to a server on a store.
type client struct {
	t      *testing.T
	server *httptest.Server
}

func serve(t *testing.T, store resources.Store) *client {
	t.Helper()
	h, err := handler(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &client{t, server}
}

// send returns the status and body of an answer.
func (c *client) send(method, path, body string) (int, string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.server.URL+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/fhir+json")
	answer, err := c.server.Client().Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func (c *client) expect(method, path, body string, status int, contains ...string) {
	c.t.Helper()
	got, text := c.send(method, path, body)
	if got != status {
		c.t.Fatalf("%s %s: status %d, want %d: %s", method, path, got, status, text)
	}
	for _, want := range contains {
		if !strings.Contains(text, want) {
			c.t.Errorf("%s %s has no %s: %s", method, path, want, text)
		}
	}
}

const findings = `{"resourceType": "CodeSystem", "id": "findings", "url": "http://example.org/findings", "status": "active",
	"content": "complete", "hierarchyMeaning": "is-a", "concept": [{"code": "infection", "concept": [{"code": "cholera"}]}]}`

// searches are sent with each answer's number of matches.
func searches(c *client) {
	c.t.Helper()
	for query, total := range map[string]int{
		"Patient?name=mei":                                                          1,
		"Patient?birthdate=lt1990&_sort=birthdate":                                  1,
		"Patient?name=schulz":                                                       0,
		"Condition?patient.name=meier":                                              1,
		"Condition?code:below=http://example.org/findings%7Cinfection":              1,
		"Patient?_has:Condition:subject:code=http://example.org/findings%7Ccholera": 1,
	} {
		c.expect("GET", "/"+query+"&_total=accurate", "", 200, fmt.Sprintf(`"total":%d`, total))
	}
}

// A server on the store writes, searches and keeps both over a restart.
func TestHTTP(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	store := open(t, path)
	c := serve(t, store)
	c.expect("PUT", "/Patient/anna", `{"resourceType": "Patient", "id": "anna", "name": [{"family": "Schulz"}], "birthDate": "1980-02-29"}`, 201)
	c.expect("PUT", "/Patient/anna", `{"resourceType": "Patient", "id": "anna", "name": [{"family": "Meier"}], "birthDate": "1980-02-29"}`, 200)
	c.expect("PUT", "/CodeSystem/findings", findings, 201)
	c.expect("POST", "/", `{"resourceType": "Bundle", "type": "transaction", "entry": [{"request": {"method": "POST", "url": "Condition"},
		"resource": {"resourceType": "Condition", "subject": {"reference": "Patient?name=meier"},
			"code": {"coding": [{"system": "http://example.org/findings", "code": "cholera"}]}}}]}`, 200, "201")
	c.expect("GET", "/Patient/anna/_history/1", "", 200, "Schulz")
	searches(c)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	c = serve(t, open(t, path))
	c.expect("GET", "/Patient/anna", "", 200, `"versionId":"2"`, "Meier")
	c.expect("GET", "/CodeSystem/$subsumes?system=http://example.org/findings&codeA=infection&codeB=cholera", "", 200, "subsumes")
	searches(c)
}

// A line that was not written to its end was never acknowledged.
func TestTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	store := open(t, path)
	c := serve(t, store)
	c.expect("PUT", "/Patient/anna", `{"resourceType": "Patient", "id": "anna"}`, 201)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	torn := bytes.ReplaceAll(whole, []byte("anna"), []byte("otto"))
	if err := os.WriteFile(path, append(whole, torn[:len(torn)-1]...), 0o600); err != nil {
		t.Fatal(err)
	}
	c = serve(t, open(t, path))
	c.expect("GET", "/Patient/anna", "", 200)
	c.expect("GET", "/Patient/otto", "", 404)
	c.expect("PUT", "/Patient/otto", `{"resourceType": "Patient", "id": "otto"}`, 201)
}
