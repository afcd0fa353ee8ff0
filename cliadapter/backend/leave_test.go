package backend

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestLeaving requires that a server that is to end goes on for the delay, but is not ready, and that one
// that does not serve yet ends at once.
func TestLeaving(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	var l leaving
	l.serving.Store(true)
	asked, stop := context.WithCancel(t.Context())
	ctx, end := l.after(asked, time.Hour, log)
	answered := func() string {
		w := httptest.NewRecorder()
		l.handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metadata", http.NoBody))
		return w.Header().Get("Connection")
	}
	if err, close := l.check().Test(ctx), answered(); err != nil || close != "" {
		t.Errorf("before: not ready: %v, Connection %q", err, close)
	}
	stop()
	for l.check().Test(ctx) == nil {
		time.Sleep(time.Millisecond)
	}
	if close := answered(); ctx.Err() != nil || close != "close" {
		t.Errorf("after the signal: context %v, Connection %q", ctx.Err(), close)
	}
	end()
	if ctx.Err() == nil {
		t.Error("the context has not ended")
	}

	for name, l := range map[string]*leaving{"starting": {}, "without a delay": {}} {
		delay := time.Hour
		if name != "starting" {
			l.serving.Store(true)
			delay = 0
		}
		asked, stop := context.WithCancel(t.Context())
		ctx, end := l.after(asked, delay, log)
		stop()
		<-ctx.Done()
		if err := l.check().Test(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		end()
	}
}
