package main

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine/operation"
)

// Handler is what `roget serve ARGS` answers with, without its listener. It is closed
// with the test.
func Handler(tb testing.TB, args ...string) http.Handler {
	tb.Helper()
	var opened opening
	cli := cliadapter.New(cliadapter.Config{
		Operations: operation.Terminal(), Backend: &opened, Version: buildVersion(),
		Getenv: func(string) string { return "" },
	})
	args = append([]string{"serve"}, args...)
	exit := cli.Run(tb.Context(), args, cliadapter.Streams{Out: io.Discard, Err: io.Discard})
	if opened.service == nil {
		tb.Fatalf("roget %q: exit code %d: %v", args, exit, opened.err)
	}
	tb.Cleanup(opened.service.close)
	return opened.service.handler
}

// opening is a backend that serves nobody: it keeps the service that it has opened.
type opening struct {
	backend
	service *service
	err     error
}

func (o *opening) Serve(ctx context.Context, options cliadapter.ServeOptions, obs cliadapter.Observer, _ func(string)) error {
	o.service, o.err = openService(ctx, options, obs)
	return o.err
}

// PostgresSchema returns the address of an empty schema in a PostgreSQL for the tests.
func PostgresSchema(tb testing.TB) string {
	tb.Helper()
	return postgresServer.Schema(tb)
}
