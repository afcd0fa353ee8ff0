package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
)

// Serve publishes everything there is, then listens.
func (backend) Serve(ctx context.Context, o cliadapter.ServeOptions, obs cliadapter.Observer, ready func(url string)) error {
	if _, _, err := net.SplitHostPort(o.Addr); err != nil {
		return &cliadapter.UsageError{Err: fmt.Errorf("--addr: %w", err)}
	}
	dir, err := openData(ctx, o.Data, dataServe, o.Logger)
	if err != nil {
		return err
	}
	defer closing(dir)
	store, err := openStore(ctx, o.Store, dir)
	if err != nil {
		return err
	}
	defer closing(store)

	eng := engine.New(
		engine.WithLogger(o.Logger),
		engine.WithDefaultCount(o.ExpandDefaultCount),
		engine.WithCacheBytes(o.CacheSize),
	)
	if err := publish(ctx, eng, dir, o.Load, o.Samples, obs); err != nil {
		return err
	}
	service := resources.NewService(store, eng, resources.WithLogger(o.Logger))
	restored, failed, err := service.Restore(ctx)
	if err != nil {
		return fmt.Errorf("read the resource store: %w", err)
	}
	o.Logger.Info("published", "stored", restored, "refused", len(failed),
		"codeSystems", len(eng.Entries("CodeSystem")), "valueSets", len(eng.Entries("ValueSet")), "conceptMaps", len(eng.Entries("ConceptMap")))

	handler, err := httpadapter.New(httpadapter.Config{
		Engine:      eng,
		Resources:   service,
		Logger:      o.Logger,
		AccessLog:   o.AccessLog,
		Metrics:     o.Metrics,
		CORSOrigins: o.CORSOrigins,
		Version:     o.Version.Version,
		Limits:      httpadapter.Limits{MaxBody: o.MaxBody, Timeout: orForever(o.Timeout)},
	})
	if err != nil {
		return err
	}
	return listen(ctx, handler, o, ready)
}

// listen runs the handler until ctx ends, then lets requests finish for o.Drain.
func listen(ctx context.Context, handler http.Handler, o cliadapter.ServeOptions, ready func(url string)) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Addr)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --addr, port 0 picks a free one", err)
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       orForever(o.Timeout) + time.Minute, // a handler answers in time itself
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(o.Logger.Handler(), slog.LevelWarn),
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	ready(baseURL(listener.Addr()))
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	o.Logger.Info("ending", "drain", o.Drain)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Drain)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		o.Logger.Warn("requests were cut off", "error", err)
		_ = server.Close() // the listener is closed already
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// baseURL is the URL to reach a listener by.
func baseURL(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", tcp.Port)
	}
	return "http://" + addr.String()
}

// orForever gives a duration in whose lifetime nobody will wait for no limit.
func orForever(d time.Duration) time.Duration {
	if d <= 0 {
		return 365 * 24 * time.Hour
	}
	return d
}
