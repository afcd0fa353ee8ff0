package httpadapter

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// BenchmarkReadHandler reads a resource by id from memory. BenchmarkSearchHandler finds twenty. Compare
// them with BenchmarkFloor.
func BenchmarkReadHandler(b *testing.B) {
	c := clinic(b)
	serveLoop(b, c.handler, "http://localhost/baseR4/Observation/pulse")
}

func BenchmarkReadHandlerNotModified(b *testing.B) {
	c := clinic(b)
	b.ReportAllocs()
	for b.Loop() {
		if r := c.get("/baseR4/Observation/pulse", "If-None-Match", `W/"1"`); r.status != 304 {
			b.Fatal(r.status)
		}
	}
}

func BenchmarkSearchHandler(b *testing.B) {
	c := clinic(b)
	for i := range 20 {
		id := fmt.Sprintf("o%d", i)
		c.do("PUT", "/Observation/"+id, strings.Replace(pulse, "pulse", id, 1)).want(b, 201)
	}
	serveLoop(b, c.handler, "http://localhost/baseR4/Observation?code=8867-4&subject=Patient/peter&_count=20")
}

// BenchmarkNew measures New for a server with all types.
func BenchmarkNew(b *testing.B) {
	eng := engine.New()
	service := resources.NewService(memory.New(), eng)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(Config{Engine: eng, Resources: service}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCapabilityStatement measures a request that is not served from the cache.
func BenchmarkCapabilityStatement(b *testing.B) {
	c := newClient(b)
	h := c.handler.(*Handler)
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		h.metadata.statements = nil
		size = len(c.get("/metadata").body)
	}
	b.ReportMetric(float64(size), "body-B")
}

// connected is a discard with a connection, whose deadlines it takes.
type connected struct{ discard }

func (*connected) SetReadDeadline(time.Time) error  { return nil }
func (*connected) SetWriteDeadline(time.Time) error { return nil }

// BenchmarkPostedLookupHandler measures a small body.
func BenchmarkPostedLookupHandler(b *testing.B) {
	handler := benchHandler(b)
	body := `{"resourceType":"Parameters","parameter":[{"name":"system","valueUri":"` + benchSystem + `"},{"name":"code","valueCode":"c4711"}]}`
	text := strings.NewReader(body)
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://localhost/CodeSystem/$lookup", io.NopCloser(text))
	if err != nil {
		b.Fatal(err)
	}
	r.ContentLength = int64(len(body))
	r.Header = http.Header{"Content-Type": {"application/fhir+json"}}
	w := &connected{discard{header: http.Header{}}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		w.status = 0
		text.Reset(body)
		handler.ServeHTTP(w, r)
	}
	if w.status != 0 && w.status != http.StatusOK {
		b.Fatalf("status %d", w.status)
	}
}
