package httpadapter_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
)

// TestSlowReader checks that a client that stops reading is cut off, although the server has no limit
// for writing, and that one that reads slowly gets its answer.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	h, err := httpadapter.New(httpadapter.Config{Engine: engine.New(), Resources: longService(t)})
	if err != nil {
		t.Fatal(err)
	}
	httpadapter.Hurry(h, time.Second/2, 256<<10)
	var running atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.Add(1)
		defer running.Add(-1)
		h.ServeHTTP(w, r)
	}))
	server.Config.ConnState = func(conn net.Conn, s http.ConnState) {
		if tcp, ok := conn.(*net.TCPConn); ok && s == http.StateNew {
			_ = tcp.SetWriteBuffer(16 << 10) // an error only makes the test fail
		}
	}
	server.Start()
	defer server.Close()
	ask := func() net.Conn {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.(*net.TCPConn).SetReadBuffer(16 << 10); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprint(conn, "GET /Observation/o HTTP/1.0\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	stopped, slow := ask(), ask()
	defer func() { _, _ = stopped.Close(), slow.Close() }()
	got, part := 0, make([]byte, 32<<10)
	var last time.Time
	for began := time.Now(); time.Since(began) < 3*time.Second; time.Sleep(50 * time.Millisecond) { // 640 KiB a second, where 256 are enough
		n, err := io.ReadFull(slow, part)
		got, last = got+n, time.Now()
		if err != nil {
			t.Fatalf("the slow client was cut off after %d bytes and %v: %v", got, last.Sub(began), err)
		}
	}
	for until := time.Now().Add(time.Minute); running.Load() > 1 && time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
	}
	if n := running.Load(); n != 1 {
		t.Errorf("%d answers are being sent; the client that stopped was not cut off", n)
	}
	rest, err := io.ReadAll(slow)
	if got += len(rest); err != nil || got < longBytes {
		t.Errorf("the slow client got %d bytes: %v", got, err)
	}
}

// TestUnreadBody checks that half a body is waited for no longer where nobody reads it.
func TestUnreadBody(t *testing.T) {
	t.Parallel()
	h, err := httpadapter.New(httpadapter.Config{Engine: engine.New()})
	if err != nil {
		t.Fatal(err)
	}
	httpadapter.Hurry(h, time.Second/2, 4<<10)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	for _, line := range []string{"GET /metadata", "POST /nothing/here/x", "DELETE /Patient/1", "POST /metadata"} {
		t.Run(strings.Fields(line)[0]+line[len(line)-1:], func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			if _, err := fmt.Fprint(conn, line+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/fhir+json\r\nContent-Length: 100\r\n\r\n{"); err != nil {
				t.Fatal(err)
			}
			if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 ") {
				t.Errorf("%.100q, %v", answer, err)
			}
		})
	}
}

const longBytes = 4 << 20

// longService returns a service with Observation/o of longBytes bytes.
func longService(t *testing.T) *resources.Service {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/store.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	service := resources.NewService(store, nil)
	h, err := httpadapter.New(httpadapter.Config{Engine: engine.New(), Resources: service})
	if err != nil {
		t.Fatal(err)
	}
	note := `,{"text":"` + strings.Repeat("x", longBytes/8) + `"}`
	body := `{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"note":[{"text":"x"}` + strings.Repeat(note, 8) + `]}`
	if w := do(h, http.MethodPut, "/Observation/o", body); w.Code != http.StatusCreated {
		t.Fatalf("%d %.200s", w.Code, w.Body)
	}
	return service
}

// dated records the deadlines that a handler sets for reading.
type dated struct {
	*httptest.ResponseRecorder
	last    time.Time
	longest time.Duration // that was ever left
}

// SetReadDeadline is what http.ResponseController calls.
func (d *dated) SetReadDeadline(t time.Time) error {
	d.last = t
	if !t.IsZero() {
		d.longest = max(d.longest, time.Until(t))
	}
	return nil
}

// TestBodyPace checks that a small body has to arrive within seconds, that a large one gets more time
// as it arrives, and that the connection has no deadline while the response is made.
func TestBodyPace(t *testing.T) {
	h, err := httpadapter.New(httpadapter.Config{Engine: engine.New()})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		size     int
		from, to time.Duration
	}{{100, 5 * time.Second, 11 * time.Second}, {4 << 20, 1000 * time.Second, 3000 * time.Second}} {
		w := &dated{ResponseRecorder: httptest.NewRecorder()}
		body := `{"resourceType":"Parameters","id":"` + strings.Repeat("x", row.size) + `"}`
		r := httptest.NewRequest(http.MethodPost, "/ValueSet/$expand", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/fhir+json")
		h.ServeHTTP(w, r)
		if w.longest < row.from || w.longest > row.to || !w.last.IsZero() {
			t.Errorf("%d bytes: at most %v, at the end %v", row.size, w.longest, w.last)
		}
	}
}

// TestHalfBody checks that the deadline reaches the connection.
func TestHalfBody(t *testing.T) {
	t.Parallel()
	h, err := httpadapter.New(httpadapter.Config{Engine: engine.New()})
	if err != nil {
		t.Fatal(err)
	}
	httpadapter.Hurry(h, time.Second/2, 4<<10)
	server := httptest.NewServer(h)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprint(conn, "POST /ValueSet/$expand HTTP/1.1\r\nHost: x\r\nContent-Type: application/fhir+json\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil { // the limit was 90 s
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408") {
		t.Errorf("%q, %v", answer, err)
	}
}
