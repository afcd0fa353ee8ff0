package sqlite_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/adapters/storetest"
	"github.com/roget-health/roget/resources"
)

func open(tb testing.TB, path string) *sqlite.Store {
	tb.Helper()
	s, err := sqlite.Open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func put(tb testing.TB, s *sqlite.Store, id, body string) resources.Version {
	tb.Helper()
	v, err := s.Write(tb.Context(), resources.Write{
		Key:    resources.Key{Type: "CodeSystem", ID: id},
		Render: func(int64, time.Time) ([]byte, error) { return []byte(body), nil },
	})
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) resources.Store {
		return open(t, filepath.Join(t.TempDir(), "resources.db"))
	})
}

func TestStoreDurable(t *testing.T) {
	storetest.RunDurable(t, func(t *testing.T) func() resources.Store {
		path := filepath.Join(t.TempDir(), "resources.db")
		return func() resources.Store { return open(t, path) }
	})
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(b *testing.B) resources.Store {
		return open(b, filepath.Join(b.TempDir(), "resources.db"))
	})
}

// Paths with characters that are special in addresses work.
func TestOddPaths(t *testing.T) {
	for _, name := range []string{"a b.db", "100%.db", "what?.db", "a#b.db", "é.db", "a&mode=memory.db", "x;y.db"} {
		path := filepath.Join(t.TempDir(), name)
		s := open(t, path)
		put(t, s, "a", "1")
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoFile(t *testing.T) {
	for _, path := range []string{"", ":memory:"} {
		if s, err := sqlite.Open(t.Context(), path); err == nil {
			s.Close()
			t.Errorf("Open(%q) succeeded", path)
		}
	}
	if _, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "none", "resources.db")); err == nil {
		t.Error("Open in a missing folder succeeded")
	}
	if _, err := sqlite.OpenReadOnly(t.Context(), filepath.Join(t.TempDir(), "resources.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenReadOnly of no file: %v, want %v", err, fs.ErrNotExist)
	}
}

func TestNotADatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resources.db")
	if err := os.WriteFile(path, []byte("this is not a database, it is a text of some length"), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err := sqlite.Open(t.Context(), path); err == nil {
		s.Close()
		t.Error("Open succeeded")
	}
	if s, err := sqlite.OpenReadOnly(t.Context(), path); err == nil {
		s.Close()
		t.Error("OpenReadOnly succeeded")
	}
}

func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resources.db")
	writer := open(t, path)
	defer writer.Close()
	want := put(t, writer, "a", "1")
	reader, err := sqlite.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if got, err := reader.Read(t.Context(), want.Key); err != nil || string(got.Body) != "1" {
		t.Errorf("Read beside a writer: %q, %v", got.Body, err)
	}
	put(t, writer, "a", "2")
	if got, err := reader.Read(t.Context(), want.Key); err != nil || string(got.Body) != "2" {
		t.Errorf("Read after a later write: %q, %v", got.Body, err)
	}
	if _, err := reader.Write(t.Context(), resources.Write{Key: want.Key}); err == nil {
		t.Error("a store for reading only has written")
	}
}

// A read-only folder is readable once the writer has closed.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 { // who is not subject to permissions
		asNobody(t)
		return
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "resources.db")
	s := open(t, path)
	want := put(t, s, "a", "1")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
	reader, err := sqlite.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if _, err := reader.Read(t.Context(), want.Key); err != nil {
		t.Error(err)
	}
}

func TestSchemaVersions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resources.db")
	open(t, path).Close()
	change := func(statement string) {
		t.Helper()
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	change(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
	if s, err := sqlite.Open(t.Context(), path); !errors.Is(err, sqlite.ErrNewerSchema) {
		t.Errorf("Open of a newer file: %v, %v", s, err)
	}
	if s, err := sqlite.OpenReadOnly(t.Context(), path); !errors.Is(err, sqlite.ErrNewerSchema) {
		t.Errorf("OpenReadOnly of a newer file: %v, %v", s, err)
	}
	change(`DELETE FROM goose_db_version WHERE version_id > 0`)
	if s, err := sqlite.OpenReadOnly(t.Context(), path); !errors.Is(err, sqlite.ErrOlderSchema) {
		t.Errorf("OpenReadOnly of an older file: %v, %v", s, err)
	}
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "resources.db")
	open(b, path).Close()
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			open(b, path).Close()
		}
	})
	b.Run("read only", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s, err := sqlite.OpenReadOnly(b.Context(), path)
			if err != nil {
				b.Fatal(err)
			}
			s.Close()
		}
	})
}

func BenchmarkIndexed(b *testing.B) {
	storetest.BenchmarkIndexed(b, func(b *testing.B) resources.Store {
		return open(b, filepath.Join(b.TempDir(), "resources.db"))
	})
}

func TestStoreShared(t *testing.T) {
	storetest.RunShared(t, func(t *testing.T) func() resources.Store {
		path := filepath.Join(t.TempDir(), "resources.db")
		return func() resources.Store { return open(t, path) }
	})
}
