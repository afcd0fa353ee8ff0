package resources

import (
	"context"
	"testing"
	"time"
)

// TestKeyLocksWaiting requires that it can be seen whether a writer waits for a key that another holds.
func TestKeyLocksWaiting(t *testing.T) {
	var l keyLocks
	a, b := Key{Type: "Patient", ID: "a"}, Key{Type: "Patient", ID: "b"}
	if l.waiting(a) {
		t.Error("somebody waits for a free key")
	}
	leave, err := l.lock(t.Context(), a)
	if err != nil || l.waiting(a) {
		t.Fatalf("%v, somebody waits: %v", err, l.waiting(a))
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { _, err := l.lock(ctx, a); ended <- err }()
	for !l.waiting(a) {
		time.Sleep(time.Millisecond)
	}
	if l.waiting(b) {
		t.Error("somebody waits for another key")
	}
	cancel()
	if err := <-ended; err == nil || l.waiting(a) {
		t.Errorf("%v, one who has gone away waits: %v", err, l.waiting(a))
	}
	leave()
}
