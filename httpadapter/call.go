package httpadapter

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/roget-health/roget/engine/operation"
)

// prefixes are the places every path is served from.
var prefixes = [...]string{"", "/baseR4"}

// call is one request on its way through the handler. Calls are pooled: nothing keeps
// one after the request.
type call struct {
	h      *Handler
	w      http.ResponseWriter
	r      *http.Request
	params httprouter.Params
	prefix string // "" or "/baseR4"
	label  label
	target target // of paths below a type, and of the base
	pretty bool
	status int
	turn   bool // a large request at work
	in     operation.Input
	buf    []byte // the answer
	sent   []byte // the body of the request
}

// label says what a request does, for log and metrics: the interaction or operation, and
// the resource type.
type label struct{ action, typ string }

// maxPooledBuffer is the largest buffer that is kept for the next request.
const maxPooledBuffer = 256 << 10

// handle makes a route of a function.
func (h *Handler) handle(prefix string, what label, fn func(*call)) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		c := h.calls.Get().(*call)
		c.h, c.w, c.r, c.params, c.prefix, c.label, c.target = h, w, r, params, prefix, what, target{}
		if part, ok := w.(*answer); ok {
			c.prefix = part.call.prefix // links are those of the bundle
		}
		if h.metrics == nil && !h.AccessLog && !h.Logger.Enabled(r.Context(), slog.LevelDebug) {
			c.run(fn)
		} else {
			start := time.Now()
			c.run(fn)
			h.observe(c, time.Since(start))
		}
		c.release()
	}
}

func (c *call) run(fn func(*call)) {
	if long := len(c.r.URL.RawQuery) + len(c.r.URL.Path); long > c.h.Limits.MaxURL {
		c.urlTooLong(long)
		return
	}
	defer c.endTurn() // also when fn panics
	fn(c)
}

// release returns a call to the pool.
func (c *call) release() {
	pool := &c.h.calls
	c.in.Reset(nil)
	if cap(c.buf) > maxPooledBuffer {
		c.buf = nil
	}
	if cap(c.sent) > maxPooledBuffer {
		c.sent = nil
	}
	c.h, c.w, c.r, c.params, c.pretty, c.status = nil, nil, nil, nil, false, 0
	pool.Put(c)
}

// observe counts and logs a request that is done. Neither the path, which may hold an
// id, nor the query is logged above Debug.
func (h *Handler) observe(c *call, took time.Duration) {
	if h.metrics != nil {
		h.metrics.observe(c.label, c.status, took)
	}
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
		slog.Duration("took", took),
	}
	if h.Logger.Enabled(ctx, slog.LevelDebug) {
		attrs = append(attrs, slog.String("uri", c.r.URL.RequestURI()))
	}
	h.Logger.LogAttrs(ctx, level, "request", attrs...)
}

// smallBody is the size up to which net/http finds Content-Length itself, because the
// whole answer is in its buffer when the handler returns.
const smallBody = 2048

// json writes a body that is JSON.
func (c *call) json(status int, contentType []string, body []byte) {
	c.endTurn()
	c.status = status
	header := c.w.Header()
	header["Content-Type"] = contentType
	if len(body) >= smallBody || c.r.Method == http.MethodHead {
		header["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	if status != http.StatusOK {
		c.w.WriteHeader(status)
	}
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body) // an error means that the client has gone
	}
}

// fhir writes a FHIR resource, indented when that was asked for.
func (c *call) fhir(status int, body []byte) {
	if c.pretty {
		body = indented(body)
	}
	c.json(status, valueFHIR, body)
}

// empty writes an answer without a body.
func (c *call) empty(status int) {
	c.status = status
	c.w.WriteHeader(status)
}

// context is that of the request, with the time one may take.
func (c *call) context() context.Context {
	return withDeadline(c.r.Context(), c.h.Limits.Timeout)
}

// base is the absolute URL that relative references of an answer start from.
func (c *call) base() string { return c.host() + c.prefix }

// bases are the absolute URLs by which resources here may be named, longer ones first.
func (c *call) bases() []string {
	host := c.host()
	return []string{host + prefixes[1], host + prefixes[0]}
}

// host is the scheme and host that the client sees.
func (c *call) host() string {
	if c.h.BaseURL != "" {
		return c.h.BaseURL
	}
	if c.r.TLS != nil {
		return "https://" + c.r.Host
	}
	return "http://" + c.r.Host
}
