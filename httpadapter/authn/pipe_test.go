//go:build unix

package authn_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/roget-health/roget/access/policy"
	"github.com/roget-health/roget/httpadapter/authn"
	"github.com/roget-health/roget/httpadapter/authn/bearer"
)

// TestPipes names pipes instead of files. A server must not wait for somebody who writes to one.
func TestPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() error{
		"tokens":    func() error { _, err := authn.OpenTokens(path, nil); return err },
		"passwords": func() error { _, err := authn.OpenBasic(path, nil); return err },
		"changes":   func() error { _, err := authn.ReadTokens(path); return err },
		"policy":    func() error { _, err := policy.Open(path, nil, nil); return err },
		"keys": func() error {
			_, err := bearer.New([]bearer.Issuer{{URL: "https://id.example", Keys: path, Audiences: []string{"x"}}}, bearer.Options{})
			return err
		},
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), path+" is not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
