package filelock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "x.lock")
	var wait sync.WaitGroup
	var inside, overlaps, entered atomic.Int32
	for range 8 {
		wait.Go(func() {
			for range 20 {
				unlock, err := Lock(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					overlaps.Add(1)
				}
				entered.Add(1)
				runtime.Gosched()
				inside.Add(-1)
				unlock()
			}
		})
	}
	wait.Wait()
	if overlaps.Load() != 0 || entered.Load() != 160 {
		t.Errorf("%d were not alone, %d in all", overlaps.Load(), entered.Load())
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
