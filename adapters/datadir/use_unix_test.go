//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package datadir

import (
	"errors"
	"path/filepath"
	"testing"
)

// Several may use a folder. Nobody can claim it meanwhile, and nobody can use it while it is claimed.
func TestUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	one, two := open(t, path, Options{Create: true}), open(t, path, Options{})
	claim := func() error {
		release, err := Claim(path)
		if err == nil {
			release()
		}
		return err
	}
	if err := claim(); !errors.Is(err, ErrInUse) {
		t.Errorf("claim of a folder that two use: %v", err)
	}
	must(t, one.Close())
	if err := claim(); !errors.Is(err, ErrInUse) {
		t.Errorf("claim of a folder that one uses: %v", err)
	}
	must(t, two.Close())
	release, err := Claim(path)
	must(t, err)
	for _, create := range []bool{true, false} {
		if _, err := Open(t.Context(), path, Options{Create: create}); !errors.Is(err, ErrClaimed) {
			t.Errorf("open a claimed folder: %v", err)
		}
	}
	if err := claim(); !errors.Is(err, ErrInUse) {
		t.Errorf("claim a claimed folder: %v", err)
	}
	release()
	must(t, open(t, path, Options{}).Close())
	must(t, claim())
}

// A folder that cannot be opened ends no use of it.
func TestFailedOpenReleases(t *testing.T) {
	folder, _ := damagedFolder(t, sourceFile(t), damages[0].change)
	if _, err := Open(t.Context(), folder, Options{}); err == nil {
		t.Fatal("no error")
	}
	release, err := Claim(folder)
	must(t, err)
	release()
}
