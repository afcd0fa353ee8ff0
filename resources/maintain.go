package resources

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/roget-health/roget/resources/index"
)

const (
	// purgeEvery is how often Maintain purges.
	purgeEvery = time.Minute
	// purgeAge is how long pages of one search stay what they were.
	purgeAge = time.Hour
	// watchAgain is how long Maintain waits before it watches again after an error.
	watchAgain = 5 * time.Second
)

// Maintain reads which tokens are in use, for searches for sets of codes; then, until ctx
// ends, it purges the store every minute of entries that nobody needs any more, because
// their versions were superseded more than an hour ago, and publishes what other processes
// that share the store have written. What fails is logged and tried again.
func (s *Service) Maintain(ctx context.Context) {
	if watcher, ok := s.store.(Watcher); ok && s.listener != nil {
		done := make(chan struct{})
		defer func() { <-done }()
		go func() {
			defer close(done)
			s.watch(ctx, watcher)
		}()
	}
	s.warm(ctx)
	ticker := time.NewTicker(purgeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if _, err := s.Purge(ctx); err != nil && ctx.Err() == nil {
				s.log.LogAttrs(ctx, slog.LevelWarn, "purging the store failed", slog.Any("error", err))
			}
		}
	}
}

// warm readies searches for sets of codes: the first one would take the time else.
func (s *Service) warm(ctx context.Context) {
	if s.indexed == nil || s.terminology == nil {
		return
	}
	err := s.view(ctx, func(r index.Reader) error { return s.tools().searcher.Warm(ctx, r) })
	if err != nil && ctx.Err() == nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "reading the tokens in use failed", slog.Any("error", err))
	}
}

// Purge drops the entries of versions that were superseded more than an hour ago; see
// Indexed. It gives of how many versions.
func (s *Service) Purge(ctx context.Context) (versions int, err error) {
	if s.indexed == nil {
		return 0, nil
	}
	now := time.Now
	if s.now != nil {
		now = s.now
	}
	return s.indexed.Purge(ctx, now().Add(-purgeAge))
}

// watch publishes what other processes write.
func (s *Service) watch(ctx context.Context, watcher Watcher) {
	for {
		err := watcher.Watch(ctx, terminologyTypes[:], func(keys []Key) {
			for _, key := range keys {
				if err := s.republish(ctx, key); err != nil && ctx.Err() == nil {
					s.log.LogAttrs(ctx, slog.LevelWarn, "stored resource cannot be published",
						slog.String("resource", key.String()), slog.Any("error", err))
				}
			}
		})
		if ctx.Err() != nil {
			return
		}
		s.log.LogAttrs(ctx, slog.LevelWarn, "watching the store failed", slog.Any("error", err))
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchAgain):
		}
	}
}

// republish tells the listener of the current version of a resource, whoever wrote it.
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
