package resources

import (
	"context"
	"errors"
	"sync"
	"testing"
)

func TestKeyLocks(t *testing.T) {
	var locks keyLocks
	a, b := Key{Type: "T", ID: "a"}, Key{Type: "T", ID: "b"}
	unlockA, err := locks.lock(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	unlockB, err := locks.lock(t.Context(), b) // another key does not wait
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := locks.lock(ctx, a); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting, cancelled: %v", err)
	}
	unlockA()
	unlockB()
	if len(locks.held) != 0 {
		t.Errorf("%d keys are left", len(locks.held))
	}

	count := 0 // guarded by the lock of a alone: the race detector watches
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 50 {
				unlock, err := locks.lock(t.Context(), a)
				if err != nil {
					t.Error(err)
					return
				}
				count++
				unlock()
			}
		})
	}
	group.Wait()
	if count != 16*50 || len(locks.held) != 0 {
		t.Errorf("count %d, %d keys left", count, len(locks.held))
	}
}
