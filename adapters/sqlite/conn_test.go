package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// impossible is an SQL expression that is an error.
const impossible = "abs(-9223372036854775807 - 1)"

func opened(t *testing.T) (s *Store, path string) {
	path = filepath.Join(t.TempDir(), "resources.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

// TestConn requires errors of statements that begin well, and that one connection reuses its statements.
func TestConn(t *testing.T) {
	c, err := connect("file::memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := c.exec("SELECT 1 UNION ALL SELECT 2"); err != nil {
		t.Error(err)
	}
	if err := c.exec("SELECT 1 UNION ALL SELECT " + impossible); err == nil {
		t.Error("an error in the second row is ignored")
	}
	if _, err := connect("file::memory:", "SELECT "+impossible); err == nil {
		t.Error("an error of a setup statement is ignored")
	}
	var handles [3]uintptr
	for i := range handles {
		s, err := c.prepare("SELECT 3")
		if err != nil {
			t.Fatal(err)
		}
		handles[i] = s.handle
		s.release()
	}
	if handles[1] != handles[0] || handles[2] != handles[0] {
		t.Errorf("a statement was prepared again: %x", handles)
	}
}

// TestUnreadable reads tables of which a row cannot be read, by statements whose error others would hide.
func TestUnreadable(t *testing.T) {
	s, path := opened(t)
	defer s.Close()
	_, err := s.AppendJournal(t.Context(), resources.JournalAppend{Name: "j", Body: []byte("1")})
	if err != nil {
		t.Fatal(err)
	}
	c, err := connect("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	exec := func(sql string) {
		t.Helper()
		if err := c.exec(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	hide := func(table string) {
		exec("ALTER TABLE " + table + " RENAME TO hidden")
		exec("CREATE VIEW " + table + " AS SELECT * FROM hidden WHERE " + impossible + " > 0")
	}
	show := func(table string) {
		exec("DROP VIEW " + table)
		exec("ALTER TABLE hidden RENAME TO " + table)
	}
	hide("journal")
	w, err := s.database.Writer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last, err1 := w.JournalLast(t.Context(), "j")
	names, err2 := w.JournalNames(t.Context())
	if w.End(); err1 == nil || err2 == nil {
		t.Errorf("the last of an unreadable journal is %d, of %d: %v, %v", last, names, err1, err2)
	}
	show("journal")
	for range 2 {
		if _, err := s.Write(t.Context(), resources.Write{
			Key: resources.Key{Type: "Basic", ID: "a"}, Render: func(int64, time.Time) ([]byte, error) { return []byte(`{}`), nil },
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := checkSums(t.Context(), path); err != nil {
		t.Errorf("checksums at first: %v", err)
	}
	hide("document")
	exec("PRAGMA wal_checkpoint(TRUNCATE)")
	if err := checkSums(t.Context(), path); err == nil {
		t.Error("checksums of documents that cannot be read")
	}
	show("document")
	exec("ALTER TABLE entry RENAME TO hidden")
	err = s.View(t.Context(), func(r index.Reader) error { // that no connection has prepared before
		return index.ScanMany(t.Context(), r, make([]index.Range, 2), 0, func(int, []byte, index.Seq) bool { return true })
	})
	if err == nil {
		t.Error("a scan of a table that is not there")
	}
	exec("ALTER TABLE hidden RENAME TO entry")
	exec("UPDATE mark SET value = 'x' WHERE name = '" + settledMark + "'")
	if err := s.View(t.Context(), func(index.Reader) error { return nil }); err == nil {
		t.Error("a mark of settled entries that says nothing")
	}
}

// TestEndedScans ends the context in a scan, which stops after as many rows as it may.
func TestEndedScans(t *testing.T) {
	for _, recent := range []int{0, 1 << 20} {
		path := filepath.Join(t.TempDir(), "resources.db")
		s, err := Open(t.Context(), path, WithRecent(recent, 1))
		if err != nil {
			t.Fatal(err)
		}
		for n := range 5 {
			w := resources.Write{Key: resources.Key{Type: "Basic", ID: fmt.Sprint(n)}, Render: func(int64, time.Time) ([]byte, error) { return []byte(`{}`), nil }}
			for i := range 1000 {
				w.Entries = append(w.Entries, fmt.Appendf(nil, "%d-%04d", n, i))
			}
			if _, err := s.Write(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		for name, scan := range map[string]func(ctx context.Context, r index.Reader, fn func()) error{
			"Scan": func(ctx context.Context, r index.Reader, fn func()) error {
				return r.Scan(ctx, index.Range{}, func([]byte, index.Seq) bool { fn(); return true })
			},
			"ScanMany": func(ctx context.Context, r index.Reader, fn func()) error {
				return index.ScanMany(ctx, r, make([]index.Range, 2), 0, func(int, []byte, index.Seq) bool { fn(); return true })
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			rows := 0
			err := s.View(t.Context(), func(r index.Reader) error {
				return scan(ctx, r, func() { rows++; cancel() })
			})
			if !errors.Is(err, context.Canceled) || rows > 1024 {
				t.Errorf("%s with %d entries in memory: %v after %d rows", name, recent, err, rows)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClosedMeanwhile closes a store while a reader has a connection, which is closed when the reader ends.
func TestClosedMeanwhile(t *testing.T) {
	s, _ := opened(t)
	r, err := s.database.Reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := r.(*reader).conn
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if c.db == 0 {
		t.Error("the connection of a reader was closed")
	}
	if r.End(); c.db != 0 {
		t.Error("the connection of a reader is still open")
	}
}
