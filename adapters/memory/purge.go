package memory

import (
	"context"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// purgeBatch is the number of versions cleared at once, while readers wait.
const purgeBatch = 100

// Purge drops the entries of versions that were superseded before a time. It returns the number
// of versions.
func (s *Store) Purge(ctx context.Context, at time.Time) (int, error) {
	cleared := 0
	for {
		var n int
		err := s.exclusively(ctx, func() error {
			n = s.purge(index.SeqAt(at), purgeBatch)
			return nil
		})
		cleared += n
		if err != nil || n < purgeBatch {
			return cleared, err
		}
	}
}

func (s *Store) purge(at index.Seq, limit int) (cleared int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for cleared < min(limit, len(s.superseded)) && s.superseded[cleared].until < at {
		s.dropEntries(s.superseded[cleared])
		s.superseded[cleared] = nil
		cleared++
	}
	if cleared > 0 {
		s.superseded = s.superseded[cleared:]
		s.snapshot = nil
	}
	return cleared
}

func (s *Store) dropEntries(v *version) {
	for _, key := range v.entries {
		s.entries.Delete(entry{key, v.seq})
	}
	v.entries = nil
}

// Reindex replaces the entries and values of versions.
func (s *Store) Reindex(ctx context.Context, versions []resources.Reindexed) error {
	return s.exclusively(ctx, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.snapshot = nil
		for _, x := range versions {
			n := countBefore(s.versions, x.Seq)
			if n == len(s.versions) || s.versions[n].seq != x.Seq || s.versions[n].Deleted {
				continue
			}
			v := s.versions[n]
			s.dropEntries(v)
			v.values, v.entries = s.arena.keep(x.Values), s.add(x.Entries, v.seq)
			s.add(x.Terms, 0)
		}
		return nil
	})
}
