package valueset

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

func value(v string, cost int64) func(context.Context) (string, int64, error) {
	return func(context.Context) (string, int64, error) { return v, cost, nil }
}

func TestCacheKeepsAndEvicts(t *testing.T) {
	c := NewCache[string, string](3 * (1000 + costEntry))
	ctx := context.Background()
	for _, k := range []string{"a", "b", "c", "a", "d"} {
		if v, err := c.Do(ctx, k, value(k, 1000)); v != k || err != nil {
			t.Fatalf("%s: %q, %v", k, v, err)
		}
	}
	for k, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if _, ok := c.Get(k); ok != want {
			t.Errorf("%s kept: %v, want %v", k, ok, want)
		}
	}
	c.Add("huge", "x", 1<<40)
	if _, ok := c.Get("huge"); ok {
		t.Error("a value larger than the budget is kept")
	}
	want := CacheStats{Hits: 4, Misses: 4, Evictions: 1, Refused: 1, Used: 3 * (1000 + costEntry), Budget: 3 * (1000 + costEntry), Entries: 3}
	if got := c.Stats(); got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
	c.Purge()
	if got := c.Stats(); got.Used != 0 || got.Entries != 0 {
		t.Errorf("after Purge: %+v", got)
	}
}

func TestCacheDoesNotKeepErrorsAndPanics(t *testing.T) {
	c := NewCache[int, string](DefaultCacheBytes)
	bad := errors.New("bad")
	if _, err := c.Do(context.Background(), 1, func(context.Context) (string, int64, error) { return "", 0, bad }); !errors.Is(err, bad) {
		t.Errorf("error %v", err)
	}
	if _, err := c.Do(context.Background(), 1, func(context.Context) (string, int64, error) { panic("oh") }); !errors.Is(err, errPanic) {
		t.Errorf("panic %v", err)
	}
	if v, err := c.Do(context.Background(), 1, value("good", 1)); v != "good" || err != nil {
		t.Errorf("%q, %v", v, err)
	}
}

func TestCacheComputesOnce(t *testing.T) {
	c := NewCache[int, string](DefaultCacheBytes)
	var computed atomic.Int32
	release := make(chan struct{})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			v, err := c.Do(context.Background(), 1, func(context.Context) (string, int64, error) {
				computed.Add(1)
				<-release
				return "v", 1, nil
			})
			if v != "v" || err != nil {
				t.Errorf("%q, %v", v, err)
			}
		})
	}
	for c.Stats().Misses < 16 {
	}
	close(release)
	wg.Wait()
	if n := computed.Load(); n != 1 {
		t.Errorf("computed %d times", n)
	}
	if s := c.Stats(); s.Shared != 15 {
		t.Errorf("stats %+v", s)
	}
}

// If the caller that began gives up, the others still get the value. If all give up, the
// computation is cancelled, and the next caller starts a new one.
func TestCacheCancellation(t *testing.T) {
	c := NewCache[int, string](DefaultCacheBytes)
	first, cancel := context.WithCancel(context.WithValue(context.Background(), contextKey{}, "kept"))
	started, release := make(chan struct{}), make(chan struct{})
	compute := func(ctx context.Context) (string, int64, error) {
		close(started)
		select {
		case <-release:
		case <-ctx.Done():
		}
		v, _ := ctx.Value(contextKey{}).(string)
		return v, 1, ctx.Err()
	}
	gave := make(chan error)
	go func() { _, err := c.Do(first, 1, compute); gave <- err }()
	<-started
	got := make(chan string)
	go func() {
		v, err := c.Do(context.Background(), 1, compute)
		got <- fmt.Sprint(v, " ", err)
	}()
	for c.Stats().Shared == 0 {
	}
	cancel()
	if err := <-gave; !errors.Is(err, context.Canceled) {
		t.Errorf("first caller: %v", err)
	}
	close(release)
	if v := <-got; v != "kept <nil>" {
		t.Errorf("second caller: %s", v)
	}

	alone, cancel := context.WithCancel(context.Background())
	started, hold := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		_, err := c.Do(alone, 2, func(ctx context.Context) (string, int64, error) {
			close(started)
			<-ctx.Done()
			ended <- ctx.Err()
			<-hold
			return "", 0, ctx.Err()
		})
		gave <- err
	}()
	<-started
	cancel()
	if err := <-gave; !errors.Is(err, context.Canceled) {
		t.Errorf("lone caller: %v", err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("its computation: %v", err)
	}
	shared, began := c.Stats().Shared, make(chan struct{})
	anew := func(ctx context.Context) (string, int64, error) {
		close(began)
		return "anew", 1, ctx.Err()
	}
	go func() {
		for c.Stats().Shared == shared {
			select {
			case <-began:
				shared = -1
			default:
			}
		}
		close(hold)
	}()
	if v, err := c.Do(context.Background(), 2, anew); v != "anew" || err != nil {
		t.Errorf("next caller: %q, %v", v, err)
	}
	if _, err := c.Do(alone, 3, value("x", 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that is done already: %v", err)
	}
}

type contextKey struct{}

// Two computations that need each other's key do not deadlock.
func TestCacheNestedComputations(t *testing.T) {
	c := NewCache[int, string](DefaultCacheBytes)
	var both sync.WaitGroup
	both.Add(2)
	needs := func(other int) func(context.Context) (string, int64, error) {
		return func(ctx context.Context) (string, int64, error) {
			both.Done()
			both.Wait()
			v, err := c.Do(ctx, other, value("inner", 1))
			return "outer of " + strings.TrimPrefix(v, "outer of "), 1, err
		}
	}
	var wg sync.WaitGroup
	for k := range 2 {
		wg.Go(func() {
			if v, err := c.Do(context.Background(), k, needs(1-k)); v != "outer of inner" || err != nil {
				t.Errorf("%q, %v", v, err)
			}
		})
	}
	wg.Wait()
}

func TestCacheWithoutBudget(t *testing.T) {
	c := NewCache[int, string](-1)
	for range 2 {
		if v, err := c.Do(context.Background(), 1, value("v", 0)); v != "v" || err != nil {
			t.Errorf("%q, %v", v, err)
		}
	}
	if s := c.Stats(); s.Entries != 0 || s.Refused != 2 {
		t.Errorf("%+v", s)
	}
}

// Law: the used bytes are the sum of the costs of the stored values, and never exceed the budget.
func TestCacheAccount(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := NewCache[int, int64](rapid.Int64Range(0, 6000).Draw(rt, "budget"))
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			key, cost := rapid.IntRange(0, 5).Draw(rt, "key"), rapid.Int64Range(-1, 4000).Draw(rt, "cost")
			c.Add(key, max(cost, 0)+costEntry, cost)
			var sum int64
			for k := range 6 {
				if v, ok := c.lru.Peek(k); ok {
					sum += v.value
				}
			}
			if s := c.Stats(); s.Used != sum || s.Used > s.Budget {
				rt.Fatalf("used %d, kept %d, budget %d", s.Used, sum, s.Budget)
			}
		}
	})
}
