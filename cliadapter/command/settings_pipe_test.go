//go:build unix

package command

import (
	"path/filepath"
	"syscall"
	"testing"
)

// pipes returns the path of a pipe that nobody writes to.
func pipes(t *testing.T) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{path}
}
