package memory_test

import (
	"errors"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/storetest"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) resources.Store { return memory.New() })
}

// A store need not keep former versions.
func TestStoreWithoutHistory(t *testing.T) {
	storetest.Run(t, func(*testing.T) resources.Store { return struct{ resources.Store }{memory.New()} })
}

// TestClosedInside: whatever a transaction does after its store was closed says so.
func TestClosedInside(t *testing.T) {
	ctx := t.Context()
	write := func(id string) resources.Write {
		return resources.Write{Key: resources.Key{Type: "CodeSystem", ID: id}, Render: func(int64, time.Time) ([]byte, error) { return nil, nil }}
	}
	for name, call := range map[string]func(tx resources.Tx) error{
		"Write": func(tx resources.Tx) error { _, err := tx.Write(ctx, write("b")); return err },
		"Scan": func(tx resources.Tx) error {
			return tx.Scan(ctx, index.Range{}, func([]byte, index.Seq) bool { return true })
		},
		"Load":     func(tx resources.Tx) error { _, err := tx.Load(ctx, []index.Seq{1}, 0); return err },
		"Find":     func(tx resources.Tx) error { _, err := tx.Find(ctx, []resources.Key{write("a").Key}, 0); return err },
		"Versions": func(tx resources.Tx) error { _, err := tx.Versions(ctx, index.VersionsRequest{}); return err },
		"nothing":  func(resources.Tx) error { return nil },
		"failure":  func(resources.Tx) error { return resources.ErrClosed },
	} {
		store := memory.New()
		var inner error
		err := store.Transact(ctx, func(tx resources.Tx) error {
			if _, err := tx.Write(ctx, write("a")); err != nil {
				return err
			}
			_ = store.Close()
			inner = call(tx)
			return inner
		})
		if !errors.Is(err, resources.ErrClosed) || name != "nothing" && !errors.Is(inner, resources.ErrClosed) {
			t.Errorf("%s: %v, %v", name, inner, err)
		}
	}
	store := memory.New()
	w := write("a")
	w.Render = func(int64, time.Time) ([]byte, error) { return nil, store.Close() }
	if _, err := store.Write(ctx, w); !errors.Is(err, resources.ErrClosed) {
		t.Errorf("closed while it renders: %v", err)
	}
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(*testing.B) resources.Store { return memory.New() })
}

func BenchmarkIndexed(b *testing.B) {
	storetest.BenchmarkIndexed(b, func(*testing.B) resources.Store { return memory.New() })
}
