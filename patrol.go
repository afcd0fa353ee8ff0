package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/roget-health/roget/codesystem"
)

// The packs of the data folder were verified when they were written or first opened.
// The patrol reads them again, for media fail silently.
const (
	patrolRate  = 64 << 20 // bytes a second
	patrolEvery = 24 * time.Hour
	patrolRetry = 10 * time.Minute // after packs that could not be read
)

// startPatrol reads the packs of the data folder in the background, again and again. What
// it finds goes to the log and to /readyz. The result ends it.
func (s *service) startPatrol(ctx context.Context, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		for again := s.patrol(ctx, log); again > 0; again = s.patrol(ctx, log) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(again):
			}
		}
	})
	return func() {
		cancel()
		group.Wait()
	}
}

// patrol reads the packs once and tells when to do so again; 0: never.
func (s *service) patrol(ctx context.Context, log *slog.Logger) (again time.Duration) {
	began := time.Now()
	err := s.dir.Scrub(ctx, patrolRate)
	if ctx.Err() != nil {
		return 0
	}
	if err != nil {
		return s.patrolFailed(err, log)
	}
	s.damage.Store(nil)
	packs, bytes := s.dir.Extent()
	log.Debug("read all packs: they are as they were written", "packs", packs, "bytes", bytes, "took", time.Since(began))
	return patrolEvery
}

// patrolFailed reports what a patrol has found. Damage stays; what could not be read may
// be a network that was away for a moment.
func (s *service) patrolFailed(err error, log *slog.Logger) (again time.Duration) {
	s.damage.Store(&err)
	if errors.Is(err, codesystem.ErrDamaged) {
		log.Error("the data folder is damaged; start again to compile it from its sources, or load them again", "err", err)
		return 0
	}
	log.Error("the data folder cannot be read", "err", err, "again", patrolRetry)
	return patrolRetry
}

// ready reports what keeps the service from being relied on.
func (s *service) ready(context.Context) error {
	if damage := s.damage.Load(); damage != nil {
		return *damage
	}
	return nil
}
