package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

var (
	_ resources.Reindexer = (*Store)(nil)
	_ resources.Marker    = (*Store)(nil)
)

// Reindex replaces the entries and values of versions.
func (s *Store) Reindex(ctx context.Context, versions []resources.Reindexed) error {
	return s.writing(ctx, func() error {
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		var rows []entry
		replaced := make(map[index.Seq]bool)
		values := make(map[*version][]byte)
		for _, x := range versions {
			n, found := slices.BinarySearchFunc(now.versions, x.Seq, func(v *version, seq index.Seq) int { return cmp.Compare(v.seq, seq) })
			if !found || now.versions[n].Deleted {
				continue
			}
			values[now.versions[n]] = x.Values
			replaced[x.Seq] = true
			rows = append(rows, entriesOf(x.Entries, x.Seq)...)
			rows = append(rows, entriesOf(x.Terms, 0)...)
		}
		s.drop(replaced)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.entries = merged(s.entries, rows)
		for v, x := range values {
			v.values = x
		}
		return nil
	})
}

// Mark returns a note that the service has left about the index.
func (s *Store) Mark(ctx context.Context, name string) (value string, err error) {
	err = s.writing(ctx, func() error {
		value = s.marks[name]
		return nil
	})
	return value, err
}

// SetMark leaves a note. Notes are about the index, and like the index they end with the
// process: the next one finds none and makes the index again.
func (s *Store) SetMark(ctx context.Context, name, value string) error {
	return s.writing(ctx, func() error {
		s.marks[name] = value
		return nil
	})
}

// SwapMark leaves a note if there is another, which another process may have changed.
func (s *Store) SwapMark(ctx context.Context, name, was, value string) (now string, err error) {
	err = s.writing(ctx, func() error {
		if s.marks[name] == was {
			s.marks[name] = value
		}
		now = s.marks[name]
		return nil
	})
	return now, err
}
