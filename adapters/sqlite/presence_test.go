package sqlite_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/sqlite"
)

// TestLost checks that a store whose file is missing or empty is not taken for a new one, if anything
// beside the file shows that there was a store.
func TestLost(t *testing.T) {
	remove := func(t *testing.T, path string) {
		t.Helper()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	empty := func(t *testing.T, path string) {
		t.Helper()
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		name  string
		spoil func(t *testing.T, path string)
		says  string // "" if a new store may begin
	}{
		{"missing", remove, "is missing, but there was a store (resources.db.marker): the store is lost"},
		{"empty", empty, "is empty, but there was a store (resources.db.marker)"},
		{"missing, with a log", func(t *testing.T, path string) {
			remove(t, path)
			write(t, path+"-wal", "changes")
		}, "(resources.db.marker and resources.db-wal)"},
		{"missing, of an earlier program, with a log", func(t *testing.T, path string) {
			remove(t, path)
			remove(t, path+".marker")
			write(t, path+"-wal", "")
		}, "to begin with an empty store, remove resources.db-wal"},
		{"empty, of an earlier program, with a log", func(t *testing.T, path string) {
			empty(t, path)
			remove(t, path+".marker")
			write(t, path+"-wal", "changes")
		}, "(resources.db-wal)"},
		{"missing, and the marker is removed", func(t *testing.T, path string) {
			remove(t, path)
			remove(t, path+".marker")
		}, ""},
		{"empty, and the marker is removed", func(t *testing.T, path string) {
			empty(t, path)
			remove(t, path+".marker")
		}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "resources.db")
			s := open(t, path)
			v := put(t, s, "a", "1")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			row.spoil(t, path)
			before := listing(t, path)
			exists, err := sqlite.Exists(path)
			if exists || errors.Is(err, sqlite.ErrLost) != (row.says != "") {
				t.Errorf("Exists: %v, %v", exists, err)
			}
			reader, err := sqlite.OpenReadOnly(t.Context(), path)
			if err == nil {
				reader.Close()
			}
			if errors.Is(err, sqlite.ErrLost) != (row.says != "") || errors.Is(err, fs.ErrNotExist) != (row.says == "") {
				t.Errorf("OpenReadOnly: %v", err)
			}
			if err := sqlite.Backup(t.Context(), path, filepath.Join(t.TempDir(), "copy")); err == nil {
				t.Error("Backup succeeded")
			}
			s, err = sqlite.Open(t.Context(), path)
			if row.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if _, err := s.Read(t.Context(), v.Key); err == nil {
					t.Error("the new store has the resource of the old one")
				}
				return
			}
			if err == nil {
				s.Close()
			}
			if !errors.Is(err, sqlite.ErrLost) || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "roget restore") {
				t.Errorf("Open: %v", err)
			}
			if after := listing(t, path); after != before {
				t.Errorf("files are %s, and were %s", after, before)
			}
		})
	}
}

// TestFirstStart checks that a first start which was interrupted at any moment is taken up by the next.
func TestFirstStart(t *testing.T) {
	statements := func(list ...string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			t.Helper()
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, one := range list {
				if _, err := db.Exec(one); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for name, left := range map[string]func(t *testing.T, path string){
		"a file without bytes":      func(t *testing.T, path string) { write(t, path, "") },
		"a file without tables":     statements("PRAGMA journal_mode=wal"),
		"a store without marker":    func(t *testing.T, path string) { open(t, path).Close(); os.Remove(path + ".marker") },
		"a marker and the store":    func(t *testing.T, path string) { open(t, path).Close() },
		"a marker that has no text": func(t *testing.T, path string) { open(t, path).Close(); write(t, path+".marker", "") },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "resources.db")
			left(t, path)
			s := open(t, path)
			v := put(t, s, "a", "1")
			s.Close()
			s = open(t, path)
			defer s.Close()
			if got, err := s.Read(t.Context(), v.Key); err != nil || string(got.Body) != "1" {
				t.Errorf("%q, %v", got.Body, err)
			}
			if text, err := os.ReadFile(path + ".marker"); err != nil || name != "a marker that has no text" && !strings.Contains(string(text), "resources.db") {
				t.Errorf("marker: %q, %v", text, err)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// listing returns the files of a store with their sizes.
func listing(t *testing.T, path string) (list string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list += fs.FormatDirEntry(e) + " "
		if info, err := e.Info(); err == nil {
			list += fs.FormatFileInfo(info) + " "
		}
	}
	return list
}
