package closure

import (
	"context"
	"sync"
	"time"
)

// slots hold the tables that are in memory.
type slots struct {
	limits Limits

	mu     sync.Mutex
	byName map[string]*slot
}

// A slot is a table in memory. Whoever has its token may use the table.
type slot struct {
	token   chan struct{}
	table   table
	holders int // requests that have the token or wait for it
	codes   int // of the table, when it was released
	used    time.Time
	idle    *time.Timer
}

func newSlots(limits Limits) slots { return slots{limits: limits, byName: map[string]*slot{}} }

// take waits for the table of a name.
func (ss *slots) take(ctx context.Context, name string) (*slot, error) {
	ss.mu.Lock()
	s := ss.byName[name]
	if s == nil {
		s = &slot{token: make(chan struct{}, 1)}
		s.token <- struct{}{}
		ss.byName[name] = s
	}
	s.holders++
	ss.mu.Unlock()
	select {
	case <-s.token:
		return s, nil
	case <-ctx.Done():
		ss.mu.Lock()
		defer ss.mu.Unlock()
		s.holders--
		ss.clean(name, s)
		return nil, ctx.Err()
	}
}

// release returns a table, and drops tables that are not in use if there are too many codes in
// memory.
func (ss *slots) release(name string, s *slot) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s.codes, s.used = s.table.codes, time.Now()
	if s.idle == nil {
		s.idle = time.AfterFunc(ss.limits.Idle, func() { ss.dropIdle(name, s) })
	} else {
		s.idle.Reset(ss.limits.Idle)
	}
	s.holders--
	s.token <- struct{}{}
	ss.clean(name, s)
	for ss.dropOldest() {
	}
}

// clean drops a slot without a table.
func (ss *slots) clean(name string, s *slot) {
	if s.holders == 0 && s.codes == 0 {
		ss.drop(name, s)
	}
}

func (ss *slots) drop(name string, s *slot) {
	if ss.byName[name] == s {
		delete(ss.byName, name)
	}
	if s.idle != nil {
		s.idle.Stop()
	}
}

// dropIdle drops a table that was not used for a while.
func (ss *slots) dropIdle(name string, s *slot) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if s.holders == 0 && time.Since(s.used) >= ss.limits.Idle {
		ss.drop(name, s)
	}
}

// dropOldest drops the table that was unused for the longest time, if there are too many codes in
// memory. It reports whether it dropped one.
func (ss *slots) dropOldest() bool {
	total, oldest, name := 0, (*slot)(nil), ""
	for n, s := range ss.byName {
		total += s.codes
		if s.holders == 0 && (oldest == nil || s.used.Before(oldest.used)) {
			oldest, name = s, n
		}
	}
	if total <= ss.limits.MaxCached || oldest == nil {
		return false
	}
	ss.drop(name, oldest)
	return true
}
