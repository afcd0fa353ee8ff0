package backend

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources/export"
)

// openExports opens the folder of exports, before the store is maintained: exports that are under way
// hold the state that they show. It returns nil if there is none.
func (s *Service) openExports(o cliadapter.ServeOptions) (httpadapter.Exports, error) {
	if o.Exports.Folder == "" {
		return nil, nil
	}
	jobs, err := export.Open(o.Exports.Folder, s.resources, export.Options{Keep: o.Exports.Keep, Log: o.Logger})
	if err != nil {
		return nil, fmt.Errorf("the folder of --exports: %w", err)
	}
	s.exports = jobs
	s.fact(slog.String("exports", o.Exports.Folder))
	return jobs, nil
}

// startExports runs exports in the background. The returned function interrupts them and waits.
func (s *Service) startExports(ctx context.Context) (stop func()) {
	if s.exports == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { s.exports.Run(ctx) })
	return func() {
		cancel()
		group.Wait()
	}
}
