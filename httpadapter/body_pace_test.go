package httpadapter_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
)

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
