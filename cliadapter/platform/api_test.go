package platform_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// roget api sends any request with the credentials of the profile.
// Rows of docs/platform.md: T3.4.
func TestAPI(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for _, path := range []string{"me", "/api/me", "api/me"} {
			var me struct{ Username string }
			out := p.must(t, "api", "GET", path, "--query", "fields=username")
			if err := json.Unmarshal([]byte(out), &me); err != nil || me.Username != platformtest.Username {
				t.Errorf("%s: %s %v", path, out, err)
			}
		}
		out := p.must(t, "api", "get", "/api/dataElements?fields=id", "-q", "pageSize=1", "-q", "filter=id:eq:Del00000001")
		query, _ := p.last("/api/dataElements")
		if !strings.Contains(out, "Del00000001") || query.Get("fields") != "id" || query.Get("pageSize") != "1" {
			t.Errorf("%v: %s", query, out)
		}
		p.input = `{"a": [1, 2]}`
		p.must(t, "api", "POST", "dataStore/api/key", "--input", "-")
		if got := string(p.Value("", "api", "key")); got != `{"a": [1, 2]}` {
			t.Errorf("stored %s", got)
		}
		p.must(t, "api", "PUT", "dataStore/api/key", "--input", writtenFile(t, t.TempDir(), "v.json", "7"))
		if got := string(p.Value("", "api", "key")); got != "7" {
			t.Errorf("stored %s", got)
		}
		if out := p.must(t, "api", "GET", "dataStore/api/key", "--include"); !strings.HasPrefix(out, "HTTP 200 OK\n") || !strings.HasSuffix(out, "\n\n7") {
			t.Errorf("with headers: %q", out)
		}
		code, out, errs := p.run(t, "api", "GET", "dataStore/none/key")
		if code != 1 || !json.Valid([]byte(out)) || !strings.Contains(errs, "api: GET /api/dataStore/none/key: the status is 404 Not Found") {
			t.Errorf("404: %d %s%s", code, out, errs)
		}
		before := len(p.Requests())
		for _, line := range []string{"api GET", "api FETCH me", "api GET https://other.example/api/me", "api GET //other.example/me", "api GET me --input x", "api GET me -q x", "api GET me?a=%zz", "api GET me#x"} {
			p.fails(t, 2, strings.Fields(line)...)
		}
		for _, line := range []string{"api GET /api/../me", "api POST me --input none.json"} {
			p.fails(t, 1, strings.Fields(line)...)
		}
		for _, r := range p.Requests()[before:] {
			if strings.HasPrefix(r.Path, "/api/") && r.Path != "/api/system/info" {
				t.Errorf("sent %s %s", r.Method, r.Path)
			}
		}
	})
}
