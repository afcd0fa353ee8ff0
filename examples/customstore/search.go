package main

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

var _ resources.Indexed = (*Store)(nil)

// entry is a row of the index: a byte string and the version it belongs to.
type entry struct {
	key string
	seq index.Seq
}

func compare(a, b entry) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.seq, b.seq))
}

// merged returns a new list with the entries of a, which is in order, and of b, each once. It
// costs a copy of a, which is bearable for some 100,000 entries; adapters/memory has a tree.
func merged(a, b []entry) []entry {
	slices.SortFunc(b, compare)
	both := make([]entry, 0, len(a)+len(b))
	for len(b) > 0 {
		n, found := slices.BinarySearchFunc(a, b[0], compare)
		both = append(both, a[:n]...)
		if !found && (len(both) == 0 || both[len(both)-1] != b[0]) {
			both = append(both, b[0])
		}
		a, b = a[n:], b[1:]
	}
	return append(both, a...)
}

// state is what the store holds at one point, and implements index.Reader. Versions and
// entries are never changed in place, so a state stays as it is while others write.
type state struct {
	store    *Store
	at       index.Seq
	versions []*version
	entries  []entry
	added    map[resources.Key][]*version // by a transaction
}

var _ index.Reader = (*state)(nil)

// View calls fn with the present state.
func (s *Store) View(ctx context.Context, fn func(index.Reader) error) error {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	return fn(now)
}

// of returns the versions of a resource, in the order they were written.
func (s *state) of(key resources.Key) []*version {
	s.store.mu.RLock()
	all := s.store.byKey[key]
	s.store.mu.RUnlock()
	for len(all) > 0 && all[len(all)-1].seq > s.at {
		all = all[:len(all)-1]
	}
	return append(slices.Clip(all), s.added[key]...)
}

// until returns the Seq of the version that follows one, or index.Current.
func (s *state) until(v *version) index.Seq {
	if all := s.of(v.Key); v.VersionID < int64(len(all)) {
		return all[v.VersionID].seq
	}
	return index.Current
}

// At returns the Seq of the last version.
func (s *state) At() index.Seq { return s.at }

// Scan calls fn for the entries of a range.
func (s *state) Scan(ctx context.Context, r index.Range, fn func([]byte, index.Seq) bool) error {
	entries := s.entries
	first := func(is func(e entry) bool) int {
		return sort.Search(len(entries), func(i int) bool { return is(entries[i]) })
	}
	from := first(func(e entry) bool { return e.key >= string(r.From) })
	to := len(entries)
	if r.To != nil {
		to = first(func(e entry) bool { return e.key >= string(r.To) })
	}
	if r.After != nil {
		after := entry{string(r.After), r.AfterSeq}
		if r.Reverse {
			to = min(to, first(func(e entry) bool { return compare(e, after) >= 0 }))
		} else {
			from = max(from, first(func(e entry) bool { return compare(e, after) > 0 }))
		}
	}
	for n := range max(0, to-from) {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := entries[from+n]
		if r.Reverse {
			e = entries[to-1-n]
		}
		if !fn([]byte(e.key), e.seq) {
			break
		}
	}
	return ctx.Err()
}

// Load returns versions by their Seq.
func (s *state) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	records := make([]index.Record, len(seqs))
	for i, seq := range seqs {
		n, found := slices.BinarySearchFunc(s.versions, seq, func(v *version, seq index.Seq) int { return cmp.Compare(v.seq, seq) })
		if found {
			records[i] = s.record(s.versions[n], parts)
		}
	}
	return records, ctx.Err()
}

// Find returns the newest versions of resources.
func (s *state) Find(ctx context.Context, keys []resources.Key, parts index.Parts) ([]index.Record, error) {
	records := make([]index.Record, len(keys))
	for i, key := range keys {
		if all := s.of(key); len(all) > 0 {
			records[i] = s.record(all[len(all)-1], parts)
		}
	}
	return records, ctx.Err()
}

// Versions returns a history, newest first.
func (s *state) Versions(ctx context.Context, r index.VersionsRequest) ([]index.Record, error) {
	var records []index.Record
	for _, v := range slices.Backward(s.versions) {
		switch {
		case v.seq < r.Since || r.Limit > 0 && len(records) == r.Limit:
			return records, ctx.Err()
		case r.Before > 0 && v.seq >= r.Before, r.Type != "" && v.Type != r.Type, r.ID != "" && v.ID != r.ID:
		default:
			records = append(records, s.record(v, r.Parts))
		}
	}
	return records, ctx.Err()
}

func (s *state) record(v *version, parts index.Parts) index.Record {
	record := index.Record{
		Type: v.Type, ID: v.ID, VersionID: v.VersionID, LastUpdated: v.LastUpdated,
		Deleted: v.Deleted, Seq: v.seq, Until: s.until(v),
	}
	if parts&index.WithValues != 0 {
		s.store.mu.RLock() // Reindex may replace them
		record.Values = v.values
		s.store.mu.RUnlock()
	}
	if parts&(index.WithBody|index.WithSmallBody) != 0 { // all documents are in memory
		record.Body = v.Body
	}
	if parts&(index.WithSize|index.WithSmallBody) != 0 {
		record.Size = len(v.Body)
	}
	return record
}

// Purge drops the entries of versions that were superseded before a time.
func (s *Store) Purge(ctx context.Context, before time.Time) (cleared int, err error) {
	err = s.writing(ctx, func() error {
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		gone := make(map[index.Seq]bool)
		for _, v := range now.versions {
			if !v.purged && now.until(v) < index.SeqAt(before) {
				v.purged = true
				gone[v.seq] = true
			}
		}
		cleared = len(gone)
		s.drop(gone)
		return nil
	})
	return cleared, err
}

// drop takes the entries of versions out of the index.
func (s *Store) drop(gone map[index.Seq]bool) {
	if len(gone) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = slices.DeleteFunc(slices.Clone(s.entries), func(e entry) bool { return gone[e.seq] })
}

// entriesOf returns the rows of a version.
func entriesOf(keys [][]byte, seq index.Seq) []entry {
	entries := make([]entry, len(keys))
	for i, key := range keys {
		entries[i] = entry{string(key), seq}
	}
	return entries
}
