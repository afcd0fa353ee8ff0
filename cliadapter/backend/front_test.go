package backend

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
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
