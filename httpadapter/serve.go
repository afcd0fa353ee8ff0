package httpadapter

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// ServeOptions are the limits of the connections of Serve. A zero field means its default.
type ServeOptions struct {
	// ReadHeaderTimeout is for the header of a request; default 10 s.
	ReadHeaderTimeout time.Duration
	// ReadTimeout is for a whole request; default 2 minutes.
	ReadTimeout time.Duration
	// WriteTimeout is from the end of the header to the end of the answer; default 5 minutes.
	WriteTimeout time.Duration
	// IdleTimeout is how long a connection may wait for its next request; default 2 minutes.
	IdleTimeout time.Duration
	// MaxHeaderBytes bounds the header; default 64 KiB.
	MaxHeaderBytes int
	// DrainTimeout is how long running requests may take to finish; default 30 s.
	DrainTimeout time.Duration
	// Logger gets errors of connections; nil means none.
	Logger *slog.Logger
}

func (o ServeOptions) orDefaults() ServeOptions {
	defaults := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	defaults(&o.ReadHeaderTimeout, 10*time.Second)
	defaults(&o.ReadTimeout, 2*time.Minute)
	defaults(&o.WriteTimeout, 5*time.Minute)
	defaults(&o.IdleTimeout, 2*time.Minute)
	defaults(&o.DrainTimeout, 30*time.Second)
	if o.MaxHeaderBytes <= 0 {
		o.MaxHeaderBytes = 64 << 10
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Serve answers requests on a listener until ctx ends, then lets running requests finish
// and returns. It returns nil after an orderly end, and context.DeadlineExceeded when
// requests were still running after DrainTimeout; their connections are closed then.
// Requests too malformed for a handler are answered with an OperationOutcome too.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, opts ServeOptions) error {
	opts = opts.orDefaults()
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: opts.ReadHeaderTimeout,
		ReadTimeout:       opts.ReadTimeout,
		WriteTimeout:      opts.WriteTimeout,
		IdleTimeout:       opts.IdleTimeout,
		MaxHeaderBytes:    opts.MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(opts.Logger.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(protocolListener{listener}) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), opts.DrainTimeout)
	defer cancel()
	err := server.Shutdown(drain)
	if err != nil {
		_ = server.Close() // Shutdown's error is the one to report
	}
	if served := <-served; err == nil && !errors.Is(served, http.ErrServerClosed) {
		err = served
	}
	return err
}
