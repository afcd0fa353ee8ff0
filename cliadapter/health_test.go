package cliadapter

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHealth: what health prints and its exit code follow from the answer of a server.
func TestHealth(t *testing.T) {
	answers := map[string]struct {
		status int
		body   string
	}{
		"/readyz":    {200, `{"status":"ready"}`},
		"/a/readyz":  {503, `{"status":"not ready","failed":[{"check":"store","problem":"the resource store\ndoes not respond"}]}`},
		"/b/readyz":  {503, `<html>`},
		"/c/readyz":  {404, `{"status":"ready"}`},
		"/d/readyz":  {302, ""},
		"/e/healthz": {200, `{"status":"ok"}`},
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := answers[r.URL.Path]
		w.Header().Set("Location", "/readyz")
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.body))
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(plain.URL, "http://"), ":")
	for _, row := range []struct {
		line string
		env  string
		code int
		want string
	}{
		{plain.URL, "", 0, "ready\n"},
		{"", "127.0.0.1:" + port, 0, "ready\n"},
		{"", ":" + port, 0, "ready\n"},
		{"", "0.0.0.0:" + port, 0, "ready\n"},
		{"", "nonsense", 3, ""},
		{plain.URL + "/a", "", 1, "not ready\nstore: the resource store does not respond\n"},
		{plain.URL + "/a/readyz", "", 1, "not ready\nstore: the resource store does not respond\n"},
		{plain.URL + "/b", "", 1, "503 Service Unavailable\n"},
		{plain.URL + "/c", "", 3, "status 404"},
		{plain.URL + "/d", "", 3, "status 302"},
		{plain.URL + "/e/healthz", "", 0, "ok\n"},
		{secure.URL, "", 3, "certificate"},
		{secure.URL + " --insecure", "", 0, "ready\n"},
		{"127.0.0.1:" + port, "", 2, "write http://HOST:PORT"},
	} {
		code, out, errs := run(t, nil, map[string]string{"ROGET_ADDR": row.env}, strings.Fields("health "+row.line)...)
		if code != row.code || row.code < 2 && out != row.want || !strings.Contains(out+errs, row.want) {
			t.Errorf("health %s (ROGET_ADDR %q): exit code %d, want %d: %s%s", row.line, row.env, code, row.code, out, errs)
		}
	}
	// Without an address, health asks the server that the environment configures.
	for _, row := range []struct {
		env  map[string]string
		code int
		want string
	}{
		{map[string]string{"ROGET_ADDR": secure.Listener.Addr().String()}, 3, "write https://"},
		{map[string]string{"ROGET_ADDR": secure.Listener.Addr().String(), "ROGET_TLS_CERT": "/c.pem"}, 0, "ready\n"},
		{map[string]string{"ROGET_ADDR": "127.0.0.1:1", "ROGET_TLS_CERT": "/c.pem", "ROGET_OPS_ADDR": ":" + port}, 0, "ready\n"},
	} {
		if code, out, errs := run(t, nil, row.env, "health"); code != row.code || !strings.Contains(out+errs, row.want) {
			t.Errorf("health with %v: exit code %d, want %d: %s%s", row.env, code, row.code, out, errs)
		}
	}
}
