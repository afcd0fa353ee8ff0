package resources_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/sharedtest"
)

// benchStores runs a benchmark on each kind of store that needs no server.
func benchStores(b *testing.B, bench func(b *testing.B, service *resources.Service)) {
	b.Run("memory", func(b *testing.B) {
		bench(b, resources.NewService(memory.New(), nil))
	})
	b.Run("sqlite", func(b *testing.B) {
		store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "roget.db"))
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = store.Close() }()
		bench(b, resources.NewService(store, nil))
	})
}

// observations returns the Observations of a Synthea patient, about 1 KB each.
func observations(b *testing.B) [][]byte {
	b.Helper()
	bundle := readBundle(b, sharedtest.Path(b, "data/synthea/ad0b4b7a-2285-7a3c-5fd2-edbe4d67b7e7.json.gz"))
	var all [][]byte
	for _, e := range bundle.Entries {
		if e.URL == "Observation" {
			all = append(all, e.Resource)
		}
	}
	return all
}

func BenchmarkCreate(b *testing.B) {
	documents := observations(b)
	benchStores(b, func(b *testing.B, service *resources.Service) {
		var n atomic.Int64
		b.SetParallelism(8)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				body := documents[int(n.Add(1))%len(documents)]
				if _, err := service.Create(b.Context(), "Observation", body, resources.CreateOptions{}); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

// BenchmarkLoad stores batches of 500 documents. An operation is one document.
func BenchmarkLoad(b *testing.B) {
	documents := observations(b)
	benchStores(b, func(b *testing.B, service *resources.Service) {
		b.ReportAllocs()
		for done := 0; b.Loop(); done++ {
			if done%500 != 0 {
				continue
			}
			items := make([]resources.LoadItem, 500)
			for i := range items {
				items[i] = resources.LoadItem{Body: documents[i%len(documents)], New: true}
			}
			if _, err := service.Load(b.Context(), items); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkConditionalCreate(b *testing.B) {
	benchStores(b, func(b *testing.B, service *resources.Service) {
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			id := fmt.Sprint(n / 2) // every other one is there
			if _, err := service.Create(b.Context(), "Patient", patient("", id, "Bench"), resources.CreateOptions{IfNoneExist: "identifier=" + id}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
