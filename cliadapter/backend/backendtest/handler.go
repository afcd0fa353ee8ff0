package backendtest

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/cliadapter/backend"
	"github.com/roget-health/roget/engine/operation"
)

// Handler returns the HTTP handler of `roget serve ARGS`, without a listener. The service
// behind it is closed when the test ends.
func Handler(tb testing.TB, args ...string) http.Handler {
	tb.Helper()
	var opened opening
	cli := cliadapter.New(cliadapter.Config{
		Operations: operation.Terminal(), Backend: &opened,
		Getenv: func(string) string { return "" },
	})
	args = append([]string{"serve"}, args...)
	exit := cli.Run(tb.Context(), args, cliadapter.Streams{Out: io.Discard, Err: io.Discard})
	if opened.service == nil {
		tb.Fatalf("roget %q: exit code %d: %v", args, exit, opened.err)
	}
	tb.Cleanup(opened.service.Close)
	return opened.service.Handler()
}

// An opening is a backend whose Serve opens the service and returns without listening.
type opening struct {
	backend.Backend
	service *backend.Service
	err     error
}

func (o *opening) Serve(ctx context.Context, options cliadapter.ServeOptions, obs cliadapter.Observer, _ func(string)) error {
	options.Addr = "" // nobody listens, so every host is accepted
	o.service, o.err = backend.Open(ctx, options, obs)
	return o.err
}
