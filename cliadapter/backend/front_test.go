package backend

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter"
)

// TestBusyPort requires that a start on a port that is in use leaves no data folder.
func TestBusyPort(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	data := filepath.Join(t.TempDir(), "data")
	err = Backend{}.Serve(t.Context(), cliadapter.ServeOptions{Addr: busy.Addr().String(), Data: data, Logger: slog.New(slog.DiscardHandler)}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "--addr") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("the data folder exists: %v", err)
	}
}

// TestFront requires that the service responds while it starts, and afterwards with its handler.
func TestFront(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	f := startFront(ctx, listener, cliadapter.ServeOptions{Logger: slog.New(slog.DiscardHandler), Drain: time.Second}, nil)
	get := func(path string) (int, string, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return response.StatusCode, response.Header.Get("Retry-After"), string(body)
	}
	for path, want := range map[string]int{"/readyz": 503, "/Patient": 503, "/healthz": 200} {
		if status, wait, body := get(path); status != want || want == 503 && (wait == "" || !strings.Contains(body, "OperationOutcome")) {
			t.Errorf("%s: %d, Retry-After %q, %s", path, status, wait, body)
		}
	}
	f.open(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	if status, _, _ := get("/Patient"); status != http.StatusTeapot {
		t.Errorf("status %d", status)
	}
	cancel()
	if err := f.wait(); err != nil {
		t.Error(err)
	}
}

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

// TestConnectionLimits: the limits leave room for the files of the store, also those that the operator
// asks for, who is then told how to have more.
func TestConnectionLimits(t *testing.T) {
	for _, tt := range []struct {
		asked, askedPerClient int
		files                 uint64
		all, perClient        int
		warns                 bool
	}{
		{0, 0, 0, 4, 4, false},
		{0, 0, 64, 10, 4, false},
		{0, 0, 1024, 250, 62, false},
		{0, 0, 524288, 10_000, 2500, false},
		{0, 0, 1<<64 - 1, 10_000, 2500, false},
		{0, 7, 1024, 250, 7, false},
		{200, 0, 64, 10, 4, true},
		{200, 100, 64, 10, 100, true},
		{10, 0, 64, 10, 4, false},
		{11, 0, 64, 10, 4, true},
		{5, 0, 1, 4, 4, true},
		{250, 0, 1024, 250, 62, false},
		{50_000, 0, 524288, 50_000, 12_500, false},
		{200_000, 0, 524288, 131_066, 32_766, true},
		{1 << 30, 0, 1<<64 - 1, 1 << 30, 1 << 28, false},
	} {
		var log strings.Builder
		all, perClient := connectionLimits(cliadapter.BoundsOptions{Connections: tt.asked, ConnectionsPerClient: tt.askedPerClient}, tt.files, slog.New(slog.NewTextHandler(&log, nil)))
		if all != tt.all || perClient != tt.perClient {
			t.Errorf("--max-connections %d of %d files: %d and %d of one address, want %d and %d", tt.asked, tt.files, all, perClient, tt.all, tt.perClient)
		}
		if warned := strings.Contains(log.String(), "ulimit -n") && strings.Contains(log.String(), "LimitNOFILE"); warned != tt.warns {
			t.Errorf("--max-connections %d of %d files: %q", tt.asked, tt.files, log.String())
		}
	}
}
