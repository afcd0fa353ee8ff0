package httpadapter

import (
	"errors"
	"net/http"
	"runtime"

	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/engine/operation"
)

// largeBody is the body size in bytes from which a request needs admission. Processing a body
// takes a multiple of its size, so memory would otherwise grow with the number of clients.
const largeBody = 1 << 20

// admission limits how many large requests are processed at a time. More of them than
// processors would not be faster. Small requests do not wait.
type admission chan struct{}

func newAdmission() admission { return make(admission, 2*runtime.GOMAXPROCS(0)) }

// admit waits until a request with a body may proceed: until it has a slot, and the memory that work
// on the body needs. It returns an error when the request's time is over first, or if there is less
// memory for all requests. Both are released when the response begins, because a client may read it
// slowly. An entry of a batch shares those of its batch.
func (c *call) admit(body []byte) error {
	if _, part := c.w.(*entryResponse); part {
		return nil
	}
	if len(body) >= budget.Small {
		if err := c.body.Take(c.context(), workOn(body)); err != nil {
			return c.tooMuchWork(err)
		}
	}
	if c.admitted || len(body) < largeBody {
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

// tooMuchWork turns budget.ErrTooLarge into a 413.
func (c *call) tooMuchWork(err error) error {
	if !errors.Is(err, budget.ErrTooLarge) {
		return err
	}
	return withStatus(http.StatusRequestEntityTooLarge, operation.Problem{
		Code: "too-long",
		Text: "the body is too large for the memory of this server; send less at a time, or give the server more memory",
		Err:  err,
	})
}

// leave releases what admit and reading the body have taken.
func (c *call) leave() {
	c.body.Close()
	if c.admitted {
		c.admitted = false
		<-c.h.admission
	}
}

// end releases everything that the request has taken. What an entry has taken is released by its
// bundle.
func (c *call) end() {
	c.leave()
	c.answers.Close()
}
