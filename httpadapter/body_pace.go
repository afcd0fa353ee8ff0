package httpadapter

import (
	"net/http"
	"time"
)

// A body must arrive with bodyRate bytes a second after bodyGrace, so that a client that sends half of
// one does not hold a connection and memory for long.
const (
	bodyGrace = 10 * time.Second
	bodyRate  = 4 << 10
)

// bodyPace watches how fast a body arrives.
type bodyPace struct {
	w     http.ResponseWriter // nil if nobody is waiting for a client
	begun time.Time
}

// beginBody sets the time for the first bytes of a body: all of it, or those that fit into the first
// buffer.
func (c *call) beginBody() bodyPace {
	if _, part := c.w.(*entryResponse); part || c.r.ContentLength == 0 {
		return bodyPace{}
	}
	p := bodyPace{c.w, time.Now()}
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
		within := bodyGrace + time.Duration(n)*time.Second/bodyRate
		_ = http.NewResponseController(p.w).SetReadDeadline(p.begun.Add(within)) // some writers have none
	}
}

// end lifts the limit. Until the response is sent, the connection is only watched for its end.
func (p bodyPace) end(err error) {
	if p.w != nil && err == nil {
		_ = http.NewResponseController(p.w).SetReadDeadline(time.Time{}) // as above
	}
}
