package backend

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/httpadapter"
)

// A front accepts connections from the moment the address is known to be free, which may be long
// before the service has read its data. Until then it responds that the service starts.
type front struct {
	handler atomic.Pointer[http.Handler] // nil while the service starts
	cancel  context.CancelFunc
	served  chan error
	log     *slog.Logger
}

// startFront serves the connections of a listener until ctx ends.
func startFront(ctx context.Context, listener net.Listener, o cliadapter.ServeOptions, secure *tls.Config) *front {
	ctx, cancel := context.WithCancel(ctx)
	f := &front{cancel: cancel, served: make(chan error, 1), log: o.Logger}
	timeout := orForever(o.Timeout) // of a handler
	go func() {
		f.served <- httpadapter.Serve(ctx, listener, f, httpadapter.ServeOptions{
			ReadTimeout:  timeout + time.Minute,
			WriteTimeout: timeout + 5*time.Minute,
			DrainTimeout: max(o.Drain, 1), // 0: close connections at once
			Logger:       o.Logger,
			TLS:          secure,
		})
	}()
	return f
}

// open passes all further requests to the handler of the service.
func (f *front) open(handler http.Handler) { f.handler.Store(&handler) }

// wait returns when all requests are finished after the end of the context, or when the listener
// fails.
func (f *front) wait() error {
	defer f.cancel()
	return <-f.served
}

// stop closes the listener and waits for requests.
func (f *front) stop() {
	f.cancel()
	if err := <-f.served; err != nil {
		f.log.Debug("the listener", "err", err) // the error of the start is the one to report
	}
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if handler := f.handler.Load(); handler != nil {
		(*handler).ServeHTTP(w, r)
		return
	}
	if r.URL.Path == "/healthz" {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"status":"ok"}`))
		return
	}
	refuse(w, http.StatusServiceUnavailable, "transient", "the server is starting; try again soon")
}
