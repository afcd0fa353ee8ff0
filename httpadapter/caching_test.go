package httpadapter

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// What depends on who asks must not be stored by shared caches (RFC 9111, sections 3.5 and 5.2.2.7).
func TestCachesOfGuardedServer(t *testing.T) {
	const lookup = "/r4/CodeSystem/$lookup?system=http://t.example/animals&code=dog"
	open := newClient(t)
	closed := newClient(t, guard)
	crossed := newClient(t, guard, func(c *Config) { c.CORSOrigins = []string{"https://app.example"} })
	for _, row := range []struct {
		name, target, authorization string
		c                           *client
		status                      int
		private                     bool
	}{
		{"answer", lookup, "Bearer badge-system/*.rs", closed, 200, true},
		{"answer with CORS", lookup, "Bearer badge-system/*.rs", crossed, 200, true},
		{"no credentials", lookup, "", closed, 401, true},
		{"wrong credentials", lookup, "Bearer badge-expired", closed, 401, true},
		{"missing resource", "/Patient/none", "Bearer badge-system/*.rs", closed, 404, true},
		{"metadata", "/metadata", "Bearer badge-system/*.rs", closed, 200, false},
		{"without authentication", lookup, "", open, 200, false},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			var authorization []string
			if row.authorization != "" {
				authorization = []string{row.authorization}
			}
			w := row.c.guarded(method, row.target, authorization...)
			control := w.Header().Get("Cache-Control")
			vary := strings.Split(strings.Join(w.Header().Values("Vary"), ", "), ", ")
			if w.Code != row.status || (control == "private, no-cache") != row.private || slices.Contains(vary, "Authorization") != row.private {
				t.Errorf("%s, %s: %d, Cache-Control %q, Vary %q", row.name, method, w.Code, control, vary)
			}
			if !slices.Contains(vary, "Accept") && w.Code == 200 || (row.c == crossed) != slices.Contains(vary, "Origin") {
				t.Errorf("%s, %s: Vary %q", row.name, method, vary)
			}
		}
	}
}
