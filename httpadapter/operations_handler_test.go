package httpadapter

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
)

// TestOperationsHandler: metrics and health are served there and profiles only to this machine; with
// MetricsApart the handler for clients has neither metrics nor profiles.
func TestOperationsHandler(t *testing.T) {
	h, err := New(Config{Engine: engine.New(), Metrics: true, MetricsApart: true, Figures: []Figure{
		{Name: "roget_test_total", Help: "A test.", Counter: true, Label: "kind", Read: func(emit func(float64, string)) { emit(1, "a"); emit(2, "b") }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	operations := h.OperationsHandler()
	ask := func(handler http.Handler, path, host, from string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host, r.RemoteAddr = host, from
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	const here, there = "127.0.0.1:5000", "192.0.2.1:5000"
	for _, row := range []struct {
		path, host, from string
		operations, own  int
	}{
		{"/metrics", "ops:9090", there, 200, 404},
		{"/healthz", "ops:9090", there, 200, 200},
		{"/readyz", "ops:9090", there, 200, 200},
		{"/metadata", "ops:9090", there, 404, 200},
		{"/debug/pprof/", "localhost:9090", here, 200, 404},
		{"/debug/pprof/heap", "127.0.0.1:9090", here, 200, 404},
		{"/debug/pprof/goroutine?debug=1", "[::1]:9090", "[::1]:5000", 200, 404},
		{"/debug/pprof/cmdline", "localhost", here, 404, 404}, // may hold secrets
		{"/debug/pprof/heap", "localhost:9090", there, 403, 404},
		{"/debug/pprof/heap", "attacker.example:9090", here, 403, 404},
		{"/debug/pprof/heap", "localhost:9090", "@", 403, 404},
	} {
		if got := ask(operations, row.path, row.host, row.from); got.Code != row.operations {
			t.Errorf("operations: %+v: %d %.100s", row, got.Code, got.Body)
		}
		if got := ask(h, row.path, row.host, row.from); got.Code != row.own {
			t.Errorf("clients: %+v: %d %.100s", row, got.Code, got.Body)
		}
	}
	if body := ask(operations, "/metrics", "x", here).Body.String(); !strings.Contains(body, "# TYPE roget_test_total counter\nroget_test_total{kind=\"a\"} 1\nroget_test_total{kind=\"b\"} 2\n") {
		t.Error(body)
	}
	if w := ask(h.OperationsHandler(), "/metrics", "x", here); w.Header().Get("Content-Type") == "" {
		t.Error(w.Header())
	}
}

// TestOperationsHandlerHosts: with Config.OperationsHosts, pages at other names read nothing there.
func TestOperationsHandlerHosts(t *testing.T) {
	hosts := LoopbackHosts()
	h, err := New(Config{Engine: engine.New(), Metrics: true, MetricsApart: true, OperationsHosts: &hosts, BaseURL: "https://tx.example"})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/metrics", "/readyz", "/healthz", "/debug/pprof/"} {
		for host, want := range map[string]int{
			"localhost:9090": http.StatusOK, "127.0.0.1:9090": http.StatusOK,
			"evil.example:9090": http.StatusMisdirectedRequest, "127.0.0.1.evil.example": http.StatusMisdirectedRequest,
		} {
			r := httptest.NewRequest(http.MethodGet, "http://"+host+path, nil)
			r.RemoteAddr = "127.0.0.1:5000"
			w := httptest.NewRecorder()
			h.OperationsHandler().ServeHTTP(w, r)
			if w.Code != want || want != http.StatusOK && strings.Contains(w.Body.String(), "roget_") {
				t.Errorf("%s at %s: %d, want %d: %.200s", path, host, w.Code, want, w.Body)
			}
		}
	}
	w := httptest.NewRecorder()
	if h.OperationsHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://tx.example/metrics", nil)); w.Code != http.StatusOK {
		t.Errorf("at the host of the public URL: %d %s", w.Code, w.Body)
	}
}

// TestTraceIn: only a valid header names a trace. W3C Trace Context, sections 3.2 and 4.3.
func TestTraceIn(t *testing.T) {
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	for header, want := range map[string]string{
		"00-" + id + "-00f067aa0ba902b7-01":                        id,
		"00-" + id + "-00f067aa0ba902b7-00":                        id,
		"cc-" + id + "-00f067aa0ba902b7-01-later":                  id,
		"00-" + id + "-00f067aa0ba902b7-01-extra":                  "",
		"ff-" + id + "-00f067aa0ba902b7-01":                        "",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01":  "",
		"00-" + id + "-0000000000000000-01":                        "",
		"00-" + strings.ToUpper(id) + "-00f067aa0ba902b7-01":       "",
		"00-" + id + "-00f067aa0ba902b7":                           "",
		"":                                                         "",
		"00-4bf92f3577b34da6a3ce929d0e0e473\n-00f067aa0ba902b7-01": "",
	} {
		if got := new(Handler).traceID(&http.Request{Header: http.Header{"Traceparent": {header}}}); got != want {
			t.Errorf("%q: %q", header, got)
		}
	}
}
