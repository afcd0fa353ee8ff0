package httpadapter

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/roget-health/roget/access"
)

// A Tracer observes requests, for traces. It learns no ids, codes or values: only the method, the
// interaction or operation, the resource type and the status. It is safe for concurrent use.
type Tracer interface {
	// StartRequest is called first. Its context is that of the request. The header may hold a trace
	// that the request belongs to (traceparent).
	StartRequest(ctx context.Context, header http.Header, method string) context.Context
	// EndRequest is called last, with that context.
	EndRequest(ctx context.Context)
	// StartEntry is called before an entry of a batch or transaction. EndRequest ends it.
	StartEntry(ctx context.Context, method string) context.Context
	// Answered is called with the context of a request or entry when its response is complete.
	Answered(ctx context.Context, action, typ string, status int)
	// TraceID returns the id of the trace of a context, "" if there is none.
	TraceID(ctx context.Context) string
}

// observed runs a call that is measured, traced or logged.
func (h *Handler) observed(c *call, fn func(*call)) {
	if _, entry := c.w.(*entryResponse); entry && h.Tracer != nil {
		ctx := h.Tracer.StartEntry(c.r.Context(), c.r.Method)
		defer h.Tracer.EndRequest(ctx)
		c.r = c.r.WithContext(ctx)
	}
	start := time.Now()
	c.run(fn)
	took := time.Since(start)
	if h.metrics != nil {
		h.metrics.observe(c.label, c.status, took)
	}
	if h.Tracer != nil {
		h.Tracer.Answered(c.r.Context(), c.label.action, c.label.typ, c.status)
	}
	h.logRequest(c, took)
}

// logRequest writes the line of a finished request. The path, which may hold an id, is in it if the
// operator asks for that. The query is logged at Debug only.
func (h *Handler) logRequest(c *call, took time.Duration) {
	level := slog.LevelDebug
	if h.AccessLog {
		level = slog.LevelInfo
	}
	ctx := c.r.Context()
	if !h.Logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("id", requestID(c.w)),
		slog.String("method", c.r.Method),
		slog.String("action", c.label.action),
		slog.String("type", c.label.typ),
		slog.Int("status", c.status),
		slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.Int64("bytes", c.sent),
	}
	if client := clientAddr(c.r); client.IsValid() {
		attrs = append(attrs, slog.String("client", client.String()))
	}
	if p := access.PrincipalOf(ctx); p != nil {
		attrs = append(attrs, slog.String("principal", p.Subject))
	}
	if trace := h.traceID(c.r); trace != "" {
		attrs = append(attrs, slog.String("trace", trace))
	}
	if h.LogPaths {
		attrs = append(attrs, slog.String("path", c.r.URL.Path))
	}
	if h.Logger.Enabled(ctx, slog.LevelDebug) {
		attrs = append(attrs, slog.String("uri", withoutSecrets(c.r.URL)))
	}
	h.Logger.LogAttrs(ctx, level, "request", attrs...)
}

// traceID returns the id of the trace that a request belongs to, "" if there is none.
func (h *Handler) traceID(r *http.Request) string {
	if h.Tracer != nil {
		return h.Tracer.TraceID(r.Context())
	}
	if sent := r.Header["Traceparent"]; len(sent) == 1 {
		return traceIn(sent[0])
	}
	return ""
}

// traceIn returns the id of the trace in a header traceparent, "" if the header is not valid. W3C
// Trace Context, section 3.2.
func traceIn(header string) string {
	parts := strings.Split(header, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 || len(parts[3]) != 2 {
		return ""
	}
	for _, part := range parts[:4] {
		if strings.Trim(part, "0123456789abcdef") != "" {
			return ""
		}
	}
	if parts[0] == "ff" || parts[0] == "00" && len(parts) > 4 || strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return ""
	}
	return parts[1]
}
