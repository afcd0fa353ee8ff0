//go:build unix

package datadir

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestLeftovers(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, Options{})
	load(t, d, func(w *Writer) { must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 3), "")) })
	left := filepath.Join(path, "packs", "0000000009.pack.tmp")
	must(t, os.WriteFile(left, []byte("half"), 0o600))
	again, err := Open(t.Context(), path, Options{})
	must(t, err)
	must(t, again.Close())
	if _, err := os.Stat(left); err != nil {
		t.Errorf("a reader changed the folder: %v", err)
	}
	again, err = Open(t.Context(), path, Options{Create: true})
	must(t, err)
	defer func() { must(t, again.Close()) }()
	if _, err := os.Stat(left); err == nil {
		t.Error("the file of a killed writer stays")
	}
	// That of a writer at work stays.
	w, err := d.Writer(t.Context())
	must(t, err)
	must(t, w.AddCodeSystem(compile(t, "http://x/b", "1", 3), ""))
	other, err := Open(t.Context(), path, Options{Create: true})
	must(t, err)
	must(t, other.Close())
	must(t, w.Commit())
}

func TestPackIsPipe(t *testing.T) {
	path := t.TempDir()
	must(t, os.Mkdir(filepath.Join(path, "packs"), 0o700))
	must(t, syscall.Mkfifo(filepath.Join(path, "packs", "0000000001.pack"), 0o600))
	done := make(chan error, 1)
	go func() {
		_, err := Open(context.Background(), path, Options{})
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "0000000001.pack") || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("Open: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Open waits for a pipe")
	}
}

// A source counts what its readers read.
func TestSourceOfLinks(t *testing.T) {
	folder := t.TempDir()
	outside := filepath.Join(t.TempDir(), "x.json")
	must(t, os.WriteFile(outside, []byte("123"), 0o600))
	must(t, os.WriteFile(filepath.Join(folder, "a.json"), []byte("12345"), 0o600))
	for name, target := range map[string]string{"b.json": outside, "c.json": "nowhere", "d.json": "a.json"} {
		must(t, os.Symlink(target, filepath.Join(folder, name)))
	}
	must(t, syscall.Mkfifo(filepath.Join(folder, "e.json"), 0o600))
	s, err := SourceOf(folder)
	must(t, err)
	if s.Files != 2 || s.Size != 10 {
		t.Errorf("%d files of %d bytes", s.Files, s.Size)
	}
}
