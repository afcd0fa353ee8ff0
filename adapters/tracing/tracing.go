// Package tracing sends traces to a collector of OpenTelemetry over OTLP/HTTP. The SDK of
// OpenTelemetry samples and queues the spans; the sender is of this package, because the SDK's own
// brings gRPC along (decision 47).
//
// Spans have the method, the interaction or operation, the resource type and the status. Paths,
// queries, ids, codes and texts of errors, which may be about a patient, are never in them.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Options of New. Everything else comes from the standard variables of OpenTelemetry (OTEL_…).
type Options struct {
	// Endpoint is the base URL of the collector, such as http://localhost:4318. "" takes it from
	// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT.
	Endpoint string
	// Version of the service.
	Version string
	// Logger receives a line when the collector cannot be reached, and when it can be again.
	Logger *slog.Logger
	// Getenv reads the environment; nil means os.Getenv. The SDK itself reads the variables of the
	// sampler and of the queue from the environment of the process.
	Getenv func(string) string
}

// A Tracer makes spans and sends them. It is safe for concurrent use. Spans wait in a queue of
// bounded length. If it is full, further spans are dropped; no request waits.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	context  propagation.TraceContext
	sender   *sender
}

// Counts are numbers of spans since the start.
type Counts struct{ Sent, Failed uint64 }

// New returns a tracer; nil if no collector is configured, or traces are switched off by
// OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER.
func New(ctx context.Context, o Options) (*Tracer, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	sender, err := newSender(o)
	if sender == nil || err != nil {
		return nil, err
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "roget"), attribute.String("service.version", o.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("traces: %w", err)
	}
	sender.about = about
	t := &Tracer{sender: sender}
	t.provider = sdktrace.NewTracerProvider(sdktrace.WithResource(about), sdktrace.WithBatcher(sender))
	t.tracer = t.provider.Tracer("github.com/roget-health/roget")
	return t, nil
}

// Endpoint returns the address that spans are sent to.
func (t *Tracer) Endpoint() string { return t.sender.url }

// Counts returns how many spans were sent, and how many could not be sent.
func (t *Tracer) Counts() Counts {
	return Counts{Sent: t.sender.sent.Load(), Failed: t.sender.failed.Load()}
}

// Close sends what is in the queue, within the time of ctx.
func (t *Tracer) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// StartRequest begins the span of a request. It continues the trace in the header.
func (t *Tracer) StartRequest(ctx context.Context, header http.Header, method string) context.Context {
	if header["Traceparent"] != nil {
		ctx = t.context.Extract(ctx, propagation.HeaderCarrier(header))
	}
	ctx, _ = t.tracer.Start(ctx, knownMethod(method), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", knownMethod(method))))
	return ctx
}

// StartEntry begins the span of an entry of a batch or transaction.
func (t *Tracer) StartEntry(ctx context.Context, method string) context.Context {
	ctx, _ = t.tracer.Start(ctx, knownMethod(method), trace.WithAttributes(attribute.String("http.request.method", knownMethod(method))))
	return ctx
}

// EndRequest ends the span of a request or entry.
func (t *Tracer) EndRequest(ctx context.Context) { trace.SpanFromContext(ctx).End() }

// Answered notes the interaction and the status of a request or entry.
func (t *Tracer) Answered(ctx context.Context, action, typ string, status int) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetName(strings.TrimSuffix(action+" "+typ, " "))
	span.SetAttributes(attribute.String("roget.interaction", action), attribute.String("roget.type", typ), attribute.Int("http.response.status_code", status))
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}

// TraceID returns the id of the trace of a context, "" if there is none.
func (t *Tracer) TraceID(ctx context.Context) string {
	if id := trace.SpanContextFromContext(ctx).TraceID(); id.IsValid() {
		return id.String()
	}
	return ""
}

// Start begins the span of a step within a request. Outside of a request there is none.
func (t *Tracer) Start(ctx context.Context, step string) context.Context {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx
	}
	ctx, _ = t.tracer.Start(ctx, step)
	return ctx
}

// Finish ends the span of a step, with the context of Start. The text of an error may hold a code,
// so only the fact is noted.
func (t *Tracer) Finish(ctx context.Context, failed bool) {
	span := trace.SpanFromContext(ctx)
	if failed {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// knownMethod returns a method of HTTP; _OTHER for what a client invented.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "_OTHER"
}

// A sender sends spans to a collector.
type sender struct {
	url     string
	header  http.Header
	gzip    bool
	timeout time.Duration
	client  *http.Client
	log     *slog.Logger
	about   *resource.Resource

	sent, failed atomic.Uint64
	broken       atomic.Bool // the last attempt failed
}
