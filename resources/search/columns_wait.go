package search

// This file has how a search gets a table that is ready, or goes without it.

import (
	"context"
	"time"
)

// prepare brings a table up to the state of a reader. It reads columns.share versions at most, and leaves the
// rest to Build; without it several searches may be needed until the table is ready. A patient search, if
// there is one, waits for Build a little if the table is only far behind.
func (t *table) prepare(ctx context.Context, r *run, need *needs, patient *run) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &r.searcher.columns
	left := func() bool { return (!t.built || t.far || t.behind(need) > c.share) && c.leave(t, need, t.built) }
	if t.large || r.reader.At() == 0 {
		return nil
	}
	if left() {
		waits := patient != nil && !patient.turn && t.has(need, false, 0)
		if !waits || !t.awaited(ctx, patient) || left() {
			return nil
		}
	}
	if !t.has(need, false, 0) {
		t.busy.Store(true)
		defer t.busy.Store(false)
	}
	err := t.advance(ctx, r, need, &work{share: c.share})
	if err == nil && !t.large && !t.complete(need) && !c.leave(t, need, true) && t.far {
		t.reset() // nobody brings it up to date
	}
	return err
}

// awaited waits until Build has given a table what is wanted, and reports whether it has. One search at a time need
// not wait, and goes through the index: more of them would take the time that Build needs. The lock is free meanwhile.
func (t *table) awaited(ctx context.Context, r *run) bool {
	t.mu.Unlock()
	defer t.mu.Lock()
	c := &r.searcher.columns
	timer := time.NewTimer(c.await)
	defer timer.Stop()
	select {
	case <-c.given(t):
		return true
	case c.turn <- struct{}{}:
		r.turn = true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// release ends the turn of a search that went through the index.
func (r *run) release() {
	if r.turn {
		r.turn = false
		<-r.searcher.columns.turn
	}
}
