package postgres

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// noticePause is the shortest time between two notifications of a process.
	noticePause = 100 * time.Millisecond
	// noticeTime is the longest time for sending one. Who misses it polls.
	noticeTime = time.Second
)

// notices are the notifications of types that were written, sent to listeners after the commits. A NOTIFY in a
// write transaction would take a lock of the whole cluster when it commits, and wake every listener for every
// commit.
type notices struct {
	send    func(ctx context.Context, types string) error // nil without NOTIFY, which some of PostgreSQL's relatives lack
	mu      sync.Mutex
	types   map[string]bool // not sent yet
	sending bool
	closed  bool
	closing chan struct{}
	group   sync.WaitGroup
}

func newNotices() *notices {
	return &notices{types: map[string]bool{}, closing: make(chan struct{})}
}

// add sends the types soon, in the background.
func (n *notices) add(types map[string]bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.send == nil || n.closed {
		return
	}
	maps.Copy(n.types, types)
	if !n.sending {
		n.sending = true
		n.group.Go(n.run)
	}
}

// run sends until nothing is left.
func (n *notices) run() {
	for {
		n.mu.Lock()
		types := slices.Sorted(maps.Keys(n.types))
		clear(n.types)
		n.sending = len(types) > 0
		n.mu.Unlock()
		if len(types) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), noticeTime)
		_ = n.send(ctx, strings.Join(types, ",")) // listeners poll, too
		cancel()
		select {
		case <-time.After(noticePause):
		case <-n.closing:
		}
	}
}

// close sends what is left.
func (n *notices) close() {
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		close(n.closing)
	}
	n.mu.Unlock()
	n.group.Wait()
}
