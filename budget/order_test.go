package budget_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/budget"
)

// A line is who got bytes, in that order.
type line struct {
	mu  sync.Mutex
	got []string
}

// wait takes bytes for an account in the background, and adds a name to the line when it has them.
// The function that it returns makes the client leave.
func (l *line) wait(t *testing.T, a *budget.Account, n int64, name string) (leave func()) {
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		switch err := a.Take(ctx, n); {
		case err == nil:
			l.mu.Lock()
			defer l.mu.Unlock()
			l.got = append(l.got, name)
		case !errors.Is(err, context.Canceled):
			t.Errorf("%s: %v", name, err)
		}
	}()
	synctest.Wait() // it stands in its queue
	return cancel
}

// expect checks who has got bytes by now.
func (l *line) expect(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.got, want) {
		t.Errorf("%q have bytes, want %q", l.got, want)
	}
}

// holding returns an account that has n bytes.
func holding(t *testing.T, b *budget.Budget, n int64) *budget.Account {
	a := account(b, time.Hour)
	if err := a.Take(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestReserveIsForOne checks that the reserve is drawn on by one account at a time, and passes to
// the next when that one returns it.
func TestReserveIsForOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(400) // 300 for everyone
		first, second, third := holding(t, b, 100), holding(t, b, 100), holding(t, b, 100)
		for _, n := range []int64{60, 40} { // it may draw more than once
			if err := first.Try(n); err != nil {
				t.Fatal(err)
			}
		}
		for _, a := range []*budget.Account{second, third, account(b, 0)} {
			if err := a.Try(1); !errors.Is(err, budget.ErrBusy) {
				t.Errorf("a second account draws on the reserve: %v", err)
			}
		}
		// What another account returns does not open the reserve, and neither does a part of it.
		third.Give(1)
		first.Give(1)
		if err := second.Try(2); !errors.Is(err, budget.ErrBusy) {
			t.Errorf("a second account draws on the reserve: %v", err)
		}
		first.Give(99)
		if err := second.Try(2); err != nil {
			t.Errorf("the reserve was returned, and nobody may draw on it: %v", err)
		}
	})
}

// TestOrder checks that accounts that wait with something in hand go before those without, that
// those without keep their order, and that nobody who asks later overtakes them.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(400)
		drawer, large, small := holding(t, b, 100), holding(t, b, 150), holding(t, b, 50)
		if err := drawer.Try(1); err != nil { // nobody else may draw
			t.Fatal(err)
		}
		var l line
		l.wait(t, account(b, time.Hour), 60, "fresh")
		l.wait(t, account(b, time.Hour), 10, "fresh after it")
		l.wait(t, small, 120, "growing")
		large.Give(90) // room for the fresh ones, not for the one before them
		l.expect(t)
		if err := account(b, 0).Try(1); !errors.Is(err, budget.ErrBusy) {
			t.Errorf("an account that asks now overtakes all others: %v", err)
		}
		if err := large.Try(1); !errors.Is(err, budget.ErrBusy) {
			t.Errorf("an account that asks for more now overtakes one that waits for more: %v", err)
		}
		large.Give(30)
		l.expect(t, "growing")
		small.Give(10) // room for the last, which is not its turn
		l.expect(t, "growing")
		if err := account(b, 0).Try(10); !errors.Is(err, budget.ErrBusy) {
			t.Errorf("an account that asks now overtakes those in the queue: %v", err)
		}
		small.Give(50)
		l.expect(t, "growing", "fresh")
		small.Give(10)
		l.expect(t, "growing", "fresh", "fresh after it")
	})
}

// TestWithdrawn checks that a client that leaves takes only its own place with it.
func TestWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for leaves := range 3 {
			b := budget.New(400)
			full := holding(t, b, 300)
			var l line
			var leave []func()
			var want []string
			for k, name := range []string{"first", "second", "third"} {
				leave = append(leave, l.wait(t, account(b, time.Hour), 100, name))
				if k != leaves {
					want = append(want, name)
				}
			}
			leave[leaves]()
			l.expect(t)
			full.Give(100)
			l.expect(t, want[0])
			full.Give(100)
			l.expect(t, want...)
			full.Close()
			if used := b.Used(); used != 200 {
				t.Errorf("%d bytes are taken, want 200", used)
			}
		}
	})
}

// TestFirstLeaves checks that whoever stands behind a large wait is served when that one leaves.
func TestFirstLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(400)
		holding(t, b, 200)
		var l line
		leave := l.wait(t, account(b, time.Hour), 200, "large")
		l.wait(t, account(b, time.Hour), 50, "small")
		l.expect(t)
		leave()
		l.expect(t, "small")
	})
}
