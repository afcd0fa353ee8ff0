package memory_test

import (
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/storetest"
	"github.com/roget-health/roget/resources"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) resources.Store { return memory.New() })
}

// A store need not keep former versions.
func TestStoreWithoutHistory(t *testing.T) {
	storetest.Run(t, func(*testing.T) resources.Store { return struct{ resources.Store }{memory.New()} })
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(*testing.B) resources.Store { return memory.New() })
}

func BenchmarkIndexed(b *testing.B) {
	storetest.BenchmarkIndexed(b, func(*testing.B) resources.Store { return memory.New() })
}
