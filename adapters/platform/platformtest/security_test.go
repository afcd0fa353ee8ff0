package platformtest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// read requests a path as a user of a personal token and returns the body.
func read(t *testing.T, p *Platform, token, path string) (int, string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "ApiToken "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}

// TestWorld: a world replaces initial objects.
func TestWorld(t *testing.T) {
	w := &World{Empty: []string{"users", "routes"}, PATs: map[string]string{"mine": "eve"}, Schemas: []Object{{"name": "sqlView"}}, DataShareable: []string{"program"}}
	p := New(t, Options{World: w, Objects: map[string][]Object{"users": {{"id": "Usr00000050", "username": "eve", "userRoles": refs(RoleID)}}}})
	for path, want := range map[string]string{
		"/api/users?fields=username&paging=false": `{"users":[{"username":"eve"}]}`, "/api/routes?paging=false": `{"routes":[]}`, "/api/apps": "[]", "/api/appHub": "[]",
		"/api/configuration/selfRegistrationRole": "",
	} {
		if status, body, err := read(t, p, "mine", path); status != http.StatusOK || body != want || err != nil {
			t.Errorf("%s: %d %s %v", path, status, body, err)
		}
	}
	_, schemas, _ := read(t, p, "mine", "/api/schemas?fields=name,dataShareable")
	if !strings.Contains(schemas, `{"dataShareable":true,"name":"program"}`) || !strings.Contains(schemas, `"name":"sqlView"`) {
		t.Error(schemas)
	}
	if status, _, _ := read(t, p, PAT, "/api/me"); status != http.StatusUnauthorized {
		t.Errorf("a user who is gone logs in: %d", status)
	}
}

// TestCut: a body that ends in the middle is an error of the reader.
func TestCut(t *testing.T) {
	p := New(t, Options{Faults: map[string]Fault{"/api/me": {Cut: true, Body: `{"id":"x"}`}}})
	if status, body, err := read(t, p, PAT, "/api/me"); status != http.StatusOK || body != `{"id"` || err == nil {
		t.Error(status, body, err)
	}
}
