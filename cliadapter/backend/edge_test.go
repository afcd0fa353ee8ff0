package backend

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter"
)

func TestAcceptedHosts(t *testing.T) {
	for _, tt := range []struct {
		addr, name string
		accepts    map[string]bool
	}{
		{"127.0.0.1:8080", "", map[string]bool{"localhost:8080": true, "127.0.0.1:8080": true, "[::1]:8080": true, "10.0.0.1:8080": false, "roget:8080": false, "tx.example": false}},
		{"localhost:8080", "tx.example", map[string]bool{"localhost": true, "tx.example": true, "a.example": false}},
		{"127.0.0.2:8080", "", map[string]bool{"127.0.0.2:8080": true, "127.0.0.3:8080": false}},
		{":8080", "", map[string]bool{"10.0.0.1:8080": true, "roget:8080": true, "tx.example": false}},
		{"0.0.0.0:8080", "", map[string]bool{"10.0.0.1:8080": true, "roget:8080": true, "tx.example": false}},
		{"192.0.2.1:8080", "tx.example", map[string]bool{"192.0.2.1": true, "localhost": true, "tx.example": true, "192.0.2.2": false, "roget": false}},
		{":8080", "*", map[string]bool{"tx.example": true, "10.0.0.1": true}},
	} {
		o := cliadapter.ServeOptions{Addr: tt.addr}
		if tt.name != "" {
			o.Edge.Hosts = []string{tt.name}
		}
		for host, want := range tt.accepts {
			if got := acceptedHosts(&o).Accept(host); got != want {
				t.Errorf("--addr %s --host %q: %s is accepted: %v", tt.addr, tt.name, host, got)
			}
		}
	}
}

// TestOperationsHosts: the listener for operations answers to addresses and private names, whatever
// the names of the service, and to no other name.
func TestOperationsHosts(t *testing.T) {
	for _, tt := range []struct {
		addr    string
		names   []string
		accepts map[string]bool
	}{
		{"127.0.0.1:9090", nil, map[string]bool{"localhost:9090": true, "127.0.0.1:9090": true, "tx.example:9090": false, "roget:9090": false}},
		{":9090", nil, map[string]bool{"10.0.0.1:9090": true, "roget:9090": true, "localhost": true, "evil.example:9090": false}},
		{"10.0.0.1:9090", []string{"tx.example"}, map[string]bool{"10.0.0.1:9090": true, "tx.example": true, "roget": true, "evil.example": false}},
	} {
		o := cliadapter.ServeOptions{Addr: "127.0.0.1:8080", Edge: cliadapter.EdgeOptions{Hosts: tt.names}, Operations: cliadapter.OperationsOptions{Addr: tt.addr}}
		for host, want := range tt.accepts {
			if got := operationsHosts(&o).Accept(host); got != want {
				t.Errorf("--ops-addr %s --host %q: %s is accepted: %v", tt.addr, tt.names, host, got)
			}
		}
	}
	if hosts := operationsHosts(&cliadapter.ServeOptions{Addr: ":8080"}); hosts != nil {
		t.Errorf("without --ops-addr: %v", hosts)
	}
}

// TestOperationsRebinding sends to the handler for operations of a service what the browser of a page
// at a rebound name sends.
func TestOperationsRebinding(t *testing.T) {
	svc := operated(t, cliadapter.ServeOptions{})
	for _, path := range []string{"/metrics", "/readyz", "/healthz", "/debug/pprof/", "/nothing"} {
		r := httptest.NewRequest(http.MethodGet, "http://evil.example:9090"+path, nil)
		r.RemoteAddr = "127.0.0.1:5000"
		w := httptest.NewRecorder()
		svc.handler.OperationsHandler().ServeHTTP(w, r)
		if w.Code != http.StatusMisdirectedRequest || !strings.Contains(w.Body.String(), "--host NAME") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestCheckEdge(t *testing.T) {
	for name, o := range map[string]cliadapter.ServeOptions{
		"addr":     {Addr: "8080"},
		"base-url": {Addr: ":0", Edge: cliadapter.EdgeOptions{BaseURL: "tx.example"}},
		"host":     {Addr: ":0", Edge: cliadapter.EdgeOptions{Hosts: []string{"tx.example:80"}}},
		"origin":   {Addr: ":0", CORSOrigins: []string{"foo"}},
	} {
		if err := checkEdge(&o); err == nil {
			t.Errorf("%s: %+v is accepted", name, o)
		}
	}
	o := cliadapter.ServeOptions{Addr: ":0", CORSOrigins: []string{"https://a.example"}, Edge: cliadapter.EdgeOptions{BaseURL: "https://tx.example/fhir", Hosts: []string{"*.example"}}}
	if err := checkEdge(&o); err != nil {
		t.Error(err)
	}
}
