package httpadapter

import (
	"bytes"
	"context"

	"github.com/roget-health/roget/budget"
)

// Factors from the size of a resource to the memory that work on it needs besides. They are estimates
// for resources of many small elements, which are the worst.
const (
	convertedFactor = 8 // between JSON and XML, or R4 and R5: a tree and the new text
	indentedFactor  = 2
)

// workOn estimates the memory in bytes that work on a body needs besides it: copies of its text, and
// for each of its elements the tree of the document, issues and search values. A resource of 400,000
// identifiers needs twelve times its size, and a Binary three times.
func workOn(body []byte) int64 {
	const perElement, copies, most = 120, 3, 12
	elements := int64(bytes.Count(body, []byte{','}) + bytes.Count(body, []byte{'{'}) + bytes.Count(body, []byte{'<'}))
	size := int64(len(body))
	return min(copies*size+perElement*elements, most*size)
}

// shared is what the requests of a handler share: a budget for bodies being read and worked on, and
// one for answers being made. A body that is too large for it is refused, but what is stored can be
// read, however large it is.
type shared struct{ requests, answers *budget.Budget }

func newShared(l Limits) shared {
	return shared{requests: budget.NewHard(l.RequestMemory), answers: budget.New(l.AnswerMemory)}
}

// Settled reports, once, that requests needed n bytes or more, and that none of them is left. It is
// time to return memory to the system then.
func (h *Handler) Settled(n int64) bool {
	answers, requests := h.shared.answers.Settled(n), h.shared.requests.Settled(n)
	return answers || requests
}

// open prepares the accounts of a call. An entry of a batch or transaction uses those of its bundle.
func (c *call) open() {
	if part, ok := c.w.(*entryResponse); ok {
		c.account = part.call.account
		return
	}
	c.answers.Open(c.h.shared.answers, c.h.Limits.Timeout)
	c.body.Open(c.h.shared.requests, c.h.Limits.Timeout)
	c.account = &c.answers
}

// Reserve takes the memory that work in the background on bodies needs, besides the requests, and waits
// for it. Call release after the work.
func (h *Handler) Reserve(ctx context.Context, bodies [][]byte) (release func(), err error) {
	var n int64
	for _, body := range bodies {
		n += int64(len(body)) + workOn(body)
	}
	account := &budget.Account{}
	account.Open(h.shared.requests, 0)
	if err := account.Take(ctx, n); err != nil {
		return nil, err
	}
	return account.Close, nil
}

// hold takes memory for the answer and waits for it. What is not given back before is given back at
// the end of the request.
func (c *call) hold(n int) error {
	if n < budget.Small {
		return nil
	}
	return c.account.Take(c.context(), int64(n))
}

// free gives back what hold has taken.
func (c *call) free(n int) {
	if n >= budget.Small {
		c.account.Give(int64(n))
	}
}

// converting runs a conversion of a resource of size bytes with the memory for it.
func (c *call) converting(size int, convert func() error) error {
	if err := c.hold(convertedFactor * size); err != nil {
		return err
	}
	defer c.free(convertedFactor * size)
	return convert()
}
