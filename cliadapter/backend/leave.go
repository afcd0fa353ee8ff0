package backend

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/httpadapter"
)

// leaving delays the end of a server, so that balancers see that it is not ready and send requests to
// others before it closes connections.
type leaving struct {
	serving atomic.Bool // requests are answered, so that there is something to wait for
	begun   atomic.Bool
}

// after returns a context that ends some time after ctx, at once unless requests are served by then.
func (l *leaving) after(ctx context.Context, delay time.Duration, log *slog.Logger) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		defer cancel()
		if !l.serving.Load() {
			return
		}
		notifyStopping(log)
		if delay == 0 {
			return
		}
		l.begun.Store(true)
		log.Info("not ready any more, before the shutdown", "delay", delay.String())
		sleep(later, delay)
	})
	return later, func() {
		stop()
		cancel()
	}
}

var errLeaving = errors.New("a signal was received")

// check fails once the server leaves.
func (l *leaving) check() httpadapter.Check {
	return httpadapter.Check{Name: "shutdown", Problem: "the server shuts down", Test: func(context.Context) error {
		if l.begun.Load() {
			return errLeaving
		}
		return nil
	}}
}

// handler asks clients to open other connections once the server leaves.
func (l *leaving) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if l.begun.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
