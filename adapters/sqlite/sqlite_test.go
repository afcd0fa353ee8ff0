package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/adapters/storetest"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
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
	change(t, path, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
	if s, err := sqlite.Open(t.Context(), path); !errors.Is(err, sqlite.ErrNewerSchema) {
		t.Errorf("Open of a newer file: %v, %v", s, err)
	}
	if s, err := sqlite.OpenReadOnly(t.Context(), path); !errors.Is(err, sqlite.ErrNewerSchema) {
		t.Errorf("OpenReadOnly of a newer file: %v, %v", s, err)
	}
	change(t, path, `DELETE FROM goose_db_version WHERE version_id > 0`)
	if s, err := sqlite.OpenReadOnly(t.Context(), path); !errors.Is(err, sqlite.ErrOlderSchema) {
		t.Errorf("OpenReadOnly of an older file: %v, %v", s, err)
	}
}

// TestBackup: a copy has what the store has. Damage and a target that exists are errors.
func TestBackup(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "resources.db")
	s := open(t, path)
	defer s.Close()
	for i := range 25 {
		put(t, s, fmt.Sprint(i), "1")
	}
	if _, err := s.Write(t.Context(), resources.Write{Key: resources.Key{Type: "CodeSystem", ID: "24"}}); err != nil {
		t.Fatal(err)
	}
	copies := 0
	backup := func(ctx context.Context) (string, error) {
		copies++
		target := filepath.Join(folder, fmt.Sprint("copy", copies))
		return target, sqlite.Backup(ctx, path, target)
	}
	target, err := backup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	restored := open(t, target)
	defer restored.Close()
	if v, err := restored.Read(t.Context(), resources.Key{Type: "CodeSystem", ID: "7"}); err != nil || string(v.Body) != "1" {
		t.Errorf("%s, %v", v.Body, err)
	}
	if err := sqlite.Backup(t.Context(), path, target); err == nil {
		t.Error("a file was replaced")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := backup(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a backup that is given up: %v", err)
	}
	for _, row := range []struct {
		damage, mend string
		named        int // versions in the error
		more         bool
	}{
		{`UPDATE version SET vals = x'00' WHERE id = '3'`, `UPDATE version SET vals = NULL WHERE id = '3'`, 1, false},
		{`UPDATE document SET body = x'00' WHERE body = x'31'`, `UPDATE document SET body = x'31' WHERE body = x'00'`, 20, true},
		{`UPDATE version SET body_sum = NULL WHERE id = '5'`, `DELETE FROM document WHERE seq = (SELECT seq FROM version WHERE id = '5')`, 1, false},
		{`UPDATE version SET deleted = deleted`, `DELETE FROM mark WHERE name = 'sums'`, 1, false},
	} {
		change(t, path, row.damage)
		_, err := backup(t.Context())
		if !errors.Is(err, resources.ErrDamaged) {
			t.Errorf("%s: %v", row.damage, err)
			continue
		}
		if n := strings.Count(err.Error(), "CodeSystem/"); n != row.named || strings.Contains(err.Error(), "perhaps more") != row.more || !strings.Contains(err.Error(), path+":") {
			t.Errorf("%s: %d versions: %v", row.damage, n, err)
		}
		change(t, path, row.mend)
	}
	change(t, path, `DELETE FROM version WHERE id = '5'`)
	change(t, path, `UPDATE version SET vals_sum = NULL, body_sum = NULL`) // as that of an earlier program
	if _, err := backup(t.Context()); err != nil {
		t.Error(err)
	}
	change(t, path, `UPDATE document SET body = x'00' WHERE body = x'31'`)
	change(t, path, `ALTER TABLE version DROP COLUMN body_sum`)
	if _, err := backup(t.Context()); err != nil {
		t.Error(err)
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

func TestDamage(t *testing.T) {
	storetest.RunDamage(t, func(t *testing.T) (func() storetest.Verifiable, storetest.Exec) {
		path := filepath.Join(t.TempDir(), "resources.db")
		return func() storetest.Verifiable { return open(t, path) }, func(statement string, args ...any) { change(t, path, statement, args...) }
	}, "abs(-9223372036854775807 - 1) > 0", "Scan ScanMany Walk Term Reindex")
}

// Inspect finds what no statement would have stored.
func TestInspectFinds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resources.db")
	s := open(t, path)
	defer s.Close()
	for _, statement := range []string{
		`PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'text NOT NULL', 'text') WHERE name = 'mark'`,
		`INSERT INTO mark (name) VALUES ('none')`,
		`PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'value text', 'value text NOT NULL') WHERE name = 'mark'`,
	} {
		change(t, path, statement)
	}
	for _, how := range []resources.Structure{resources.QuickStructure, resources.WholeStructure} {
		if problems, err := s.Inspect(t.Context(), how); err != nil || !slices.Equal(problems, []string{"NULL value in mark.value"}) {
			t.Errorf("%v: %q, %v", how, problems, err)
		}
	}
	s.Close()
	if _, err := s.Inspect(t.Context(), resources.QuickStructure); !errors.Is(err, resources.ErrClosed) {
		t.Errorf("a closed store: %v", err)
	}
}

// A store tells of a write that failed until one succeeds, of its own accord or as a trial.
func TestProbeAfterFailure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resources.db")
	first := open(t, path)
	put(t, first, "a", "1")
	first.Close()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var root, size int64
	if err := db.QueryRow(`SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'superseded'`).Scan(&root, &size); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte(strings.Repeat("x", int(size))), (root-1)*size); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	defer s.Close()
	check := func(name string, fails bool) {
		t.Helper()
		if h := s.Probe(t.Context()); h.Reads != nil || errors.Is(h.Writes, resources.ErrDamaged) != fails || !fails && h.Writes != nil {
			t.Errorf("%s: %+v", name, h)
		}
	}
	fail := func() {
		t.Helper()
		if _, err := s.Write(t.Context(), resources.Write{Key: resources.Key{Type: "CodeSystem", ID: "a"}}); !errors.Is(err, resources.ErrDamaged) {
			t.Fatalf("a write to a damaged table: %v", err)
		}
	}
	fail()
	check("a trial succeeds", false)
	change(t, path, `CREATE TRIGGER refuse BEFORE INSERT ON mark WHEN NEW.name = 'probe' BEGIN SELECT abs(-9223372036854775807 - 1); END`)
	check("nothing is tried", false)
	fail()
	check("a trial fails", true)
	put(t, s, "b", "1")
	check("a write succeeded", false)
}

// Readers that need more connections than there can be fail, and are no burden for later ones.
func TestNoMoreConnections(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resources.db")
	s := open(t, path)
	defer s.Close()
	want := put(t, s, "a", "1")
	read := func() error { _, err := s.Read(t.Context(), want.Key); return err }
	view := func() error { return s.View(t.Context(), func(index.Reader) error { return nil }) }
	if err := s.View(t.Context(), func(index.Reader) error {
		if err := os.Rename(path, path+".away"); err != nil {
			return err
		}
		for range 100 {
			if read() == nil || view() == nil {
				t.Error("a file that is away was opened")
			}
		}
		return os.Rename(path+".away", path)
	}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(read(), view()); err != nil {
		t.Error(err)
	}
}

// change runs a statement beside a store, and waits for what that writes in the background.
func change(tb testing.TB, path, statement string, args ...any) {
	tb.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement, args...); err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
}
