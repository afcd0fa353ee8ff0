package resources

import (
	"context"
	"sync"
	"time"

	"github.com/roget-health/roget/resources/index"
)

// State returns the present state of the store, for search.Options.At.
func (s *Service) State(ctx context.Context) (index.Seq, error) {
	var at index.Seq
	err := s.every(ctx, func(r index.Reader) error {
		at = r.At()
		return nil
	})
	return at, err
}

// Hold keeps the states of the store since a time from being purged, until release is called. Other
// processes that share the store do not know of it.
func (s *Service) Hold(since time.Time) (release func()) { return s.held.add(since) }

// heldStates are the times since when states are held.
type heldStates struct {
	mu    sync.Mutex
	times map[*time.Time]struct{}
}

func (h *heldStates) add(since time.Time) (release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.times == nil {
		h.times = map[*time.Time]struct{}{}
	}
	h.times[&since] = struct{}{}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.times, &since)
	}
}

// before returns the earliest of a time and those that are held.
func (h *heldStates) before(at time.Time) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	for since := range h.times {
		if since.Before(at) {
			at = *since
		}
	}
	return at
}
