package httpadapter

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

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
