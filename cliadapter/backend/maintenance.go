package backend

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/adapters/subscriptions"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
)

// newResources returns the resource service of a server on its store. Searches ask the engine
// for the meaning of codes.
func newResources(store resources.Store, eng *engine.Engine, o cliadapter.ServeOptions, memory *memoryPlan, watch *watcher) *resources.Service {
	opts := []resources.Option{
		resources.WithLogger(o.Logger), resources.WithTerminology(eng), resources.WithLifecycle(o.Lifecycle),
		resources.WithPageBytes(memory.page), resources.WithColumnBytes(memory.columns), resources.WithSubscriptions(subscriptions.Hosts(o.SubscriptionHosts).Allow),
	}
	if watch.steps != nil || watch.tracer != nil {
		opts = append(opts, resources.WithObserver(watch))
	}
	if o.Profiles {
		opts = append(opts, resources.WithProfiles())
	}
	if o.Relaxed {
		opts = append(opts, resources.WithoutValidation())
	}
	if o.Audit.Events {
		opts = append(opts, resources.WithAppendOnly("AuditEvent"), resources.WithRetention(o.Audit.EventsKeep))
	}
	if address := o.Edge.BaseURL; address != "" {
		opts = append(opts, resources.WithBases(httpadapter.Bases(strings.TrimRight(address, "/"))...))
	}
	return resources.NewService(store, eng, opts...)
}

const (
	// reindexLogEvery is how often the log says how far the index is.
	reindexLogEvery = 10 * time.Second
	// reindexAgain is how long reindexing waits after an error, and turn how long at most after a change.
	reindexAgain, reindexTurn = 5 * time.Second, time.Second
)

// startReindex brings the search index of a store that another version wrote up to date in the background,
// half of the time, so that requests have the other half. The returned function stops that and waits for it.
func (s *Service) startReindex(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	if s.resources.Indexing() != "" {
		group.Go(func() { s.reindex(ctx) })
	}
	return func() {
		cancel()
		group.Wait()
	}
}

func (s *Service) reindex(ctx context.Context) {
	last, logged := time.Now(), time.Time{}
	err := errors.New("not begun")
	for err != nil && ctx.Err() == nil {
		err = s.resources.Reindex(ctx, func(int) {
			if time.Since(logged) >= reindexLogEvery {
				s.log.Info("bringing the search index up to date", "progress", s.resources.Indexing())
				logged = time.Now()
			}
			sleep(ctx, min(time.Since(last), reindexTurn))
			last = time.Now()
		})
		if err != nil && ctx.Err() == nil {
			s.log.Warn("the search index could not be brought up to date and will be continued", "progress", s.resources.Indexing(), "error", err)
			sleep(ctx, reindexAgain)
		}
	}
	if err == nil {
		s.log.Info("the search index is up to date")
	}
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// startSubscriptions notifies the endpoints of Subscriptions in the background, if hosts are allowed. The
// returned function stops that and waits for it.
func (s *Service) startSubscriptions(ctx context.Context, o cliadapter.ServeOptions) (stop func()) {
	journal, keeps := s.store.(resources.Journaler)
	if len(o.SubscriptionHosts) == 0 || !keeps {
		return func() {}
	}
	opts := subscriptions.Options{Logger: o.Logger}
	if auditor := s.auditor(); auditor != nil {
		opts.Audit = func(ctx context.Context, r audit.Record) error { return auditor.Append(ctx, r) }
	}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { subscriptions.New(s.resources, journal, opts).Run(ctx) })
	return func() {
		cancel()
		group.Wait()
	}
}

// startMaintenance maintains the resource store in the background. The returned function stops
// the maintenance and waits for it.
func (s *Service) startMaintenance(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { s.resources.Maintain(ctx) })
	return func() {
		cancel()
		group.Wait()
	}
}
