package httpadapter

import (
	"net/http"
	"runtime"

	"github.com/roget-health/roget/engine/operation"
)

// largeBody is the size from which a request waits for its turn, in bytes: what is made
// of its body takes a multiple of it, so memory would grow with the number of clients.
const largeBody = 1 << 20

// turns lets few large requests work at a time: more than there are processors would not
// be faster. Small ones do not wait.
type admission chan struct{}

func newAdmission() admission { return make(admission, 2*runtime.GOMAXPROCS(0)) }

// takeTurn waits until a request with a body of a size may work, and gives up when its
// time is over. The turn ends where the answer begins, which a client may read slowly.
// What is part of a batch has the batch's turn.
func (c *call) admit(size int) error {
	if _, part := c.w.(*answer); part || c.admitted || size < largeBody {
		return nil
	}
	select {
	case c.h.admission <- struct{}{}:
		c.admitted = true
		return nil
	case <-c.context().Done():
		c.w.Header().Set("Retry-After", "5")
		return withStatus(http.StatusServiceUnavailable, operation.Problem{
			Code: "throttled",
			Text: "too many large requests at a time; try again later",
		})
	}
}

// endTurn lets the next one work. It does nothing when there is no turn to end.
func (c *call) leave() {
	if c.admitted {
		c.admitted = false
		<-c.h.admission
	}
}
