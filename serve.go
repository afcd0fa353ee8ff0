package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
)

// Serve publishes everything there is, then listens.
func (backend) Serve(ctx context.Context, o cliadapter.ServeOptions, obs cliadapter.Observer, ready func(url string)) error {
	if _, _, err := net.SplitHostPort(o.Addr); err != nil {
		return &cliadapter.UsageError{Err: fmt.Errorf("--addr: %w", err)}
	}
	defer ballast()()
	svc, err := openService(ctx, o, obs)
	if err != nil {
		return err
	}
	defer svc.close()
	defer svc.startPatrol(ctx, o.Logger)()
	defer svc.startUpkeep(ctx)()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Addr)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --addr, port 0 picks a free one", err)
	}
	ready(baseURL(listener.Addr()))
	defer context.AfterFunc(ctx, func() { o.Logger.Info("ending", "drain", o.Drain) })()
	timeout := orForever(o.Timeout) // a handler answers within it
	err = httpadapter.Serve(ctx, listener, svc.handler, httpadapter.ServeOptions{
		ReadTimeout:  timeout + time.Minute,
		WriteTimeout: timeout + 5*time.Minute,
		DrainTimeout: max(o.Drain, 1), // 0: cut off at once
		Logger:       o.Logger,
	})
	if ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		o.Logger.Warn("requests were cut off", "drain", o.Drain)
		return nil
	}
	return err
}

// service is what a server is made of, whoever listens.
type service struct {
	handler http.Handler
	dir     *datadir.Dir
	store   resources.Store
	kept    *resources.Service
	damage  atomic.Pointer[error] // what the patrol has found
}

// openService opens the data folder and the store and publishes all there is. The
// service is to be closed.
func openService(ctx context.Context, o cliadapter.ServeOptions, obs cliadapter.Observer) (*service, error) {
	svc := new(service)
	if err := svc.open(ctx, o, obs); err != nil {
		svc.close()
		return nil, err
	}
	return svc, nil
}

func (s *service) open(ctx context.Context, o cliadapter.ServeOptions, obs cliadapter.Observer) error {
	dir, err := openData(ctx, o.Data, dataServe, o.Logger)
	if err != nil {
		return err
	}
	s.dir = dir
	store, err := openStore(ctx, o.Store, dir)
	if err != nil {
		return err
	}
	s.store = store
	eng := engine.New(
		engine.WithLogger(o.Logger),
		engine.WithDefaultCount(o.ExpandDefaultCount),
		engine.WithCacheBytes(o.CacheSize),
	)
	if err := publish(ctx, eng, dir, o.Load, builtIn{samples: o.Samples, base: o.Base}, obs); err != nil {
		return err
	}
	kept := newService(store, eng, o)
	s.kept = kept
	restored, failed, err := kept.Restore(ctx)
	if err != nil {
		return fmt.Errorf("read the resource store: %w", err)
	}
	o.Logger.Info("published", "stored", restored, "refused", len(failed),
		"codeSystems", len(eng.Entries("CodeSystem")), "valueSets", len(eng.Entries("ValueSet")), "conceptMaps", len(eng.Entries("ConceptMap")))

	if err := reindex(ctx, kept, o.Logger); err != nil {
		return err
	}
	if err := populate(ctx, kept, o); err != nil {
		return err
	}
	operations := operation.All()
	if o.Generate {
		operations = append(operations, operation.Generate()...)
	}
	s.handler, err = httpadapter.New(httpadapter.Config{
		Engine:      eng,
		Resources:   kept,
		Operations:  operations,
		Logger:      o.Logger,
		AccessLog:   o.AccessLog,
		Metrics:     o.Metrics,
		CORSOrigins: o.CORSOrigins,
		Version:     o.Version.Version,
		Released:    o.Version.Time,
		Ready:       s.ready,
		DeleteMany:  o.DeleteMany,
		Limits:      httpadapter.Limits{MaxBody: o.MaxBody, Timeout: orForever(o.Timeout)},
	})
	return err
}

// close releases what openService has opened.
func (s *service) close() {
	if s.store != nil {
		closing(s.store)
	}
	if s.dir != nil {
		closing(s.dir)
	}
}

// baseURL is the URL to reach a listener by.
func baseURL(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", tcp.Port)
	}
	return "http://" + addr.String()
}

// orForever returns a duration in whose lifetime nobody will wait for no limit.
func orForever(d time.Duration) time.Duration {
	if d <= 0 {
		return 365 * 24 * time.Hour
	}
	return d
}
