package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/adapters/storetest"
	"github.com/roget-health/roget/resources"
)

// What a store returns does not depend on which entries have reached the table, also where several processes
// write, which learn of each other's entries by documents, and where one begins after another was killed.
func TestRecent(t *testing.T) {
	for _, few := range [][2]int{{0, 1}, {3, 1}, {5, 3}, {20, 2}, {1 << 20, 1}} {
		t.Run(fmt.Sprint(few), func(t *testing.T) {
			start := func(t *testing.T, path string) resources.Store {
				s, err := sqlite.Open(t.Context(), path, sqlite.WithRecent(few[0], few[1]))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return s
			}
			storetest.Run(t, func(t *testing.T) resources.Store { return start(t, filepath.Join(t.TempDir(), "store")) })
			for seed := range uint64(4) {
				path := filepath.Join(t.TempDir(), "store")
				storetest.LikeModel(t, seed, 150, func() resources.Store { return start(t, path) })
			}
		})
	}
}
