package main

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// The packs of the data folder were verified when they were written or first opened.
// The patrol reads them again, for media fail silently.
const (
	patrolRate  = 64 << 20 // bytes a second
	patrolEvery = 24 * time.Hour
)

// startPatrol reads the packs of the data folder in the background, again and again. What
// it finds goes to the log and to /readyz. The result ends it.
func (s *service) startPatrol(ctx context.Context, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		for s.patrol(ctx, log) {
			select {
			case <-ctx.Done():
			case <-time.After(patrolEvery):
			}
		}
	})
	return func() {
		cancel()
		group.Wait()
	}
}

// patrol reads the packs once and tells whether to go on.
func (s *service) patrol(ctx context.Context, log *slog.Logger) (goOn bool) {
	began := time.Now()
	err := s.dir.Patrol(ctx, patrolRate)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		log.Error("the data folder is damaged; start again to compile it from its sources, or load them again", "err", err)
		s.damage.Store(&err)
		return false
	}
	packs, bytes := s.dir.Extent()
	log.Debug("read all packs: they are as they were written", "packs", packs, "bytes", bytes, "took", time.Since(began))
	return true
}

// ready reports what keeps the service from being relied on.
func (s *service) ready(context.Context) error {
	if damage := s.damage.Load(); damage != nil {
		return *damage
	}
	return nil
}
