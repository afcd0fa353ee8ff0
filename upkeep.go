package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// newService makes the service of a server on its store. Searches ask the engine what
// codes mean.
func newService(store resources.Store, eng *engine.Engine, o cliadapter.ServeOptions) *resources.Service {
	opts := []resources.Option{
		resources.WithLogger(o.Logger), resources.WithTerminology(eng), resources.WithLifecycle(o.Lifecycle),
	}
	if o.Relaxed {
		opts = append(opts, resources.WithoutValidation())
	}
	return resources.NewService(store, eng, opts...)
}

// indexedTold is how many versions are indexed between two lines of the log.
const indexedTold = 50_000

// reindex brings a store of another version up to date, before anybody searches it.
func reindex(ctx context.Context, kept *resources.Service, log *slog.Logger) error {
	err := kept.Reindex(ctx, func(done int) {
		if done%indexedTold == 0 {
			log.Info("indexing the resource store for searches", "versions", done)
		}
	})
	if err != nil {
		return fmt.Errorf("index the resource store: %w", err)
	}
	return nil
}

// startUpkeep lets the service look after its store in the background. The result ends it.
func (s *service) startUpkeep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { s.kept.Maintain(ctx) })
	return func() {
		cancel()
		group.Wait()
	}
}
