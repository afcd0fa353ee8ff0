package tracing_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/roget-health/roget/adapters/tracing"
)

// A receiver is a collector that decodes with the official types of OTLP.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	messages []*collector.ExportTraceServiceRequest
	statuses []int // of the next responses; then 200
}

func receive(t *testing.T, statuses ...int) *receiver {
	r := &receiver{statuses: statuses}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err == nil && req.Header.Get("Content-Encoding") == "gzip" {
			var z *gzip.Reader
			if z, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
				body, err = io.ReadAll(z)
			}
		}
		message := new(collector.ExportTraceServiceRequest)
		if err == nil {
			err = proto.Unmarshal(body, message)
		}
		if err != nil || len(message.ProtoReflect().GetUnknown()) > 0 {
			t.Errorf("not a request of OTLP: %v", err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.requests = append(r.requests, req)
		if len(r.statuses) > 0 {
			status := r.statuses[0]
			r.statuses = r.statuses[1:]
			w.WriteHeader(status)
			return
		}
		r.messages = append(r.messages, message)
	}))
	t.Cleanup(r.Close)
	return r
}

// spans returns the spans received, by name.
func (r *receiver) spans() map[string]*v1.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	spans := map[string]*v1.Span{}
	for _, m := range r.messages {
		for _, group := range m.ResourceSpans {
			for _, scope := range group.ScopeSpans {
				for _, s := range scope.Spans {
					spans[s.Name] = s
				}
			}
		}
	}
	return spans
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestSpans(t *testing.T) {
	r := receive(t)
	tracer, err := tracing.New(t.Context(), tracing.Options{
		Version: "v1", Getenv: env("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL+"/", "OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b,y=2", "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
	})
	if err != nil || tracer == nil {
		t.Fatal(tracer, err)
	}
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	began := time.Now()
	ctx := tracer.StartRequest(t.Context(), http.Header{"Traceparent": {parent}}, "GET")
	if got := tracer.TraceID(ctx); got != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("trace %q", got)
	}
	step := tracer.Start(ctx, "store-read")
	tracer.Finish(step, true)
	tracer.Answered(ctx, "read", "Patient", 503)
	tracer.EndRequest(ctx)
	other := tracer.StartRequest(t.Context(), http.Header{"Traceparent": {"nonsense"}}, "BREW")
	if id := tracer.TraceID(other); len(id) != 32 || id == "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("trace %q", id)
	}
	tracer.EndRequest(other)
	if outside := tracer.Start(context.Background(), "nothing"); tracer.TraceID(outside) != "" {
		t.Error("a span outside of a request")
	}
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := r.spans()
	request, read := spans["read Patient"], spans["store-read"]
	if len(spans) != 3 || request == nil || read == nil || spans["_OTHER"] == nil {
		t.Fatalf("%v", spans)
	}
	if hex.EncodeToString(request.TraceId) != parent[3:35] || hex.EncodeToString(request.ParentSpanId) != parent[36:52] || !bytes.Equal(read.ParentSpanId, request.SpanId) || !bytes.Equal(read.TraceId, request.TraceId) || len(spans["_OTHER"].ParentSpanId) != 0 {
		t.Errorf("%v\n%v", request, read)
	}
	if request.Kind != v1.Span_SPAN_KIND_SERVER || read.Kind != v1.Span_SPAN_KIND_INTERNAL ||
		request.Status.GetCode() != v1.Status_STATUS_CODE_ERROR || read.Status.GetCode() != v1.Status_STATUS_CODE_ERROR || read.Status.GetMessage() != "" {
		t.Errorf("%v\n%v", request, read)
	}
	if flags := v1.SpanFlags(request.Flags); flags != 1|v1.SpanFlags_SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK|v1.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK {
		t.Errorf("flags %x", flags)
	}
	if from, to := int64(request.StartTimeUnixNano), int64(request.EndTimeUnixNano); from < began.UnixNano() || to < from || to > time.Now().UnixNano() {
		t.Errorf("from %d to %d", from, to)
	}
	attributes := map[string]string{}
	for _, kv := range request.Attributes {
		attributes[kv.Key] = kv.Value.String()
	}
	if len(attributes) != 4 || attributes["http.response.status_code"] != "int_value:503" || attributes["roget.type"] != `string_value:"Patient"` {
		t.Errorf("%v", attributes)
	}
	about := r.messages[0].ResourceSpans[0].Resource.String()
	if !strings.Contains(about, `"service.name"`) || !strings.Contains(about, `"roget"`) || !strings.Contains(about, `"v1"`) {
		t.Error(about)
	}
	got := r.requests[0]
	if got.URL.Path != "/v1/traces" || got.Header.Get("X-Key") != "a b" || got.Header.Get("Y") != "2" || got.Header.Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("%s %v", got.URL, got.Header)
	}
	if c := tracer.Counts(); c != (tracing.Counts{Sent: 3}) {
		t.Errorf("%+v", c)
	}
}

// TestService: the name of the service, further attributes and the sampler come from the standard
// variables.
func TestService(t *testing.T) {
	t.Setenv("OTEL_SERVICE_NAME", "terminology")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
	r := receive(t)
	end := func(sampler string) {
		t.Setenv("OTEL_TRACES_SAMPLER", sampler)
		tracer, err := tracing.New(t.Context(), tracing.Options{Endpoint: r.URL})
		if err != nil {
			t.Fatal(err)
		}
		tracer.EndRequest(tracer.StartRequest(t.Context(), http.Header{}, "GET"))
		if err := tracer.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	end("always_off")
	if len(r.requests) != 0 {
		t.Fatal("a span that was not sampled is sent")
	}
	end("parentbased_always_on")
	if about := r.messages[0].ResourceSpans[0].Resource.String(); !strings.Contains(about, `"terminology"`) || !strings.Contains(about, `"deployment.environment"`) {
		t.Error(about)
	}
}

// TestUnreachable: a collector that never answers holds up nobody, and its failure is logged once.
func TestUnreachable(t *testing.T) {
	block := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-block }))
	defer silent.Close()
	defer close(block)
	var log strings.Builder
	tracer, err := tracing.New(t.Context(), tracing.Options{
		Getenv: env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", silent.URL, "OTEL_EXPORTER_OTLP_TIMEOUT", "100"),
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 10_000 { // five times the queue
		ctx := tracer.StartRequest(t.Context(), http.Header{}, "GET")
		tracer.EndRequest(ctx)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := tracer.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if c := tracer.Counts(); c.Sent != 0 || c.Failed == 0 {
		t.Errorf("%+v", c)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "traces cannot be sent") {
		t.Errorf("%d lines: %s", n, log.String())
	}
}

// TestAgain: a batch is sent again when the collector asks for that, and dropped when it is refused.
func TestAgain(t *testing.T) {
	for _, row := range []struct {
		statuses []int
		requests int
		sent     uint64
	}{{[]int{503, 429}, 3, 1}, {[]int{400}, 1, 0}, {[]int{302}, 1, 0}, {[]int{503, 503, 503, 503, 503}, 4, 0}} {
		r := receive(t, row.statuses...)
		tracer, err := tracing.New(t.Context(), tracing.Options{Endpoint: r.URL})
		if err != nil {
			t.Fatal(err)
		}
		tracer.EndRequest(tracer.StartRequest(t.Context(), http.Header{}, "GET"))
		if err := tracer.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := tracer.Counts(); len(r.requests) != row.requests || got.Sent != row.sent || got.Sent+got.Failed != 1 {
			t.Errorf("%v: %d requests, %+v", row.statuses, len(r.requests), got)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, row := range [][]string{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://user:s3cret@h"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_EXPORTER_OTLP_TIMEOUT", "10s"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_EXPORTER_OTLP_HEADERS", "authorization s3cret"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_EXPORTER_OTLP_COMPRESSION", "zstd"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_EXPORTER_OTLP_CERTIFICATE", "/absent"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_EXPORTER_OTLP_CLIENT_KEY", "/absent"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_TRACES_EXPORTER", "zipkin"},
	} {
		if tracer, err := tracing.New(t.Context(), tracing.Options{Getenv: env(row...)}); tracer != nil || err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v: %v", row, err)
		}
	}
	for _, row := range [][]string{
		nil, {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_SDK_DISABLED", "true"}, {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_TRACES_EXPORTER", "none"},
	} {
		if tracer, err := tracing.New(t.Context(), tracing.Options{Getenv: env(row...)}); tracer != nil || err != nil {
			t.Errorf("%v: %v %v", row, tracer, err)
		}
	}
	tracer, err := tracing.New(t.Context(), tracing.Options{Endpoint: "https://user:s3cret@h:4318"})
	if err != nil || tracer.Endpoint() != "https://h:4318/v1/traces" {
		t.Error(tracer, err)
	}
}
