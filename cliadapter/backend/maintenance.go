package backend

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"

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

// reindexLogEvery is the number of resource versions indexed between two lines of the log.
const reindexLogEvery = 50_000

// reindex brings the search index of a store that another version wrote up to date.
func reindex(ctx context.Context, svc *resources.Service, log *slog.Logger) error {
	err := svc.Reindex(ctx, func(done int) {
		if done%reindexLogEvery == 0 {
			log.Info("indexing the resource store for searches", "versions", done)
		}
	})
	if err != nil {
		return fmt.Errorf("index the resource store: %w", err)
	}
	return nil
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
