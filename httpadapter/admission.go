package httpadapter

import (
	"net/http"
	"runtime"

	"github.com/roget-health/roget/engine/operation"
)

// largeBody is the body size in bytes from which a request needs admission. Processing a body
// takes a multiple of its size, so memory would otherwise grow with the number of clients.
const largeBody = 1 << 20

// admission limits how many large requests are processed at a time. More of them than
// processors would not be faster. Small requests do not wait.
type admission chan struct{}

func newAdmission() admission { return make(admission, 2*runtime.GOMAXPROCS(0)) }

// admit waits until a request with a body of size bytes may proceed. It returns an error when
// the request's time is over first. The slot is released when the response begins, because a
// client may read it slowly. An entry of a batch shares the slot of its batch.
func (c *call) admit(size int) error {
	if _, part := c.w.(*entryResponse); part || c.admitted || size < largeBody {
		return nil
	}
	select {
	case c.h.admission <- struct{}{}:
		c.admitted = true
		return nil
	case <-c.context().Done():
		return withStatus(http.StatusServiceUnavailable, operation.Problem{
			Code: "throttled",
			Text: "the server is processing too many large requests; try again later",
		})
	}
}

// leave releases the slot of an admitted request and does nothing for any other.
func (c *call) leave() {
	if c.admitted {
		c.admitted = false
		<-c.h.admission
	}
}
