package backend

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/resources"
)

// The resource store is read in full once a day, like the packs. Of several servers on one store,
// the first one whose day is over does it.
const (
	walkRate  = 32 << 20 // bytes per second
	walkCheck = 10 * time.Minute
	walkMark  = "walked" // the mark with the time of the last walk that found nothing
)

// startWalk reads the resource store repeatedly in the background. Damage is reported in the log
// and at /readyz. The returned function stops it and waits for its end.
func (s *Service) startWalk(ctx context.Context, log *slog.Logger) (stop func()) {
	marker, marks := s.store.(resources.Marker)
	if _, ok := s.store.(resources.Verifiable); !ok || !marks {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		for {
			if err := s.walkIfDue(ctx, marker, log); err != nil && ctx.Err() == nil {
				log.Warn("the resource store could not be read for its daily check", "err", err, "retry", walkCheck)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(walkCheck):
			}
		}
	})
	return func() {
		cancel()
		group.Wait()
	}
}

// walkIfDue adds missing checksums, and verifies the store if nobody did within a day.
func (s *Service) walkIfDue(ctx context.Context, marker resources.Marker, log *slog.Logger) error {
	if err := s.resources.Complete(ctx, paced(walkRate)); err != nil {
		return err
	}
	mark, err := marker.Mark(ctx, walkMark)
	if err != nil {
		return err
	}
	last, _ := time.Parse(time.RFC3339, mark)
	if age := time.Since(last); age >= 0 && age < scrubEvery {
		return nil
	}
	if err := marker.SetMark(ctx, walkMark, time.Now().UTC().Format(time.RFC3339)); err != nil { // for the other servers
		return err
	}
	err = s.walk(ctx, log)
	if err != nil || s.walked.Load() != nil {
		err = errors.Join(err, marker.SetMark(context.WithoutCancel(ctx), walkMark, ""))
	}
	return err
}

// walk verifies the store once.
func (s *Service) walk(ctx context.Context, log *slog.Logger) error {
	began := time.Now()
	var done cliadapter.Verified
	o := resources.VerifyOptions{Structure: resources.QuickStructure, Pause: paced(walkRate), Found: s.damages.walked}
	damage, err := verifyStore(ctx, s.store, o, &done)
	switch {
	case damage != nil:
		s.walked.Store(&damage)
		log.Error("the resource store is damaged", "err", damage)
	case err == nil:
		s.walked.Store(nil)
		log.Debug("the resource store is intact", "versions", done.Versions, "bytes", done.StoreBytes, "took", time.Since(began))
	}
	return err
}

// paced returns a pause that keeps the work of a loop below a rate, in bytes per second.
func paced(rate int64) func(ctx context.Context, bytes int64) error {
	var done int64
	began := time.Now()
	return func(ctx context.Context, bytes int64) error {
		done += bytes
		early := time.Duration(float64(done)/float64(rate)*float64(time.Second)) - time.Since(began)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(early):
			return nil
		}
	}
}
