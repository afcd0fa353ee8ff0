package oauth2_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/roget-health/roget/auth"
)

// TestSystemBrowser has the system's command, a script here, open the address.
// Rows of docs/platform.md: 2.2.4, 3.6.
func TestSystemBrowser(t *testing.T) {
	folder := t.TempDir()
	note := filepath.Join(folder, "opened")
	if err := syscall.Mkfifo(note, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nprintf %s \"$1\" > " + note + "\n"
	if err := os.WriteFile(filepath.Join(folder, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	t.Setenv("PATH", folder+string(os.PathListSeparator)+path)
	s := newSetting(t)
	s.config.OpenBrowser = nil
	ended := make(chan error)
	go func() { ended <- s.provider(t).Login(t.Context()) }()
	address, err := os.ReadFile(note) // which waits for the script
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(string(address))
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", answer, err)
	}
	answer.Body.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	t.Setenv("PATH", "")
	s.config.Wait = time.Millisecond
	if err := s.provider(t).Login(t.Context()); !errors.Is(err, auth.ErrNoRedirect) || !strings.Contains(s.notice.String(), "No browser could be opened") {
		t.Errorf("without a browser: %v, %s", err, s.notice)
	}
}
