package httpadapter

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/engine/operation"
)

// Header values that many responses share. The slices are never written to: Header.Add copies
// them because their capacity equals their length, and Header.Set replaces them.
var (
	valueNosniff      = []string{"nosniff"}
	valueFHIR         = []string{"application/fhir+json; charset=utf-8"}
	valueXML          = []string{"application/fhir+xml; charset=utf-8"}
	valueJSON         = []string{"application/json"}
	valueVaryAccept   = []string{"Accept"}
	valueVaryEncoding = []string{"Accept, Accept-Encoding"}
	valueVaryOrigin   = []string{"Origin, Accept"}
	valueVaryBoth     = []string{"Origin, Accept, Accept-Encoding"}
)

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.expectBody(w, r)
	r = h.behindProxies(r)
	if h.metrics != nil {
		h.metrics.inFlight.Add(1)
		defer h.metrics.inFlight.Add(-1)
	}
	if h.Tracer != nil {
		ctx := h.Tracer.StartRequest(r.Context(), r.Header, r.Method)
		defer h.Tracer.EndRequest(ctx)
		r = r.WithContext(ctx)
	}
	header := w.Header()
	header["X-Content-Type-Options"] = valueNosniff
	h.ids.set(header, r.Header)
	if h.hsts != nil && isSecure(r) {
		header["Strict-Transport-Security"] = h.hsts
	}
	if !h.knowsHost(w, r) || !h.fromOwnPage(w, r) {
		return
	}
	r = h.withoutPublicPath(r)
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

// requestIDs makes request ids from a random prefix of the process and a counter.
type requestIDs struct {
	prefix string
	last   atomic.Uint64
}

func (ids *requestIDs) seed() { ids.prefix = rand.Text()[:10] + "-" }

// set puts the request id into the response header: the id that the client sent if it is safe
// to log, else a new one.
func (ids *requestIDs) set(response, request http.Header) {
	if sent := request[headerRequestID]; sent != nil && validRequestID(sent[0]) {
		response[headerRequestID] = sent[:1:1]
		return
	}
	var buf [32]byte
	id := append(buf[:0], ids.prefix...)
	id = strconv.AppendUint(id, ids.last.Add(1), 36)
	response[headerRequestID] = []string{string(id)}
}

// requestID returns the request id in the header of w.
func requestID(w http.ResponseWriter) string { return w.Header().Get(headerRequestID) }

// validRequestID reports whether s is 1 to 64 letters, digits, ".", "_" and "-".
func validRequestID(s string) bool {
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

// inner answers a request that has passed CORS.
func (h *Handler) inner(w http.ResponseWriter, r *http.Request) {
	if h.wantsPage(r) {
		toPage(w, "ui/")
		return
	}
	if h.guarded() {
		if !isOpen(r) {
			keepPrivate(w.Header())
		}
		if r = h.authenticate(w, r); r == nil {
			return
		}
	} else if !h.withinRate(w, r) {
		return
	}
	header := w.Header()
	if r.Header["Accept-Encoding"] != nil {
		header["Vary"] = varyWith(header["Vary"], valueVaryAccept, valueVaryOrigin)
		h.compressing.ServeHTTP(w, r) // adds Accept-Encoding to Vary
		return
	}
	header["Vary"] = varyWith(header["Vary"], valueVaryEncoding, valueVaryBoth)
	h.granted(w, r)
}

// call is one request on its way through the handler. Calls are pooled, so nothing may keep
// a reference to one after the request.
type call struct {
	h            *Handler
	w            http.ResponseWriter
	r            *http.Request
	params       httprouter.Params
	at           *base // that the request was sent to
	label        label
	target       target // set for paths below a type and for the base
	pretty       bool
	format       format // of the response
	converted    bool   // the body was XML
	status       int
	sent         int64           // bytes of the response before compression
	trail        *trail          // nil if the request is not audited
	delivered    time.Time       // when the first large part of the answer was, or zero
	admitted     bool            // holds a slot of Handler.admission
	ctx          context.Context //nolint:containedctx // made by context
	answers      budget.Account  // memory for the answer
	body         budget.Account  // memory for the body of the request
	account      *budget.Account // answers, of an entry those of its bundle
	exclusive    bool            // in a transaction, for which others wait
	in           operation.Input
	responseBody []byte // reused by the next request
	requestBody  []byte // reused by the next request
}

// label names a request in logs and metrics by its interaction or operation and its resource
// type.
type label struct{ action, typ string }

// maxPooledBuffer is the largest buffer that is kept for the next request.
const maxPooledBuffer = 256 << 10

// handle returns the route that runs fn with a pooled call.
func (h *Handler) handle(at *base, what label, fn func(*call)) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		c := h.calls.Get().(*call)
		c.h, c.w, c.r, c.params, c.at, c.label, c.target = h, w, r, params, at, what, target{}
		if part, ok := w.(*entryResponse); ok {
			c.at = part.call.at // an entry has the links and the rules of its bundle
			c.format = formatJSON
		}
		c.open()
		if h.metrics == nil && h.Tracer == nil && !h.AccessLog && !h.Logger.Enabled(r.Context(), slog.LevelDebug) {
			c.run(fn)
		} else {
			h.observed(c, fn)
		}
		c.release()
	}
}

func (c *call) run(fn func(*call)) {
	if long := len(c.r.URL.RawQuery) + len(c.r.URL.Path); long > c.h.Limits.MaxURL {
		c.urlTooLong(long)
		return
	}
	defer c.end() // also when fn panics
	c.audited(fn)
}

// release returns a call to the pool.
func (c *call) release() {
	pool := &c.h.calls
	c.in.Reset(nil)
	if cap(c.responseBody) > maxPooledBuffer {
		c.responseBody = nil
	}
	if cap(c.requestBody) > maxPooledBuffer {
		c.requestBody = nil
	}
	c.h, c.w, c.r, c.params, c.pretty, c.status, c.sent = nil, nil, nil, nil, false, 0, 0
	c.format, c.converted, c.trail = formatOpen, false, nil
	c.ctx, c.account, c.exclusive = nil, nil, false
	c.delivered = time.Time{}
	pool.Put(c)
}
