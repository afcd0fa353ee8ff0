package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/roget-health/roget/adapters/tracing"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
)

// startOperations serves the listener for operations. It goes on while the requests of clients are
// finished, until the returned function is called.
func (s *Service) startOperations(ctx context.Context, o cliadapter.ServeOptions) (stop func(), err error) {
	if o.Operations.Addr == "" {
		return func() {}, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Operations.Addr)
	if err != nil {
		return nil, fmt.Errorf("--ops-addr: %w", err)
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		o.Logger.Warn("the listener for operations has no login, and can be reached from other machines", "addr", tcp.String())
	}
	s.fact(slog.String("operations", baseURL(listener.Addr())))
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var group sync.WaitGroup
	group.Go(func() {
		err := httpadapter.Serve(ctx, listener, s.handler.OperationsHandler(), httpadapter.ServeOptions{
			DrainTimeout: time.Nanosecond, Logger: o.Logger,
		})
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			o.Logger.Error("the listener for operations has ended", "err", err)
		}
	})
	return func() {
		cancel()
		group.Wait()
	}, nil
}

// traceTime is the longest time for sending the last spans when the server ends.
const traceTime = 3 * time.Second

// openTracer makes the tracer, if a collector of traces is configured.
func (s *Service) openTracer(ctx context.Context, o cliadapter.ServeOptions) (err error) {
	s.tracer, err = tracing.New(ctx, tracing.Options{Endpoint: o.Operations.OTLP, Version: o.Version.Version, Logger: o.Logger})
	if err != nil {
		return &cliadapter.UsageError{Err: err}
	}
	if s.tracer != nil {
		s.fact(slog.String("traces", s.tracer.Endpoint()))
	}
	return nil
}

// requestTracer returns the tracer for the handler; nil without traces.
func (s *Service) requestTracer() httpadapter.Tracer {
	if s.tracer == nil {
		return nil
	}
	return s.tracer
}

// closeTracer sends the spans that are left.
func (s *Service) closeTracer() {
	if s.tracer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), traceTime)
	defer cancel()
	_ = s.tracer.Close(ctx) // the sender has logged it
}

// A watcher observes the steps of requests, for metrics and traces.
type watcher struct {
	steps  *httpadapter.Steps // nil without metrics
	tracer *tracing.Tracer    // nil without traces
}

// Start implements resources.Observer.
func (w *watcher) Start(ctx context.Context, step string) context.Context {
	if w.tracer == nil {
		return ctx
	}
	return w.tracer.Start(ctx, step)
}

// Finish implements resources.Observer.
func (w *watcher) Finish(ctx context.Context, step string, took time.Duration, err error) {
	failed := isFault(err)
	if w.steps != nil {
		w.steps.Observe(step, took, failed)
	}
	if w.tracer != nil {
		w.tracer.Finish(ctx, failed)
	}
}

// isFault reports whether an error is one of the server, not of the request.
func isFault(err error) bool {
	return errors.Is(err, resources.ErrUnavailable) || errors.Is(err, resources.ErrStoreFailed) ||
		errors.Is(err, resources.ErrDamaged) || errors.Is(err, resources.ErrClosed) || errors.Is(err, context.DeadlineExceeded)
}

// terminologyWatcher is the watcher for operations on terminology.
type terminologyWatcher struct{ *watcher }

// Start implements engine.Observer.
func (w terminologyWatcher) Start(ctx context.Context, op engine.Observed) context.Context {
	return w.watcher.Start(ctx, op.Operation)
}

// Finish implements engine.Observer.
func (w terminologyWatcher) Finish(ctx context.Context, op engine.Observed, took time.Duration, err error) {
	w.watcher.Finish(ctx, op.Operation, took, err)
}
