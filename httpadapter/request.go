package httpadapter

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/roget-health/roget/engine/operation"
)

// Headers that many answers share. The slices are never written to: Header.Add copies,
// since their capacity is their length, and Header.Set replaces them.
var (
	valueNosniff      = []string{"nosniff"}
	valueFHIR         = []string{"application/fhir+json; charset=utf-8"}
	valueJSON         = []string{"application/json"}
	valueVaryEncoding = []string{"Accept-Encoding"}
	valueVaryOrigin   = []string{"Origin"}
	valueVaryBoth     = []string{"Origin, Accept-Encoding"}
)

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["X-Content-Type-Options"] = valueNosniff
	h.ids.set(header, r.Header)
	if h.cors != nil {
		if r.Header["Origin"] != nil {
			h.cors.ServeHTTP(w, r, h.inner)
			return
		}
		header["Vary"] = valueVaryOrigin
	}
	h.inner(w, r)
}

const headerRequestID = "X-Request-Id"

// requestIDs numbers requests: a random prefix for the process and a counter.
type requestIDs struct {
	prefix string
	last   atomic.Uint64
}

func (ids *requestIDs) seed() { ids.prefix = rand.Text()[:10] + "-" }

// set puts the id of a request into the header of its answer: the id the client sent,
// when it is one that can stand in a log, else a new one.
func (ids *requestIDs) set(answer, request http.Header) {
	if sent := request[headerRequestID]; sent != nil && saneID(sent[0]) {
		answer[headerRequestID] = sent[:1:1]
		return
	}
	var buf [32]byte
	id := append(buf[:0], ids.prefix...)
	id = strconv.AppendUint(id, ids.last.Add(1), 36)
	answer[headerRequestID] = []string{string(id)}
}

// requestID returns the id of the request that w answers.
func requestID(w http.ResponseWriter) string { return w.Header().Get(headerRequestID) }

// saneID reports that an id is 1 to 64 letters, digits, ".", "_" and "-".
func saneID(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}

// inner answers a request that CORS has let pass.
func (h *Handler) inner(w http.ResponseWriter, r *http.Request) {
	if r.Header["Accept-Encoding"] != nil {
		h.squeezed.ServeHTTP(w, r) // adds to Vary itself
		return
	}
	header := w.Header()
	if header["Vary"] == nil {
		header["Vary"] = valueVaryEncoding
	} else {
		header["Vary"] = valueVaryBoth
	}
	h.router.ServeHTTP(w, r)
}

// prefixes are the places every path is served from.
var prefixes = [...]string{"", "/baseR4"}

// call is one request on its way through the handler. Calls are pooled: nothing keeps
// one after the request.
type call struct {
	h        *Handler
	w        http.ResponseWriter
	r        *http.Request
	params   httprouter.Params
	prefix   string // "" or "/baseR4"
	label    label
	target   target // of paths below a type, and of the base
	pretty   bool
	status   int
	admitted bool // counted among the large requests at work
	in       operation.Input
	buf      []byte // the answer
	sent     []byte // the body of the request
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
	defer c.leave() // also when fn panics
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
