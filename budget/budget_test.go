package budget_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/budget"
)

func account(b *budget.Budget, patience time.Duration) *budget.Account {
	a := new(budget.Account)
	a.Open(b, patience)
	return a
}

// TestCircle checks that accounts that need more while they hold something all finish, if the reserve
// is enough for each.
func TestCircle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(400) // 300 for everyone
		var group sync.WaitGroup
		for range 30 {
			group.Go(func() {
				a := account(b, time.Hour)
				defer a.Close()
				for _, n := range []int64{100, 60, 40} {
					if err := a.Take(t.Context(), n); err != nil {
						t.Error(err)
					}
					time.Sleep(time.Second)
				}
			})
		}
		group.Wait()
		if used := b.Used(); used != 0 {
			t.Errorf("%d bytes are taken at the end", used)
		}
	})
}

// TestLargeCircle checks that of accounts that need more than the reserve, and all wait, some are
// refused at once, so that the others finish without waiting for their patience.
func TestLargeCircle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.NewHard(400)
		var group sync.WaitGroup
		var mu sync.Mutex
		finished, refused, start := 0, 0, time.Now()
		for range 30 {
			group.Go(func() {
				a := account(b, time.Hour)
				defer a.Close()
				if err := a.Take(t.Context(), 100); err != nil {
					t.Error(err)
				}
				err := a.Take(t.Context(), 300)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					finished++
				case errors.Is(err, budget.ErrBusy):
					refused++
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		if finished == 0 || finished+refused != 30 || time.Since(start) > 0 {
			t.Errorf("%d finished and %d were refused after %v", finished, refused, time.Since(start))
		}
		if used := b.Used(); used != 0 {
			t.Errorf("%d bytes are taken at the end", used)
		}
	})
}

// TestTooLarge checks that an account that would have more than the whole budget is refused at once,
// and one that would have all of it is not.
func TestTooLarge(t *testing.T) {
	for _, have := range []int64{1, 100, 300} {
		b := budget.NewHard(400)
		a := holding(t, b, have)
		if err := a.Take(t.Context(), 401-have); !errors.Is(err, budget.ErrTooLarge) || b.Used() != have {
			t.Errorf("with %d: %v, %d bytes are taken", have, err, b.Used())
		}
		if err := a.Borrow(401 - have); !errors.Is(err, budget.ErrTooLarge) || b.Used() != have {
			t.Errorf("with %d: %v, %d bytes are taken", have, err, b.Used())
		}
		if err := a.Take(t.Context(), 400-have); err != nil || b.Used() != 400 {
			t.Errorf("with %d: %v, %d bytes are taken", have, err, b.Used())
		}
		if a.Close(); b.Used() != 0 {
			t.Errorf("with %d: %d bytes are taken at the end", have, b.Used())
		}
	}
}

// TestBound checks with many accounts in random order that no more is taken than there is, and that
// nothing is lost.
func TestBound(t *testing.T) {
	const everyone = 750
	b := budget.NewHard(1000)
	var group sync.WaitGroup
	for k := range 16 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(k)))
			for range 300 {
				a := account(b, time.Duration(random.IntN(3))*time.Millisecond+1)
				for range random.IntN(4) {
					n := int64(1 + random.IntN(500))
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(2000))*time.Microsecond)
					err := a.Take(ctx, n)
					cancel()
					if err != nil && !errors.Is(err, budget.ErrBusy) && (!errors.Is(err, budget.ErrTooLarge) || a.Held()+n <= 1000) {
						t.Error(err)
					}
					if used := b.Used(); used > 1000 {
						t.Errorf("%d bytes are taken", used)
					}
					if random.IntN(3) == 0 {
						a.Give(int64(random.IntN(300)))
					}
				}
				a.Close()
			}
		})
	}
	group.Wait()
	if used := b.Used(); used != 0 {
		t.Errorf("%d bytes are taken at the end", used)
	}
	if err := account(b, 0).Try(everyone); err != nil {
		t.Error(err)
	}
}

func TestTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(400)
		first, second := account(b, time.Minute), account(b, time.Minute)
		if err := first.Take(t.Context(), 1<<40); err != nil { // more than there is: all of it
			t.Fatal(err)
		}
		if err := second.Try(1); !errors.Is(err, budget.ErrBusy) {
			t.Errorf("Try of a full budget: %v", err)
		}
		start := time.Now()
		if err := second.Take(t.Context(), 1); !errors.Is(err, budget.ErrBusy) || time.Since(start) != time.Minute {
			t.Errorf("Take of a full budget: %v after %v", err, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := second.Take(ctx, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("Take for a client that left: %v", err)
		}
		time.AfterFunc(time.Second, first.Close)
		if err := second.Take(t.Context(), 1); err != nil {
			t.Error(err)
		}
		if b.Settled(1) {
			t.Error("settled while something is taken")
		}
		second.Give(1 << 40)
		if b.Settled(301) || !b.Settled(300) || b.Settled(1) {
			t.Error("a peak of 300 bytes is not reported once")
		}
		if used := b.Used(); used != 0 {
			t.Errorf("%d bytes are taken at the end", used)
		}
	})
}

// TestBorrow checks that what is borrowed is given back apart from what is taken, and no more of it.
func TestBorrow(t *testing.T) {
	b := budget.New(400)
	a := account(b, 0)
	for _, step := range []struct {
		do   func() error
		used int64
	}{
		{func() error { return a.Try(100) }, 100},
		{func() error { return a.Borrow(50) }, 150},
		{func() error { return a.Borrow(50) }, 200},
		{func() error { a.Repay(30); return nil }, 170},
		{func() error { a.Repay(1 << 60); return nil }, 100},
		{func() error { a.Repay(1); return nil }, 100},
		{func() error { return a.Borrow(20) }, 120},
		{func() error { a.Close(); return nil }, 0},
		{func() error { return a.Try(10) }, 10},
		{func() error { a.Repay(10); return nil }, 10}, // Close has forgotten what was borrowed
	} {
		if err := step.do(); err != nil || b.Used() != step.used {
			t.Errorf("%d bytes are taken, want %d: %v", b.Used(), step.used, err)
		}
	}
	other := account(b, 0)
	if err := other.Borrow(300); !errors.Is(err, budget.ErrBusy) || other.Held() != 0 {
		t.Errorf("%v, %d bytes", err, other.Held())
	}
}

// TestNoBudget checks that an account of no budget, or none, takes whatever is asked for.
func TestNoBudget(t *testing.T) {
	for _, a := range []*budget.Account{nil, new(budget.Account)} {
		if err := a.Take(t.Context(), 1<<60); err != nil || a.Held() != 0 {
			t.Errorf("%v, %d bytes", err, a.Held())
		}
		if err := a.Borrow(1 << 60); err != nil {
			t.Error(err)
		}
		a.Repay(1)
		a.Give(1)
		a.Close()
	}
	if err := budget.Take(t.Context(), 1<<60); err != nil {
		t.Error(err)
	}
	b := budget.New(1)
	a := account(b, 0)
	ctx := budget.With(t.Context(), a)
	if err := budget.Take(ctx, budget.Small-1); err != nil || a.Held() != 0 {
		t.Errorf("a small request: %v, %d bytes", err, a.Held())
	}
	if err := budget.Try(ctx, budget.Small); err != nil || a.Held() == 0 {
		t.Errorf("%v, %d bytes", err, a.Held())
	}
}
