package httpadapter

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// bodyPace watches how fast a body arrives.
type bodyPace struct {
	pace
	w     http.ResponseWriter // nil if nobody is waiting for a client
	begun time.Time
}

// beginBody sets the time for the first bytes of a body: all of it, or those that fit into the first
// buffer.
func (c *call) beginBody() bodyPace {
	if _, part := c.w.(*entryResponse); part || c.r.ContentLength == 0 {
		return bodyPace{}
	}
	p := bodyPace{c.h.pace, c.w, time.Now()}
	n := int64(trustedLength)
	if c.r.ContentLength > 0 {
		n = min(n, c.r.ContentLength)
	}
	p.allow(int(n))
	return p
}

// allow sets the time by which n bytes have to be there.
func (p bodyPace) allow(n int) {
	if p.w != nil {
		_ = http.NewResponseController(p.w).SetReadDeadline(p.begun.Add(p.within(n))) // some writers have none
	}
}

// end lifts the limit. Until the response is sent, the connection is only watched for its end.
func (p bodyPace) end(err error) {
	if p.w != nil && err == nil {
		_ = http.NewResponseController(p.w).SetReadDeadline(time.Time{}) // as above
	}
}

// expectBody sets the time for a body that nobody reads, because the request is refused or its method
// has none: net/http reads the rest of it before it sends the response. Whoever reads the body sets
// other times.
func (h *Handler) expectBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.pace.grace)) // some writers have none
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		return
	}
	// The answer may take longer than that, and net/http would take a late deadline for a client
	// that has left.
	if _, err := io.CopyN(io.Discard, r.Body, trustedLength); !errors.Is(err, io.EOF) {
		w.Header().Set("Connection", "close")
		return // net/http looks for the rest when it closes the body, so the limit stays
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // as above
}

// drainedBodies is how much of a refused body is read, in multiples of the largest that is not.
const drainedBodies = 8

// drain reads, within bounds, what the client still sends of a body that is refused. Many clients look
// for the response after they have sent all of a request, and a connection that is closed before is
// reset.
func (c *call) drain() {
	set := http.NewResponseController(c.w).SetReadDeadline
	// A client that asks before it sends gets its answer instead.
	asks := c.r.ContentLength > c.maxBody() && c.r.Header["Expect"] != nil
	if _, part := c.w.(*entryResponse); !part && !asks {
		_ = set(time.Now().Add(3 * c.h.pace.grace)) // some writers have none
		if _, err := io.CopyN(io.Discard, c.r.Body, drainedBodies*c.h.Limits.MaxBody); errors.Is(err, io.EOF) {
			_ = set(time.Time{}) // as above
			return
		}
	}
	c.w.Header().Set("Connection", "close") // the rest is not read
}
