//go:build unix

package authn_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/roget-health/roget/httpadapter/authn"
)

// TestWriteKeepsOwner replaces a file of tokens that a server reads as a member of its group. The group
// is another one where the test may set it.
func TestWriteKeepsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.toml")
	_, hash := authn.NewToken()
	f := &authn.TokenFile{Tokens: []authn.Token{{Name: "a", Hash: hash}}}
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("a new file: %v, %v", info, err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	group := os.Getgid()
	if os.Geteuid() == 0 {
		group++
		if err := os.Chown(path, -1, group); err != nil {
			t.Skipf("the group cannot be changed here: %v", err)
		}
	}
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat, is := info.Sys().(*syscall.Stat_t); !is || int(stat.Gid) != group || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v and group %+v, want 0640 and %d", info.Mode(), info.Sys(), group)
	}
}
