package backend

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/roget-health/roget/codesystem"
)

// The packs of the data folder are verified when they are written and when they are first
// opened. The scrub reads them again from time to time, because storage media fail silently.
const (
	scrubRate  = 64 << 20 // bytes per second
	scrubEvery = 24 * time.Hour
	scrubRetry = 10 * time.Minute // after packs that could not be read
)

// startScrub reads the packs of the data folder repeatedly in the background. Corruption is
// reported in the log and at /readyz. The returned function stops the scrub and waits for it.
func (s *Service) startScrub(ctx context.Context, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		for again := s.scrub(ctx, log); again > 0; again = s.scrub(ctx, log) {
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

// scrub reads all packs once and returns the time to wait before the next pass, or 0 when no
// further pass is needed.
func (s *Service) scrub(ctx context.Context, log *slog.Logger) (again time.Duration) {
	began := time.Now()
	err := s.dir.Scrub(ctx, scrubRate)
	if ctx.Err() != nil {
		return 0
	}
	if err != nil {
		return s.scrubFailed(err, log)
	}
	s.damage.Store(nil)
	packs, bytes := s.dir.Extent()
	log.Debug("scrub: all packs are intact", "packs", packs, "bytes", bytes, "took", time.Since(began))
	return scrubEvery
}

// scrubFailed reports the error of a pass. Corruption is permanent and ends the scrub; a read
// error may be a network file system that was away for a moment, so it is tried again.
func (s *Service) scrubFailed(err error, log *slog.Logger) (again time.Duration) {
	s.damage.Store(&err)
	s.damages.pack(foundByScrub, err)
	if errors.Is(err, codesystem.ErrDamaged) {
		log.Error("the data folder is corrupt; load its sources again, or restart the server to compile them", "err", err)
		return 0
	}
	log.Error("the data folder cannot be read", "err", err, "retry", scrubRetry)
	return scrubRetry
}

// intact returns an error when the data of the service must not be relied on.
func (s *Service) intact(context.Context) error {
	if damage := s.damage.Load(); damage != nil {
		return *damage
	}
	if damage := s.walked.Load(); damage != nil {
		return *damage
	}
	return s.health.last().Data
}
