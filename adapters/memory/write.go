package memory

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// exclusively waits for the write token and calls fn.
func (s *Store) exclusively(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.writeToken:
	}
	defer func() { s.writeToken <- struct{}{} }()
	if err := s.lockForRead(ctx); err != nil {
		return err
	}
	s.mu.RUnlock()
	return fn()
}

// Write adds a version. Writers take turns, including the rendering.
func (s *Store) Write(ctx context.Context, w resources.Write) (v resources.Version, err error) {
	err = s.Transact(ctx, func(tx resources.Tx) error {
		v, err = tx.Write(ctx, w)
		return err
	})
	return v, err
}

// Transact calls fn while no other transaction runs.
func (s *Store) Transact(ctx context.Context, fn func(resources.Tx) error) error {
	return s.exclusively(ctx, func() error {
		t := &transaction{store: s, lastSeq: s.lastSeq}
		defer t.rollback()
		if err := fn(t); err != nil {
			return err
		}
		if t.writeErr != nil {
			return t.writeErr
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return t.commit()
	})
}

// transaction adds versions that readers ignore until the commit. A rollback removes them.
type transaction struct {
	store    *Store
	lastSeq  index.Seq
	added    []*version
	terms    []*string
	writeErr error // of a Write
	done     bool
}

var _ resources.Tx = (*transaction)(nil)

// Write adds a version.
func (t *transaction) Write(ctx context.Context, w resources.Write) (resources.Version, error) {
	v, err := t.write(ctx, w)
	if err != nil {
		t.writeErr = err
	}
	return v, err
}

func (t *transaction) write(ctx context.Context, w resources.Write) (resources.Version, error) {
	s := t.store
	if err := s.lockForRead(ctx); err != nil {
		return resources.Version{}, err
	}
	former := newest(s.keys[w.Key], math.MaxInt64)
	s.mu.RUnlock()
	var current resources.Version // VersionID 0: none
	if former != nil {
		current = former.Version
	}
	next, seq, err := w.Next(current, time.Now(), t.lastSeq)
	if err != nil {
		return next, err
	}
	v := &version{Version: next, seq: seq, until: index.Current}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return resources.Version{}, resources.ErrClosed
	}
	v.Key = s.ownKey(w.Key, former)
	if !next.Deleted {
		v.values, v.entries = w.Values, s.add(w.Entries, seq)
	}
	t.lastSeq = seq
	t.added = append(t.added, v)
	s.versions = append(s.versions, v)
	s.types[v.Type] = append(s.types[v.Type], v)
	s.keys[v.Key] = append(s.keys[v.Key], v)
	if former != nil {
		former.until = seq
	}
	t.addTerms(w.Terms)
	return next, nil
}

// ownKey returns a key with strings of the store; those of a request may be part of its body.
func (s *Store) ownKey(key resources.Key, former *version) resources.Key {
	if former != nil {
		return former.Key
	}
	if others := s.types[key.Type]; len(others) > 0 {
		return resources.Key{Type: others[0].Type, ID: strings.Clone(key.ID)}
	}
	return resources.Key{Type: strings.Clone(key.Type), ID: strings.Clone(key.ID)}
}

func (t *transaction) addTerms(terms [][]byte) {
	for _, key := range terms {
		if _, had := t.store.entries.Get(entryOf(key, 0)); !had {
			t.terms = append(t.terms, t.store.add([][]byte{key}, 0)...)
		}
	}
}

// commit makes the written versions visible.
func (t *transaction) commit() error {
	s := t.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return resources.ErrClosed
	}
	t.done = true
	s.lastSeq = t.lastSeq
	s.snapshot = nil
	for _, v := range t.added {
		v.Body, v.values = s.arena.keep(v.Body), s.arena.keep(v.values)
		if all := s.keys[v.Key]; v.VersionID > 1 {
			s.superseded = append(s.superseded, all[v.VersionID-2])
		}
	}
	return nil
}

// rollback removes what was not committed.
func (t *transaction) rollback() {
	s := t.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.done || s.closed {
		return
	}
	for i := len(t.added) - 1; i >= 0; i-- {
		v := t.added[i]
		for _, key := range v.entries {
			s.entries.Delete(entry{key, v.seq})
		}
		s.versions = s.versions[:len(s.versions)-1]
		s.types[v.Type] = s.types[v.Type][:len(s.types[v.Type])-1]
		if all := s.keys[v.Key]; len(all) > 1 {
			s.keys[v.Key] = all[:len(all)-1]
			all[len(all)-2].until = index.Current
		} else {
			delete(s.keys, v.Key)
		}
	}
	for _, key := range t.terms {
		s.entries.Delete(entry{key: key})
	}
}

// state returns a reader that sees the versions of the transaction.
func (t *transaction) state() (*reader, error) {
	s := t.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, resources.ErrClosed
	}
	return &reader{store: s, at: t.lastSeq, entries: s.entries}, nil
}

// At returns the Seq of the last version, including those of the transaction.
func (t *transaction) At() index.Seq { return t.lastSeq }

// Scan scans entries, including those of the transaction. fn may write.
func (t *transaction) Scan(ctx context.Context, in index.Range, fn func([]byte, index.Seq) bool) error {
	r, err := t.state()
	if err != nil {
		return err
	}
	t.store.mu.Lock()
	r.entries = r.entries.Copy() // copy-on-write, so cheap
	t.store.mu.Unlock()
	return r.Scan(ctx, in, fn)
}

// Load returns versions by their Seq.
func (t *transaction) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	r, err := t.state()
	if err != nil {
		return nil, err
	}
	return r.Load(ctx, seqs, parts)
}

// Find returns the newest versions of keys.
func (t *transaction) Find(ctx context.Context, keys []resources.Key, parts index.Parts) ([]index.Record, error) {
	r, err := t.state()
	if err != nil {
		return nil, err
	}
	return r.Find(ctx, keys, parts)
}

// Versions returns a history.
func (t *transaction) Versions(ctx context.Context, q index.VersionsRequest) ([]index.Record, error) {
	r, err := t.state()
	if err != nil {
		return nil, err
	}
	return r.Versions(ctx, q)
}
