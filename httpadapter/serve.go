package httpadapter

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// ServeOptions configures the connections of Serve. A zero field means its default.
type ServeOptions struct {
	// ReadHeaderTimeout is the longest time for reading the header of a request; default 10 s.
	ReadHeaderTimeout time.Duration
	// ReadTimeout is the longest time for reading a whole request; default 2 minutes.
	ReadTimeout time.Duration
	// WriteTimeout is the longest time from the end of the request header to the end of the
	// response; default 5 minutes.
	WriteTimeout time.Duration
	// IdleTimeout is the longest wait for the next request on a connection; default 2 minutes.
	IdleTimeout time.Duration
	// MaxHeaderBytes is the largest header in bytes; default 64 KiB.
	MaxHeaderBytes int
	// DrainTimeout is the longest time for running requests to finish at shutdown; default 30 s.
	DrainTimeout time.Duration
	// TLS makes the server speak HTTPS, with HTTP/1.1 and HTTP/2. nil means plain HTTP.
	TLS *tls.Config
	// Logger receives errors of connections; nil disables logging.
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

// Serve serves requests on a listener until ctx ends, then waits for running requests and returns.
// It returns nil after a clean shutdown, and context.DeadlineExceeded if requests were still running
// after DrainTimeout; their connections are then closed. A request too malformed for a handler gets
// an OperationOutcome too.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, opts ServeOptions) error {
	opts = opts.orDefaults()
	server := &http.Server{
		Handler:           handler,
		TLSConfig:         opts.TLS,
		ReadHeaderTimeout: opts.ReadHeaderTimeout,
		ReadTimeout:       opts.ReadTimeout,
		WriteTimeout:      opts.WriteTimeout,
		IdleTimeout:       opts.IdleTimeout,
		MaxHeaderBytes:    opts.MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(opts.Logger.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() {
		if opts.TLS != nil {
			served <- server.ServeTLS(protocolListener{listener}, "", "")
			return
		}
		served <- server.Serve(protocolListener{listener})
	}()
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
