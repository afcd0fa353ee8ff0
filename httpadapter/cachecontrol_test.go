package httpadapter

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
)

// startCache starts a cache with documents as HL7's clients do, with the mode in the query, and
// returns its id.
func (c *client) startCache(t *testing.T, prefix, parameters string, documents ...string) string {
	t.Helper()
	answer := c.do("POST", prefix+"/$cache-control?mode=start", withResources(parameters, documents...)).want(t, 200)
	list, _ := answer["parameter"].([]any)
	if len(list) == 0 {
		t.Fatal(answer)
	}
	first, _ := list[0].(map[string]any)
	id, _ := first["valueId"].(string)
	if first["name"] != "cache-id" || len(id) < 20 {
		t.Fatal(answer)
	}
	return id
}

// TestCacheControl uses a cache at each base by GET and by POST, and at another base.
func TestCacheControl(t *testing.T) {
	c := newClient(t)
	for i, prefix := range paths() {
		id := c.startCache(t, prefix, `{"name":"sealed","valueBoolean":true}`, planets, ofR5)
		url := `{"name":"url","valueUri":"http://t.example/vs/planets"}`
		for _, r := range []response{
			c.do("POST", prefix+"/ValueSet/$expand", withResources(url), headerCacheID, id),
			c.do("POST", prefix+"/ValueSet/$expand", withResources(url+`,{"name":"cache-id","valueId":"`+id+`"}`)),
			c.get(prefix+"/ValueSet/$expand?url=http://t.example/vs/planets", headerCacheID, id),
			c.get(prefix + "/ValueSet/$expand?url=http://t.example/vs/planets&cache-id=" + id),
			c.do("POST", prefix+"/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"ValueSet/$expand?url=http://t.example/vs/planets"}}]}`, headerCacheID, id),
		} {
			if r.status != 200 || !strings.Contains(r.body, `"code":"mars"`) {
				t.Errorf("%d %s", r.status, r.body)
			}
		}
		expand := "/ValueSet/$expand?url=http://t.example/vs/planets"
		for _, r := range []response{
			c.get(prefix+expand, headerCacheID, strings.ToLower(id)),
			c.get(prefix + expand + "&cache-id=mine"),
			c.get(paths()[(i+1)%len(paths())]+expand, headerCacheID, id),
			c.do("POST", prefix+"/$versions", withResources(""), headerCacheID, "mine"),
		} {
			if r.status != 404 || !strings.Contains(r.body, `"code":"cache-id-unknown"`) || strings.Contains(r.body, id) {
				t.Errorf("%d %s", r.status, r.body)
			}
		}
		if r := c.get(prefix + expand); r.status != 404 || strings.Contains(r.body, "cache-id") {
			t.Errorf("without the id: %d %s", r.status, r.body)
		}
		if r := c.get(prefix+"/$cache-control?mode=check", headerCacheID, id); r.status != 200 || !strings.Contains(r.body, `{"name":"resource-count","valueUnsignedInt":2}`) {
			t.Errorf("%d %s", r.status, r.body)
		}
		if r := c.do("POST", prefix+"/$cache-control?mode=end", withResources(""), headerCacheID, id); r.status != 200 {
			t.Errorf("%d %s", r.status, r.body)
		}
		if r := c.get(prefix+"/$cache-control?mode=check", headerCacheID, id); r.status != 200 || !strings.Contains(r.body, `{"name":"valid","valueBoolean":false}`) {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
}

// TestCacheControlDeclared checks how clients find out about caches: the newer ones by the operation,
// the older ones by a parameter of $expand that is not to be listed.
func TestCacheControlDeclared(t *testing.T) {
	c := newClient(t)
	for _, prefix := range paths() {
		if r := c.get(prefix + "/metadata"); !strings.Contains(r.body, `{"name":"cache-control","definition":"http://hl7.org/fhir/tools/OperationDefinition/cache-control"`) {
			t.Errorf("%s: %s", prefix, r.body)
		}
		if r := c.get(prefix + "/metadata?mode=terminology"); strings.Contains(r.body, "cache-id") || !strings.Contains(r.body, "tx-resource") {
			t.Errorf("%s: %s", prefix, r.body)
		}
	}
	if r := c.get("/OperationDefinition/cache-control"); r.status != 200 || !strings.Contains(r.body, `"affectsState":true`) {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// TestCacheControlLimits checks the answers to clients that want too much.
func TestCacheControlLimits(t *testing.T) {
	c := newClient(t, func(config *Config) { config.Limits.Overlays = engine.OverlayLimits{MaxRemembered: 1} })
	id := c.startCache(t, "", "")
	r := c.do("POST", "/$cache-control?mode=start", withResources(""))
	if r.status != 503 || r.header.Get("Retry-After") == "" || !strings.Contains(r.body, `"code":"throttled"`) {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
	if r := c.get("/$cache-control?mode=check", headerCacheID, id); !strings.Contains(r.body, `{"name":"valid","valueBoolean":true}`) {
		t.Errorf("the first one: %s", r.body)
	}
	for _, path := range []string{"/$cache-control", "/$cache-control?mode=stop", "/$cache-control?mode=end"} {
		if r := c.do("POST", path, withResources("")); r.status != 400 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	twice := httptest.NewRequest(http.MethodGet, "/ValueSet/$expand?url=http://t.example/vs/pets", nil)
	twice.Header[headerCacheID] = []string{id, id}
	if r := serve(c.handler, twice); r.status != 400 || !strings.Contains(r.body, "cache-id-duplicate") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// TestCacheIDIsNotLogged looks for the id of a cache in the log of everything.
func TestCacheIDIsNotLogged(t *testing.T) {
	var log bytes.Buffer
	c := newClient(t, func(config *Config) {
		config.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	id := c.startCache(t, "", `{"name":"sealed","valueBoolean":false}`, planets)
	c.get("/$cache-control?mode=check", headerCacheID, id)
	for _, name := range []string{"cache-id", "cache%2Did", "%63ache-%69d", "%63%61%63%68%65%2d%69%64", "x=1&cache-id"} {
		if r := c.get("/CodeSystem/$lookup?system=http://t.example/planets&code=mars&" + name + "=" + id); !strings.HasPrefix(name, "x=") && r.status != http.StatusOK {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	c.get("/CodeSystem/$lookup?cache-id=" + id + "&system=http://t.example/planets&code=venus")
	if !strings.Contains(log.String(), "code=mars") || strings.Contains(log.String(), id) {
		t.Errorf("%s", log.String())
	}
}

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
