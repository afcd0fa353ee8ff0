package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
)

// A reloadable is a part of the service that takes up changes while requests are answered.
type reloadable struct {
	name string // in the log: "data folder", "certificates"
	// reload takes up what has changed. After an error, the former state stays in force.
	reload func(ctx context.Context) error
	// stale reports whether something has changed; nil for a part that waits for SIGHUP.
	stale func() bool
}

// onReload registers a part of the service to be reloaded on SIGHUP, and when stale, unless it is nil,
// reports a change. Parts are reloaded one after the other, in the order of their registration.
func (s *Service) onReload(name string, reload func(ctx context.Context) error, stale func() bool) {
	s.reloadables = append(s.reloadables, reloadable{name, reload, stale})
}

// staleEvery is how often parts are asked whether something has changed.
const staleEvery = 2 * time.Second

// reload takes up what has changed. A part that fails does not stop the others.
func (s *Service) reload(ctx context.Context, o cliadapter.ServeOptions) {
	began := time.Now()
	failed := 0
	for _, part := range s.reloadables {
		if !part.try(ctx, o.Logger) {
			failed++
		}
	}
	if o.Reload != nil {
		pending, err := o.Reload()
		if err != nil {
			failed++
			o.Logger.Error("reload failed; the former state stays in force", "part", "configuration", "err", err)
		}
		for _, name := range pending {
			o.Logger.Warn("a setting has changed; restart the server to apply it", "setting", name)
		}
	}
	o.Logger.Info("reloaded", "parts", len(s.reloadables), "failed", failed, "ms", milliseconds(time.Since(began)))
	s.reloads.note(failed > 0)
}

// try takes up what has changed, and reports whether that was possible.
func (part *reloadable) try(ctx context.Context, log *slog.Logger) bool {
	err := part.reload(ctx)
	if err != nil {
		log.Error("reload failed; the former state stays in force", "part", part.name, "err", err)
	}
	return err == nil
}

// startReload reloads on SIGHUP, and a part when it is stale, until ctx ends or the returned function is called.
func (s *Service) startReload(ctx context.Context, hangups <-chan os.Signal, o cliadapter.ServeOptions) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		ticker := time.NewTicker(staleEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				for i := range s.reloadables {
					if part := &s.reloadables[i]; part.stale != nil && part.stale() {
						s.reloads.note(!part.try(ctx, o.Logger))
					}
				}
			case <-hangups:
				notifyReloading(o.Logger)
				s.reload(ctx, o)
				notifyReady(o.Logger)
			}
		}
	})
	return func() {
		cancel()
		group.Wait()
	}
}

// catchHangups returns a channel that receives SIGHUP, which Windows does not have. A signal during
// the start stays in the channel until the server listens.
func catchHangups() (hangups chan os.Signal, stop func()) {
	hangups = make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	return hangups, func() { signal.Stop(hangups) }
}

// reloadData publishes what roget load has added to the data folder since the last reload. Requests
// in progress keep the state that they began with; its mapped packs stay mapped.
func (s *Service) reloadData(eng *engine.Engine, loaded []*engine.Entry, log *slog.Logger) func(context.Context) error {
	published := identities(s.dir.Entries())
	return func(ctx context.Context) error {
		changed, err := s.dir.Reload(ctx)
		if err != nil {
			return err
		}
		damaged := errors.Join(s.dir.Damaged()...)
		if !changed {
			return damaged
		}
		entries := s.dir.Entries()
		now := identities(entries)
		for id := range published {
			if !now[id] {
				log.Warn("a resource is no longer in the data folder; the server offers it until it is restarted", "resource", id)
			}
		}
		// What --load named goes before the data folder, as at the start.
		entries = append(entries, loaded...)
		packs, bytes := s.dir.Extent()
		log.Info("the data folder was read again", "packs", packs, "bytes", bytes, "resources", len(now))
		maps.Copy(published, now)
		if err := s.takeUp(entries, func() error { return eng.Publish(entries...) }); err != nil {
			return fmt.Errorf("publish the data folder: %w", err)
		}
		return damaged
	}
}

// identities returns the keys of entries.
func identities(entries []*engine.Entry) map[string]bool {
	ids := make(map[string]bool, len(entries))
	for _, e := range entries {
		ids[identity(&e.Header)] = true
	}
	return ids
}

// milliseconds returns a duration as a number of milliseconds for the log.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// reloadCount counts reloads for the metrics.
type reloadCount struct{ good, failed atomic.Uint64 }

func (c *reloadCount) note(failed bool) {
	if failed {
		c.failed.Add(1)
		return
	}
	c.good.Add(1)
}

// alive returns an error if the server does not answer its own question about its health.
func (s *Service) alive(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/healthz", nil)
	if err != nil {
		return err
	}
	w := &statusOnly{header: http.Header{}}
	s.handler.ServeHTTP(w, r)
	if w.status >= http.StatusInternalServerError {
		return fmt.Errorf("/healthz responds with %d", w.status)
	}
	return nil
}

// statusOnly is a response of which only the status matters.
type statusOnly struct {
	header http.Header
	status int
}

func (w *statusOnly) Header() http.Header         { return w.header }
func (w *statusOnly) WriteHeader(status int)      { w.status = status }
func (w *statusOnly) Write(p []byte) (int, error) { return len(p), nil }
