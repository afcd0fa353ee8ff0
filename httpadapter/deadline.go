package httpadapter

import (
	"context"
	"sync"
	"time"

	"github.com/roget-health/roget/budget"
)

// context returns the context of the request, limited to Limits.Timeout, with its account of memory.
// It is the same at each call, and so is the deadline.
func (c *call) context() context.Context {
	if c.ctx == nil {
		d := withDeadline(c.r.Context(), c.h.Limits.Timeout)
		d.account = c.account
		c.ctx = d
	}
	return c.ctx
}

// withDeadline is context.WithTimeout without its cost until the context is used. Most
// requests finish first, and would have read the clock and started a timer for nothing. The
// time starts with the first call of Deadline, Done or Err, which long work makes early.
func withDeadline(parent context.Context, timeout time.Duration) *deadline {
	return &deadline{Context: parent, timeout: timeout}
}

type deadline struct {
	context.Context // the parent
	timeout         time.Duration
	account         *budget.Account // may be nil
	started         sync.Once
	at              time.Time
	timed           sync.Once
	real            context.Context
}

func (d *deadline) start() { d.started.Do(func() { d.at = time.Now().Add(d.timeout) }) }

// Value returns the account for its key.
func (d *deadline) Value(key any) any {
	if _, is := key.(budget.Key); is && d.account != nil {
		return d.account
	}
	return d.Context.Value(key)
}

// Deadline returns the earlier deadline of this context and its parent.
func (d *deadline) Deadline() (time.Time, bool) {
	d.start()
	if earlier, ok := d.Context.Deadline(); ok && earlier.Before(d.at) {
		return earlier, true
	}
	return d.at, true
}

// Done returns the channel of a context with a timer. The parent is the request, and the timer
// is stopped when it ends, so there is no cancel function to call.
func (d *deadline) Done() <-chan struct{} {
	d.start()
	d.timed.Do(func() {
		ctx, cancel := context.WithDeadline(d.Context, d.at)
		context.AfterFunc(d.Context, cancel)
		d.real = ctx
	})
	return d.real.Done()
}

// Err returns the error of the parent, or context.DeadlineExceeded when the time is up.
func (d *deadline) Err() error {
	d.start()
	if err := d.Context.Err(); err != nil {
		return err
	}
	if !time.Now().Before(d.at) {
		return context.DeadlineExceeded
	}
	return nil
}
