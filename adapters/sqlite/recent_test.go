package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

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
			if few[0] == 5 {
				storetest.Run(t, func(t *testing.T) resources.Store { return start(t, filepath.Join(t.TempDir(), "store")) })
			}
			for seed := range uint64(2) {
				path := filepath.Join(t.TempDir(), "store")
				storetest.LikeModel(t, seed, 150, func() resources.Store { return start(t, path) })
			}
		})
	}
}

// The entries in memory are bounded, those of a closed store are all in the table, and Walk tells of those
// that are missing there, but not of those that are not there yet.
func TestRecentBounds(t *testing.T) {
	const most = 100
	path := filepath.Join(t.TempDir(), "store")
	s, err := sqlite.Open(t.Context(), path, sqlite.WithRecent(most, 1))
	if err != nil {
		t.Fatal(err)
	}
	write := func(n int) {
		entries := [][]byte{fmt.Appendf(nil, "a%d", n%7), fmt.Appendf(nil, "b%d", n), []byte("c")}
		_, err := s.Write(t.Context(), resources.Write{
			Key: resources.Key{Type: "Basic", ID: fmt.Sprint(n)}, Entries: entries,
			Render: func(int64, time.Time) ([]byte, error) { return []byte("{}"), nil },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	missing := func() (n int) {
		err := s.Walk(t.Context(), 0, 10_000, func(v *resources.StoredVersion) (bool, error) {
			n += v.MissingEntries
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for n := range 1000 {
		write(n)
		if kept := s.Unsettled(); kept > 2*most {
			t.Fatalf("after %d writes %d entries are kept, want at most %d", n, kept, 2*most)
		}
	}
	if n := missing(); n != 0 {
		t.Errorf("%d entries are missing in an open store", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var there int
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM entry").Scan(&there); err != nil || there != 3000 {
		t.Errorf("%d entries are in the table of a closed store, %v; want 3000", there, err)
	}
	if _, err := db.ExecContext(t.Context(), "DELETE FROM entry WHERE entry = x'63' AND seq IN (SELECT seq FROM version WHERE id < '2')"); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	defer s.Close()
	if n := missing(); n != 112 { // 0, 1, and those that begin with 1
		t.Errorf("%d entries are missing, want 112", n)
	}
	if kept := s.Unsettled(); kept != 0 {
		t.Errorf("%d entries are kept after opening", kept)
	}
}
