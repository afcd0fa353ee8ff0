package sqlstore

import (
	"context"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// purgeBatch is the number of versions cleared in one transaction, while writers wait.
const purgeBatch = 200

// Purge drops the entries of versions that were superseded before a time. It returns the number
// of versions.
func (s *Store) Purge(ctx context.Context, before time.Time) (versions int, err error) {
	for {
		cleared := 0
		err := s.exclusive(ctx, func(ctx context.Context, w Writer) error {
			stale, err := w.Superseded(ctx, index.SeqAt(before), purgeBatch)
			if err != nil || len(stale) == 0 {
				return err
			}
			cleared = len(stale)
			return w.Clear(ctx, stale)
		})
		if err != nil {
			return versions, err
		}
		if versions += cleared; cleared < purgeBatch {
			return versions, nil
		}
	}
}

// Forget removes the resources of a type whose only version is from before a time. It returns their
// number.
func (s *Store) Forget(ctx context.Context, typ string, before time.Time) (forgotten int, err error) {
	for {
		removed := 0
		err := s.exclusive(ctx, func(ctx context.Context, w Writer) error {
			sole, err := w.Sole(ctx, typ, index.SeqAt(before), purgeBatch)
			if err != nil || len(sole) == 0 {
				return err
			}
			removed = len(sole)
			return w.Forget(ctx, sole)
		})
		if err != nil {
			return forgotten, err
		}
		if forgotten += removed; removed < purgeBatch {
			return forgotten, nil
		}
	}
}

// Reindex replaces the entries and values of versions.
func (s *Store) Reindex(ctx context.Context, versions []resources.Reindexed) error {
	seqs := make([]index.Seq, len(versions))
	for i, v := range versions {
		seqs[i] = v.Seq
	}
	return s.exclusive(ctx, func(ctx context.Context, w Writer) error {
		had, err := w.Entries(ctx, seqs)
		if err != nil {
			return err
		}
		there := make(map[index.Seq]bool, len(had))
		for _, h := range had {
			there[h.Seq] = true
		}
		var kept []resources.Reindexed
		for _, v := range versions {
			if there[v.Seq] {
				kept = append(kept, v)
			}
		}
		if len(kept) == 0 {
			return nil
		}
		return w.Reindex(ctx, had, kept)
	})
}

// SetMark sets a named value about the store.
func (s *Store) SetMark(ctx context.Context, name, value string) error {
	return s.exclusive(ctx, func(ctx context.Context, w Writer) error { return w.SetMark(ctx, name, value) })
}

// SwapMark sets a named value about the store if it has another, and returns the one it then has.
func (s *Store) SwapMark(ctx context.Context, name, was, value string) (now string, err error) {
	err = s.exclusive(ctx, func(ctx context.Context, w Writer) error {
		if now, err = s.db.Mark(ctx, name); err != nil || now != was { // others that set it wait
			return err
		}
		now = value
		return w.SetMark(ctx, name, value)
	})
	return now, err
}

// exclusive runs fn as a job with direct access to the Writer.
func (s *Store) exclusive(ctx context.Context, fn func(context.Context, Writer) error) error {
	return s.submit(ctx, request{}, func(t *transaction) error {
		if err := t.insert(ctx); err != nil {
			return err
		}
		if err := t.save(ctx); err != nil {
			return err
		}
		return t.recordFailure(fn(ctx, t.group.w))
	})
}
