package httpadapter

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// listen serves a handler for the duration of a test.
func listen(t testing.TB, handler http.Handler) (base string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, listener, handler, ServeOptions{}) }()
	t.Cleanup(func() {
		cancel()
		http.DefaultClient.CloseIdleConnections()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return "http://" + listener.Addr().String()
}

// TestGracefulShutdown stops a server during a request. The request is completed, and new connections
// are refused.
func TestGracefulShutdown(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		_, _ = io.WriteString(w, "done")
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, listener, slow, ServeOptions{}) }()
	answered := make(chan string, 1)
	go func() {
		r, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			answered <- err.Error()
			return
		}
		defer r.Body.Close()
		body, _ := io.ReadAll(r.Body)
		answered <- string(body)
	}()
	<-entered
	stop()
	for { // until the listener is closed
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			break
		}
		conn.Close()
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-served:
		t.Fatalf("Serve returned while a request ran: %v", err)
	default:
	}
	close(leave)
	if got := <-answered; got != "done" {
		t.Errorf("the request that ran got %q", got)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestDrainTimeout checks that a request that does not end does not prevent the shutdown.
func TestDrainTimeout(t *testing.T) {
	entered := make(chan struct{})
	stuck := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done() // until the connection is closed
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, listener, stuck, ServeOptions{DrainTimeout: time.Millisecond}) }()
	go func() {
		if r, err := http.Get("http://" + listener.Addr().String()); err == nil {
			r.Body.Close()
		}
	}()
	<-entered
	stop()
	if err := <-served; err == nil {
		t.Error("no error")
	}
}
