package httpadapter

import (
	"context"
	"sync"
	"time"
)

// context is that of the request, with the time one may take.
func (c *call) context() context.Context {
	return withDeadline(c.r.Context(), c.h.Limits.Timeout)
}

// withDeadline is context.WithTimeout that costs nothing until somebody looks: most
// requests are over before that, and then clock and timer were for nothing. The time
// runs from the first look at Deadline, Done or Err, which long work takes early.
func withDeadline(parent context.Context, timeout time.Duration) context.Context {
	return &deadline{Context: parent, timeout: timeout}
}

type deadline struct {
	context.Context // the parent
	timeout         time.Duration
	started         sync.Once
	at              time.Time
	timed           sync.Once
	real            context.Context
}

func (d *deadline) start() { d.started.Do(func() { d.at = time.Now().Add(d.timeout) }) }

// Deadline returns the earlier deadline of this context and its parent.
func (d *deadline) Deadline() (time.Time, bool) {
	d.start()
	if earlier, ok := d.Context.Deadline(); ok && earlier.Before(d.at) {
		return earlier, true
	}
	return d.at, true
}

// Done returns the channel of a context with a timer. The timer ends with the parent,
// which is the request, so its cancel function is not needed.
func (d *deadline) Done() <-chan struct{} {
	d.start()
	d.timed.Do(func() {
		ctx, cancel := context.WithDeadline(d.Context, d.at)
		context.AfterFunc(d.Context, cancel)
		d.real = ctx
	})
	return d.real.Done()
}

// Err reports whether the parent has ended or the time is up.
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
