package httpadapter

import (
	"context"
	"sync"
	"time"
)

// withDeadline is context.WithTimeout without its timer: most requests are over long
// before anybody waits on Done, and then the timer was for nothing. The real context is
// made when Done is called first; Err compares with the clock.
func withDeadline(parent context.Context, timeout time.Duration) context.Context {
	return &deadline{Context: parent, at: time.Now().Add(timeout)}
}

type deadline struct {
	context.Context // the parent
	at              time.Time
	once            sync.Once
	real            context.Context
}

// Deadline gives the earlier deadline of this context and its parent.
func (d *deadline) Deadline() (time.Time, bool) {
	if earlier, ok := d.Context.Deadline(); ok && earlier.Before(d.at) {
		return earlier, true
	}
	return d.at, true
}

// Done gives the channel of a context with a timer. The timer ends with the parent,
// which is the request, so its cancel function is not needed.
func (d *deadline) Done() <-chan struct{} {
	d.once.Do(func() {
		ctx, cancel := context.WithDeadline(d.Context, d.at)
		context.AfterFunc(d.Context, cancel)
		d.real = ctx
	})
	return d.real.Done()
}

// Err tells whether the parent has ended or the time is up.
func (d *deadline) Err() error {
	if err := d.Context.Err(); err != nil {
		return err
	}
	if !time.Now().Before(d.at) {
		return context.DeadlineExceeded
	}
	return nil
}
