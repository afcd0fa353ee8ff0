package storetest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// observation returns a Write of 2 KiB with 15 entries, half of which are common to many
// resources.
func observation(n int) resources.Write {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	body := strings.Repeat("x", 2<<10)
	w := resources.Write{
		Key:    resources.Key{Type: "Observation", ID: fmt.Sprintf("%08x-%04x-%012x", r.Uint32(), r.Uint32()&0xffff, n)},
		Render: text(body),
		Values: make([]byte, 300),
	}
	for k := range 15 {
		entry := append(binary.BigEndian.AppendUint32(nil, uint32(k)), 1)
		value := r.Uint64()
		if k < 8 {
			value %= 500
		}
		w.Entries = append(w.Entries, binary.BigEndian.AppendUint64(entry, value))
	}
	return w
}

// BenchmarkIndexed measures the calls of imports and searches. The store must implement
// resources.Indexed and resources.Transactor. Rates are reported in addition to times.
func BenchmarkIndexed(b *testing.B, open func(b *testing.B) resources.Store) {
	b.Helper()
	b.Run("writes of transactions of 1000", func(b *testing.B) {
		s := open(b)
		defer closing(b, s)
		b.ReportAllocs()
		b.ResetTimer()
		fill(b, s, b.N)
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
	})
	b.Run("writes of 16 callers", func(b *testing.B) {
		s := open(b)
		defer closing(b, s)
		b.ReportAllocs()
		b.ResetTimer()
		var group sync.WaitGroup
		for c := range 16 {
			group.Go(func() {
				for n := c; n < b.N; n += 16 {
					if _, err := s.Write(b.Context(), observation(n)); err != nil {
						b.Error(err)
					}
				}
			})
		}
		group.Wait()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
	})
	const there = 20_000
	keys := make([]resources.Key, there)
	for n := range keys {
		keys[n] = observation(n).Key
	}
	s := open(b)
	defer closing(b, s)
	fill(b, s, there)
	view := func(b *testing.B, fn func(r index.Reader)) {
		err := s.(resources.Indexed).View(b.Context(), func(r index.Reader) error {
			fn(r)
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			if _, err := s.Read(b.Context(), keys[n%there]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("view of nothing", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			view(b, func(index.Reader) {})
		}
	})
	b.Run("scan", func(b *testing.B) {
		b.ReportAllocs()
		var entries int
		for b.Loop() {
			view(b, func(r index.Reader) {
				in := index.Range{From: []byte{0, 0, 0, 3}, To: []byte{0, 0, 0, 5}}
				err := r.Scan(b.Context(), in, func([]byte, index.Seq) bool { entries++; return true })
				if err != nil {
					b.Fatal(err)
				}
			})
		}
		b.ReportMetric(float64(entries)/b.Elapsed().Seconds(), "entries/s")
	})
	var seqs []index.Seq
	view(b, func(r index.Reader) {
		err := r.Scan(b.Context(), index.Range{From: []byte{0, 0, 0, 9}, To: []byte{0, 0, 0, 10}}, func(_ []byte, seq index.Seq) bool {
			seqs = append(seqs, seq)
			return true
		})
		if err != nil {
			b.Fatal(err)
		}
	})
	for _, row := range []struct {
		name  string
		parts index.Parts
	}{{"load 50 values", index.WithValues}, {"load 50 bodies", index.WithBody}} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				view(b, func(r index.Reader) {
					from := n * 50 % (len(seqs) - 50)
					if _, err := r.Load(b.Context(), seqs[from:from+50], row.parts); err != nil {
						b.Fatal(err)
					}
				})
			}
		})
	}
}

// fill writes observations, 1,000 per transaction.
func fill(b *testing.B, s resources.Store, n int) {
	b.Helper()
	for from := 0; from < n; from += 1000 {
		err := s.(resources.Transactor).Transact(b.Context(), func(tx resources.Tx) error {
			var keys []resources.Key
			var writes []resources.Write
			for i := from; i < min(from+1000, n); i++ {
				w := observation(i)
				keys, writes = append(keys, w.Key), append(writes, w)
			}
			if _, err := tx.Find(b.Context(), keys, 0); err != nil {
				return err
			}
			for _, w := range writes {
				if _, err := tx.Write(b.Context(), w); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func closing(b *testing.B, s resources.Store) {
	b.Helper()
	if err := s.Close(); err != nil {
		b.Error(err)
	}
}
