package resources

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/roget-health/roget/resources/index"
)

const (
	// purgeEvery is the interval between purges of Maintain.
	purgeEvery = time.Minute
	// purgeAge is how long the pages of a search keep showing the same state.
	purgeAge = time.Hour
	// watchAgain is how long Maintain waits after an error before it watches again.
	watchAgain = 5 * time.Second
)

// Maintain runs until ctx ends. It first reads which tokens are in use, for searches with sets of
// codes. Then it purges the store every minute of index entries whose versions were superseded more
// than an hour ago, and of resources that WithRetention lets go. Meanwhile it builds the columns that
// searches want, and publishes what other processes that share the store have written. Errors are
// logged and the work is retried.
func (s *Service) Maintain(ctx context.Context) {
	var group sync.WaitGroup
	defer group.Wait()
	if watcher, ok := s.store.(Watcher); ok && s.listener != nil {
		group.Go(func() { s.watch(ctx, watcher) })
	}
	if s.indexed != nil {
		group.Go(func() {
			s.tools().searcher.Build(ctx, s.every, func(typ string, err error) {
				s.log.LogAttrs(ctx, slog.LevelWarn, "the columns of a type could not be built", slog.String("type", typ), slog.Any("error", err))
			})
		})
	}
	s.warm(ctx)
	ticker := time.NewTicker(purgeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if s.ReadsOnly() {
				continue
			}
			if _, err := s.Purge(ctx); err != nil && ctx.Err() == nil {
				s.log.LogAttrs(ctx, slog.LevelWarn, "the store could not be purged", slog.Any("error", err))
			}
			n, err := s.Forget(ctx)
			if err != nil && ctx.Err() == nil {
				s.log.LogAttrs(ctx, slog.LevelWarn, "old resources could not be removed", slog.Any("error", err))
			}
			if n > 0 {
				s.log.LogAttrs(ctx, slog.LevelInfo, "removed old resources", slog.String("type", s.appendOnly), slog.Int("resources", n))
			}
		}
	}
}

// warm reads the tokens in use. Otherwise the first search for a set of codes would take the time
// to do it.
func (s *Service) warm(ctx context.Context) {
	if s.indexed == nil || s.terminology == nil || s.stale.Load() != nil { // Reindex ends with it
		return
	}
	err := s.every(ctx, func(r index.Reader) error { return s.tools().searcher.Warm(ctx, r) })
	if err != nil && ctx.Err() == nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "the tokens in use could not be read", slog.Any("error", err))
	}
}

// Purge removes the index entries of versions that were superseded more than an hour ago, and
// returns the number of these versions; see Indexed.
func (s *Service) Purge(ctx context.Context) (versions int, err error) {
	if s.indexed == nil {
		return 0, nil
	}
	now := time.Now
	if s.now != nil {
		now = s.now
	}
	return s.indexed.Purge(ctx, s.held.before(now().Add(-purgeAge)))
}

// watch publishes what other processes write.
func (s *Service) watch(ctx context.Context, watcher Watcher) {
	for {
		err := watcher.Watch(ctx, terminologyTypes[:], func(keys []Key) {
			for _, key := range keys {
				if err := s.republish(ctx, key); err != nil && ctx.Err() == nil {
					s.log.LogAttrs(ctx, slog.LevelWarn, "a stored resource could not be published",
						slog.String("resource", key.String()), slog.Any("error", err))
				}
			}
		})
		if ctx.Err() != nil {
			return
		}
		s.log.LogAttrs(ctx, slog.LevelWarn, "watching the store for changes of other processes failed", slog.Any("error", err))
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchAgain):
		}
	}
}

// republish passes the current version of a resource to the listener, whoever wrote it.
func (s *Service) republish(ctx context.Context, key Key) error {
	unlock, err := s.lock(ctx, key)
	if err != nil {
		return err
	}
	defer unlock()
	v, err := s.store.Read(ctx, key)
	switch {
	case errors.Is(err, ErrGone):
		v.Body = nil
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	if s.published.has(&v) {
		return nil
	}
	publish, err := s.prepare(ctx, v)
	if err != nil {
		return err
	}
	publish()
	return nil
}
