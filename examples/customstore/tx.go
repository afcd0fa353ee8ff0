package main

import (
	"context"
	"slices"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

var _ resources.Transactor = (*Store)(nil)

// transaction is a state that grows. Nobody else sees it before it is committed, so giving it
// up needs no work.
type transaction struct {
	*state
	written []*version
	pending []entry // entries that state.entries does not have yet
	failed  error   // of a Write
}

var _ resources.Tx = (*transaction)(nil)

// Transact calls fn with a transaction while no other one is under way.
func (s *Store) Transact(ctx context.Context, fn func(resources.Tx) error) error {
	return s.writing(ctx, func() error {
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		now.versions = slices.Clip(now.versions) // so that appending copies
		now.added = make(map[resources.Key][]*version)
		t := &transaction{state: now}
		if err := fn(t); err != nil {
			return err
		}
		if t.failed != nil {
			return t.failed
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return t.commit()
	})
}

// Write adds a version to the transaction.
func (t *transaction) Write(ctx context.Context, w resources.Write) (resources.Version, error) {
	v, err := t.write(ctx, w)
	if err != nil {
		t.failed = err
	}
	return v, err
}

func (t *transaction) write(ctx context.Context, w resources.Write) (resources.Version, error) {
	if err := ctx.Err(); err != nil {
		return resources.Version{}, err
	}
	var current resources.Version
	if all := t.of(w.Key); len(all) > 0 {
		current = all[len(all)-1].Version
	}
	next, seq, err := w.Next(current, time.Now(), t.at)
	if err != nil {
		return next, err
	}
	v := &version{Version: next, seq: seq}
	if !next.Deleted {
		v.values = w.Values
		t.pending = append(t.pending, entriesOf(w.Entries, seq)...)
	}
	t.pending = append(t.pending, entriesOf(w.Terms, 0)...)
	t.at = seq
	t.written = append(t.written, v)
	t.versions = append(t.versions, v)
	t.added[v.Key] = append(t.added[v.Key], v)
	return next, nil
}

// Scan calls fn for the entries of a range, those of the transaction included.
func (t *transaction) Scan(ctx context.Context, r index.Range, fn func([]byte, index.Seq) bool) error {
	t.index()
	return t.state.Scan(ctx, r, fn)
}

// index brings the entries up to date.
func (t *transaction) index() {
	if len(t.pending) > 0 {
		t.entries = merged(t.entries, t.pending)
		t.pending = nil
	}
}

// commit makes the transaction durable, and then visible.
func (t *transaction) commit() error {
	if len(t.written) == 0 {
		return nil
	}
	s := t.store
	t.index()
	if err := s.journal(t.written); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range t.written {
		s.add(v)
	}
	s.entries = t.entries
	return nil
}
