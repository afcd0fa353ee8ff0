// Package budget bounds the memory that the requests of a server use together. A Budget is a number
// of bytes. Each request has an Account, takes what it is about to allocate, and waits while the
// others have taken too much.
package budget

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// Small is the number of bytes below which nobody needs to ask: taking them costs more than it
// bounds.
const Small = 64 << 10

// ErrBusy is returned when a budget had no room for a request in time.
var ErrBusy = errors.New("the memory for requests is in use; try again later")

// ErrTooLarge is returned to an account that would have more than the whole of a hard budget. Waiting
// does not help it.
var ErrTooLarge = errors.New("more memory is needed than the server has for all requests")

// A Budget is a number of bytes that accounts share. It is safe for concurrent use.
//
// Three quarters of it are for everyone. What is above them is a reserve that one account at a time
// may draw on, and only one that has taken something before. So accounts that need more while they
// hold something do not wait for each other in a circle: whoever has the reserve finishes first. If
// one needs more than the reserve of a hard budget, and all others wait as well, those that came last
// are refused.
type Budget struct {
	mu      sync.Mutex
	total   int64 // for everyone
	reserve int64
	used    int64    // of total
	drawing *Account // has the reserve
	peak    int64    // since the last Settled
	// growing wait with something in hand, so they go before fresh ones, which wait in order.
	growing, fresh []*wait
}

type wait struct {
	account *Account
	n       int64
	done    chan struct{} // closed when the bytes are taken or refused
	granted bool
	refused bool
}

// New returns a budget of a number of bytes. The reserve has no end, so an account that has something
// gets what it needs, alone.
func New(bytes int64) *Budget {
	return &Budget{total: max(bytes-bytes/4, 1), reserve: math.MaxInt64 / 4}
}

// NewHard returns a budget of a number of bytes that are never exceeded.
func NewHard(bytes int64) *Budget {
	return &Budget{total: max(bytes-bytes/4, 1), reserve: bytes / 4}
}

// Used returns the number of bytes that are taken.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken()
}

func (b *Budget) taken() int64 {
	if b.drawing != nil {
		return b.used + b.drawing.drawn
	}
	return b.used
}

// Settled reports whether at least n bytes were taken at some time since it last did, and none are
// now. It is for whoever returns memory to the system after a rush.
func (b *Budget) Settled(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used > 0 || b.drawing != nil || b.peak < n {
		return false
	}
	b.peak = 0
	return true
}

// An Account is what one request has taken from a budget. The zero Account, like a nil one, belongs
// to no budget, and takes whatever is asked for.
type Account struct {
	budget   *Budget
	patience time.Duration
	common   int64 // taken from what everyone shares
	drawn    int64 // taken from the reserve
	borrowed int64 // of both, what Repay gives back
}

// Open makes the account one of a budget. Take waits for at most patience; 0 means until its
// context ends. The account must be empty.
func (a *Account) Open(b *Budget, patience time.Duration) {
	a.budget, a.patience = b, patience
}

// Held returns the number of bytes that the account has.
func (a *Account) Held() int64 {
	if a == nil || a.budget == nil {
		return 0
	}
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	return a.common + a.drawn
}

// Take takes n bytes, and waits for them if there is no room. An account that has nothing and needs
// more than there is for everyone gets all of that. Take returns ErrBusy if there is no room in time,
// ErrTooLarge if there can never be, or the error of ctx if ctx was cancelled.
func (a *Account) Take(ctx context.Context, n int64) error {
	w, err := a.ask(n, true)
	if w == nil || err != nil {
		return err
	}
	var late <-chan time.Time
	if a.patience > 0 {
		timer := time.NewTimer(a.patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-w.done:
		if w.refused {
			return ErrBusy
		}
		return nil
	case <-late:
		err = ErrBusy
	case <-ctx.Done():
		if err = ErrBusy; errors.Is(ctx.Err(), context.Canceled) {
			err = ctx.Err()
		}
	}
	if a.budget.withdraw(w) {
		return err
	}
	return nil // granted at the last moment
}

// Try is Take that does not wait: it returns ErrBusy if there is no room now.
func (a *Account) Try(n int64) error {
	_, err := a.ask(n, false)
	return err
}

// Borrow is Try for bytes that are given back with Repay.
func (a *Account) Borrow(n int64) error {
	if err := a.Try(n); err != nil || a == nil || a.budget == nil {
		return err
	}
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.borrowed += n
	return nil
}

// Repay gives back n bytes of what the account has borrowed, at most all.
func (a *Account) Repay(n int64) {
	if a == nil || a.budget == nil {
		return
	}
	a.budget.mu.Lock()
	n = min(n, a.borrowed)
	a.borrowed -= n
	a.budget.mu.Unlock()
	a.Give(n)
}

// ask takes n bytes, or returns a wait for them.
func (a *Account) ask(n int64, queue bool) (*wait, error) {
	if a == nil || a.budget == nil || n <= 0 {
		return nil, nil
	}
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if held := a.common + a.drawn; held > 0 && n > b.total+b.reserve-held {
		return nil, fmt.Errorf("%w: %d MiB of %d", ErrTooLarge, (held+n)>>20+1, (b.total+b.reserve)>>20)
	}
	if b.grant(a, n, false) {
		return nil, nil
	}
	if !queue {
		return nil, ErrBusy
	}
	w := &wait{account: a, n: n, done: make(chan struct{})}
	if a.common+a.drawn > 0 {
		b.growing = append(b.growing, w)
		b.unlock()
	} else {
		b.fresh = append(b.fresh, w)
	}
	return w, nil
}

// grant takes n bytes for an account if there is room. next is set if it is its turn.
func (b *Budget) grant(a *Account, n int64, next bool) bool {
	grows := a.common+a.drawn > 0
	if !grows {
		n = min(n, b.total)
	}
	switch {
	case b.used+n <= b.total && (next || len(b.growing) == 0 && (grows || len(b.fresh) == 0)):
		b.used += n
		a.common += n
	case grows && (b.drawing == nil || b.drawing == a) && n <= b.total-b.used+b.reserve-a.drawn:
		drawn := min(n, b.reserve-a.drawn)
		b.drawing = a
		a.drawn += drawn
		a.common += n - drawn
		b.used += n - drawn
	default:
		return false
	}
	b.peak = max(b.peak, b.used)
	return true
}

// Give returns n bytes to the budget, at most what the account has.
func (a *Account) Give(n int64) {
	if a == nil || a.budget == nil || n <= 0 {
		return
	}
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	drawn := min(n, a.drawn)
	a.drawn -= drawn
	if b.drawing == a && a.drawn == 0 {
		b.drawing = nil
	}
	common := min(n-drawn, a.common)
	a.common -= common
	b.used -= common
	b.serve()
}

// Close returns everything to the budget. An account that took nothing closes without a lock.
func (a *Account) Close() {
	if a != nil && (a.common > 0 || a.drawn > 0) {
		a.Repay(a.borrowed)
		a.Give(a.common + a.drawn)
	}
}

// serve grants what waits and now has room.
func (b *Budget) serve() {
	for _, queue := range [...]*[]*wait{&b.growing, &b.fresh} {
		for len(*queue) > 0 && b.grant((*queue)[0].account, (*queue)[0].n, true) {
			w := (*queue)[0]
			*queue = (*queue)[1:]
			w.granted = true
			close(w.done)
		}
		if len(*queue) > 0 {
			b.unlock()
			return
		}
		*queue = nil
	}
}

// unlock refuses the last of the accounts that wait with something in hand, if nobody else has
// anything that could be returned. It does not refuse the one that draws on the reserve.
func (b *Budget) unlock() {
	var held int64
	last := -1
	for i, w := range b.growing {
		held += w.account.common + w.account.drawn
		if w.account != b.drawing {
			last = i
		}
	}
	if last >= 0 && held == b.taken() {
		w := b.growing[last]
		b.growing = slices.Delete(b.growing, last, last+1)
		w.refused = true
		close(w.done)
	}
}

// withdraw removes a wait, and reports whether it had not been granted.
func (b *Budget) withdraw(w *wait) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w.granted || w.refused {
		return w.refused
	}
	for _, queue := range [...]*[]*wait{&b.growing, &b.fresh} {
		for i, other := range *queue {
			if other == w {
				*queue = append((*queue)[:i:i], (*queue)[i+1:]...)
				break
			}
		}
	}
	b.serve() // whoever stood behind it may have room
	return true
}
