package storetest

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/roget-health/roget/resources"
)

// Benchmark measures the common calls of a store with documents of 4 KiB.
func Benchmark(b *testing.B, open func(b *testing.B) resources.Store) {
	b.Helper()
	body := `{"resourceType":"CodeSystem","description":"` + strings.Repeat("x", 4<<10) + `"}`
	put := func(b *testing.B, s resources.Store, id string) {
		if _, err := s.Write(b.Context(), resources.Write{Key: code(id), Render: text(body)}); err != nil {
			b.Error(err)
		}
	}
	fresh := func(b *testing.B) resources.Store {
		s := open(b)
		b.Cleanup(func() { _ = s.Close() })
		b.ReportAllocs()
		b.ResetTimer()
		return s
	}
	b.Run("create", func(b *testing.B) {
		s := fresh(b)
		for n := 0; b.Loop(); n++ {
			put(b, s, fmt.Sprintf("r%09d", n))
		}
	})
	b.Run("create in parallel", func(b *testing.B) {
		s := fresh(b)
		var n atomic.Int64
		b.SetParallelism(4)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				put(b, s, fmt.Sprintf("r%09d", n.Add(1)))
			}
		})
	})
	b.Run("update", func(b *testing.B) {
		s := fresh(b)
		for b.Loop() {
			put(b, s, "a")
		}
	})
	b.Run("read", func(b *testing.B) {
		s := fresh(b)
		put(b, s, "a")
		for b.Loop() {
			if _, err := s.Read(b.Context(), code("a")); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("each of 1000", func(b *testing.B) {
		s := fresh(b)
		for n := range 1000 {
			put(b, s, fmt.Sprintf("r%09d", n))
		}
		for b.Loop() {
			if err := s.Each(b.Context(), "CodeSystem", func(resources.Version) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
