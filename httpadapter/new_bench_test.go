package httpadapter

import (
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// BenchmarkNew makes the handler of a server with all types: what a start costs.
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

// BenchmarkCapabilityStatement makes the statement anew, as the first request for it does.
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
