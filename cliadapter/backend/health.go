package backend

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
)

// The resource store is probed in the background, so that /readyz never waits for it.
const (
	probeEvery = time.Second
	probeTime  = 2 * time.Second // for one probe
	probeStale = 4 * time.Second // a result that is older means that the probe itself does not return
)

// storeHealth is what the last probe of a store found.
type storeHealth struct {
	probed    atomic.Pointer[probed]
	readsOnly atomic.Bool
}

type probed struct {
	resources.Health
	at time.Time
}

// last returns the result of the last probe; everything is well before the first one.
func (h *storeHealth) last() resources.Health {
	if p := h.probed.Load(); p != nil {
		return p.Health
	}
	return resources.Health{}
}

// checks returns the checks of a store for /readyz.
func (h *storeHealth) checks() []httpadapter.Check {
	return []httpadapter.Check{
		{Name: "store", Problem: "the resource store does not respond", Test: func(context.Context) error {
			if p := h.probed.Load(); p != nil && time.Since(p.at) > probeStale {
				return fmt.Errorf("the store has not responded since %s", p.at.Format(time.RFC3339))
			}
			return h.last().Reads
		}},
		{Name: "store-writes", Problem: "the resource store cannot be written", Test: func(context.Context) error {
			return h.last().Writes
		}},
		{Name: "store-lag", Problem: "the resource store is a standby that lags behind", Test: func(context.Context) error {
			return h.last().Lag
		}},
	}
}

// start probes a store until ctx ends or the returned function is called, which waits for the end.
// A store that cannot be probed is always well.
func (h *storeHealth) start(ctx context.Context, store resources.Store, log *slog.Logger) (stop func()) {
	monitored, ok := store.(resources.Monitored)
	if !ok {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		for {
			h.probe(ctx, monitored, log)
			select {
			case <-ctx.Done():
				return
			case <-time.After(probeEvery):
			}
		}
	})
	return func() {
		cancel()
		group.Wait()
	}
}

// probe probes a store once and logs what has changed.
func (h *storeHealth) probe(ctx context.Context, store resources.Monitored, log *slog.Logger) {
	limited, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	now := store.Probe(limited)
	if ctx.Err() != nil {
		return
	}
	was := h.last()
	h.probed.Store(&probed{Health: now, at: time.Now()})
	if standby, can := store.(resources.Standby); can {
		if reads := standby.ReadsOnly(); h.readsOnly.Swap(reads) != reads {
			log.Info("the resource store has changed its role", "standby", reads)
		}
	}
	for _, aspect := range []struct {
		was, now    error
		fails, well string
	}{
		{was.Reads, now.Reads, "the resource store does not respond", "the resource store responds again"},
		{was.Writes, now.Writes, "the resource store cannot be written", "the resource store can be written again"},
		{was.Lag, now.Lag, "the resource store lags behind its primary", "the resource store no longer lags behind its primary"},
		{was.Source, now.Source, "the resource store receives nothing from its primary", "the resource store receives from its primary again, or is one"},
		{was.Data, now.Data, "the resource store is damaged; roget verify lists what is, roget restore returns to a backup", "the resource store is intact again"},
	} {
		switch {
		case aspect.was == nil && aspect.now != nil:
			log.Error(aspect.fails, "err", aspect.now)
		case aspect.was != nil && aspect.now == nil:
			log.Info(aspect.well)
		}
	}
}
