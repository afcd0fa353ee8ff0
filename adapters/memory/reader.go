package memory

import (
	"bytes"
	"context"
	"slices"

	"github.com/tidwall/btree"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// reader reads the state of a store up to a Seq.
type reader struct {
	store   *Store
	at      index.Seq
	entries *btree.BTreeG[entry] // never modified
}

// View calls fn with a reader of the last committed state. Writers do not wait for it.
func (s *Store) View(ctx context.Context, fn func(index.Reader) error) error {
	r, err := s.newReader(ctx)
	if err != nil {
		return err
	}
	return fn(r)
}

func (s *Store) newReader(ctx context.Context) (*reader, error) {
	if err := s.lockForRead(ctx); err != nil {
		return nil, err
	}
	r := &reader{store: s, at: s.lastSeq, entries: s.snapshot}
	s.mu.RUnlock()
	if r.entries != nil {
		return r, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, resources.ErrClosed
	}
	if s.snapshot == nil {
		s.snapshot = s.entries.Copy()
	}
	r.at, r.entries = s.lastSeq, s.snapshot
	return r, nil
}

// At returns the Seq of the last version.
func (r *reader) At() index.Seq { return r.at }

// Scan scans a range of the tree.
func (r *reader) Scan(ctx context.Context, in index.Range, fn func([]byte, index.Seq) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n, failed := 0, error(nil)
	each := func(e entry) bool {
		if n++; n%1024 == 0 {
			if failed = ctx.Err(); failed != nil {
				return false
			}
		}
		key := e.bytes()
		if in.Reverse && bytes.Compare(key, in.From) < 0 || !in.Reverse && in.To != nil && bytes.Compare(key, in.To) >= 0 {
			return false
		}
		if e.seq > r.at || in.After != nil && e.seq == in.AfterSeq && bytes.Equal(key, in.After) {
			return true
		}
		return fn(key, e.seq)
	}
	// A bound has no Seq, so it precedes all entries with an equal key.
	start := entryOf(in.From, -1)
	switch {
	case in.After != nil:
		start = entryOf(in.After, in.AfterSeq)
	case in.Reverse && in.To != nil:
		start = entryOf(in.To, -1)
	case in.Reverse:
		r.entries.Reverse(each)
		return failed
	}
	if in.Reverse {
		r.entries.Descend(start, each)
	} else {
		r.entries.Ascend(start, each)
	}
	return failed
}

// Load returns versions by their Seq.
func (r *reader) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	if err := r.store.lockForRead(ctx); err != nil {
		return nil, err
	}
	defer r.store.mu.RUnlock()
	records := make([]index.Record, len(seqs))
	for i, seq := range seqs {
		all := r.store.versions
		if n := countBefore(all, seq); n < len(all) && all[n].seq == seq && seq <= r.at {
			records[i] = r.record(all[n], parts)
		}
	}
	return records, nil
}

// Find returns the newest versions of keys.
func (r *reader) Find(ctx context.Context, keys []resources.Key, parts index.Parts) ([]index.Record, error) {
	if err := r.store.lockForRead(ctx); err != nil {
		return nil, err
	}
	defer r.store.mu.RUnlock()
	records := make([]index.Record, len(keys))
	for i, key := range keys {
		if v := newest(r.store.keys[key], r.at); v != nil {
			records[i] = r.record(v, parts)
		}
	}
	return records, nil
}

// Versions returns a history.
func (r *reader) Versions(ctx context.Context, q index.VersionsRequest) ([]index.Record, error) {
	if err := r.store.lockForRead(ctx); err != nil {
		return nil, err
	}
	defer r.store.mu.RUnlock()
	all := r.store.versions
	switch {
	case q.ID != "":
		all = r.store.keys[resources.Key{Type: q.Type, ID: q.ID}]
	case q.Type != "":
		all = r.store.types[q.Type]
	}
	end := r.at
	if q.Before > 0 {
		end = min(end, q.Before-1)
	}
	all = committed(all, end)
	all = all[countBefore(all, q.Since):]
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[len(all)-q.Limit:]
	}
	records := make([]index.Record, 0, len(all))
	for _, v := range slices.Backward(all) {
		records = append(records, r.record(v, q.Parts))
	}
	return records, nil
}

// Count counts the current versions of a type.
func (r *reader) Count(ctx context.Context, typ string) (n int, err error) {
	if err := r.store.lockForRead(ctx); err != nil {
		return 0, err
	}
	defer r.store.mu.RUnlock()
	for _, v := range committed(r.store.types[typ], r.at) {
		if v.until > r.at && !v.Deleted {
			n++
		}
	}
	return n, nil
}

// record returns a version as a record, as seen by the reader. The store must be locked.
func (r *reader) record(v *version, parts index.Parts) index.Record {
	record := index.Record{
		Type: v.Type, ID: v.ID, VersionID: v.VersionID,
		LastUpdated: v.LastUpdated, Deleted: v.Deleted, Seq: v.seq, Until: v.until,
	}
	if v.until > r.at {
		record.Until = index.Current
	}
	if parts&index.WithValues != 0 {
		record.Values = v.values
	}
	if parts&(index.WithBody|index.WithSmallBody) != 0 { // nothing has to be loaded
		record.Body = v.Body
	}
	if parts&(index.WithSize|index.WithSmallBody) != 0 {
		record.Size = len(v.Body)
	}
	return record
}
