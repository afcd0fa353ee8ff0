package httpadapter

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/julienschmidt/httprouter"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// discard is a ResponseWriter that discards everything, so that the benchmarks measure only the
// handlers.
type discard struct {
	header http.Header
	bytes  int
	status int
}

func (d *discard) Header() http.Header { return d.header }

func (d *discard) WriteHeader(status int) { d.status = status }

func (d *discard) Write(p []byte) (int, error) {
	d.bytes += len(p)
	return len(p), nil
}

// serveLoop sends one request repeatedly.
func serveLoop(b *testing.B, handler http.Handler, target string) {
	b.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, target, nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header = http.Header{"User-Agent": {"bench"}}
	w := &discard{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		w.bytes, w.status = 0, 0
		handler.ServeHTTP(w, r)
	}
	if w.status != 0 && w.status != http.StatusOK {
		b.Fatalf("status %d", w.status)
	}
	b.ReportMetric(float64(w.bytes), "body-B")
}

// BenchmarkFloor measures the minimal cost of a handler behind httprouter.
func BenchmarkFloor(b *testing.B) {
	body := make([]byte, 400)
	router := httprouter.New()
	router.GET("/baseR4/:type/:op", func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		w.Header().Set("Content-Type", "application/fhir+json")
		_, _ = w.Write(body)
	})
	serveLoop(b, router, "http://localhost/baseR4/CodeSystem/$lookup?system=x&code=y")
}

// BenchmarkLookupHandler and its siblings measure the cost of operations behind the same router. The
// difference to BenchmarkFloor is our own cost. Over a socket, both would add the cost of net/http.
func BenchmarkLookupHandler(b *testing.B) {
	serveLoop(b, benchHandler(b), "http://localhost/baseR4/CodeSystem/$lookup?system="+url.QueryEscape(benchSystem)+"&code=c4711")
}

func BenchmarkSubsumesHandler(b *testing.B) {
	serveLoop(b, benchHandler(b), "http://localhost/baseR4/CodeSystem/$subsumes?system="+url.QueryEscape(benchSystem)+"&codeA=c1&codeB=c4711")
}

func BenchmarkValidateCodeHandler(b *testing.B) {
	serveLoop(b, benchHandler(b), "http://localhost/baseR4/ValueSet/$validate-code?url="+url.QueryEscape(benchSystem+"?fhir_vs=isa/c1")+
		"&system="+url.QueryEscape(benchSystem)+"&code=c4711")
}

func BenchmarkLookupHandlerWithMetrics(b *testing.B) {
	serveLoop(b, benchHandler(b, func(c *Config) { c.Metrics = true }), "http://localhost/CodeSystem/$lookup?system="+url.QueryEscape(benchSystem)+"&code=c4711")
}

const benchSystem = "http://bench.example/system"

func benchHandler(b *testing.B, change ...func(*Config)) http.Handler {
	b.Helper()
	builder := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{
		ResourceType: "CodeSystem", ID: "bench", URL: benchSystem, Version: "1", Name: "Bench", Status: "active",
	}, Content: "complete"})
	for i := range 10_000 {
		c := codesystem.Concept{Code: fmt.Sprintf("c%d", i), Display: fmt.Sprintf("Concept number %d", i), Parent: (i - 1) / 8}
		if i == 0 {
			c.Parent = -1
		}
		if _, err := builder.Add(&c); err != nil {
			b.Fatal(err)
		}
	}
	x, err := builder.Build(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	eng := engine.New()
	if err := eng.Publish(engine.CodeSystemEntry(x, "bench")); err != nil {
		b.Fatal(err)
	}
	config := Config{Engine: eng}
	for _, f := range change {
		f(&config)
	}
	handler, err := New(config)
	if err != nil {
		b.Fatal(err)
	}
	return handler
}
