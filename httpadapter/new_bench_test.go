package httpadapter

import (
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

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
