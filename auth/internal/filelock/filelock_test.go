package filelock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "x.lock")
	var wait sync.WaitGroup
	inside, most, entered := 0, 0, 0
	for range 8 {
		wait.Go(func() {
			for range 20 {
				unlock, err := Lock(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				inside++ // the race detector sees who is not excluded
				most, entered = max(most, inside), entered+1
				inside--
				unlock()
			}
		})
	}
	wait.Wait()
	if most != 1 || entered != 160 {
		t.Errorf("%d at a time, %d in all", most, entered)
	}
	unlock, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { _, err := Lock(ctx, path); ended <- err }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that is given up: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode of the lock file: %v, %v", info, err)
	}
}

func TestKey(t *testing.T) {
	a, b := Key("/x/tokens.sqlite", "profile:a"), Key("/x/tokens.sqlite", "profile:b")
	if a == b || filepath.Dir(a) != filepath.FromSlash("/x") || a != Key("/x/tokens.sqlite", "profile:a") {
		t.Errorf("%s, %s", a, b)
	}
}
