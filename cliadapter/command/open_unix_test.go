//go:build unix

package command

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestOpenPipe(t *testing.T) {
	path, unused := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), "unused")
	for _, pipe := range []string{path, unused} {
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	failed := make(chan error, 1)
	go func() {
		_, err := openWithin(unused, time.Millisecond)
		failed <- err
	}()
	select {
	case err := <-failed:
		if err == nil || !strings.Contains(err.Error(), unused+" is a pipe, and nobody wrote to it") {
			t.Errorf("without a writer: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("a pipe without a writer is waited for")
	}
	go func() { _ = os.WriteFile(path, []byte("secret"), 0) }()
	file, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if text, err := io.ReadAll(file); string(text) != "secret" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
}
