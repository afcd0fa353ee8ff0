package valueset

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// DefaultCacheBytes is the default budget of a Cache: 256 MiB.
const DefaultCacheBytes = 256 << 20

// costEntry is added to the cost of each entry, for the key, the list and the map cells.
const costEntry = 256

// Cache is an LRU cache with a budget in bytes. Concurrent callers of the same key share one
// computation. A key should contain everything that the value depends on, such as the generation
// of the published resources. Values then never need to be invalidated: they become unreachable
// and are evicted in time. A Cache is safe for concurrent use.
type Cache[K comparable, V any] struct {
	max int64

	mu      sync.Mutex
	lru     *simplelru.LRU[K, cached[V]]
	used    int64
	flights map[K]*flight[V]
	stats   CacheStats
}

type cached[V any] struct {
	value V
	cost  int64
}

// CacheStats are counters since the start, and the current state.
type CacheStats struct {
	// Hits counts values found. Misses counts values that were computed or waited for.
	Hits, Misses int64
	// Shared counts the misses that waited for the computation of another caller.
	Shared    int64
	Evictions int64
	// Refused counts values larger than the whole budget, which are not stored.
	Refused int64
	// Used and Budget are in bytes.
	Used, Budget int64
	Entries      int
}

// flight is a computation in progress.
type flight[V any] struct {
	done    chan struct{}
	waiters int
	cancel  context.CancelFunc
	value   V
	err     error
}

// NewCache returns a cache with a budget in bytes. With a budget of 0 or less it stores nothing
// and only shares concurrent computations.
func NewCache[K comparable, V any](budget int64) *Cache[K, V] {
	budget = max(budget, 0)
	c := &Cache[K, V]{max: budget, flights: map[K]*flight[V]{}}
	// simplelru limits the number of entries; the budget in bytes is always reached first.
	c.lru, _ = simplelru.NewLRU[K, cached[V]](int(budget/costEntry)+2, func(_ K, v cached[V]) { c.used -= v.cost })
	return c
}

// Get returns the value of a key if it is cached. It allocates nothing. A failed Get does not
// count as a miss; the Do that follows does.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	v, ok := c.lru.Get(key)
	if ok {
		c.stats.Hits++
	}
	c.mu.Unlock()
	return v.value, ok
}

// Do returns the value of a key and computes it if it is not cached. Callers of a key that is
// being computed wait for the result. The computation runs with a context that has the values of
// the first caller's context but not its cancellation. It is cancelled when no caller waits for
// it any more, so a caller that gives up does not fail the others. Errors are not cached.
//
// compute may call Do for other keys of the same cache. Nested calls never wait for the
// computation of another caller but compute the value again, so computations that need each other
// cannot deadlock.
func (c *Cache[K, V]) Do(ctx context.Context, key K, compute func(context.Context) (value V, cost int64, err error)) (V, error) {
	if err := ctx.Err(); err != nil {
		var none V
		return none, err
	}
	nested := ctx.Value(nestedIn[K, V]{c}) != nil
	c.mu.Lock()
	if v, ok := c.lru.Get(key); ok {
		c.stats.Hits++
		c.mu.Unlock()
		return v.value, nil
	}
	c.stats.Misses++
	f, running := c.flights[key]
	switch {
	case nested:
		c.mu.Unlock()
		value, cost, err := guarded(ctx, compute)
		if err == nil {
			c.Add(key, value, cost)
		}
		return value, err
	case running:
		c.stats.Shared++
		f.waiters++
	default:
		f = &flight[V]{done: make(chan struct{}), waiters: 1}
		var own context.Context
		own, f.cancel = context.WithCancel(context.WithValue(context.WithoutCancel(ctx), nestedIn[K, V]{c}, true)) //nolint:gosec // fly calls it
		c.flights[key] = f
		go c.fly(own, key, f, compute)
	}
	c.mu.Unlock()
	return c.wait(ctx, key, f)
}

// nestedIn marks the context of a computation of a cache.
type nestedIn[K comparable, V any] struct{ cache *Cache[K, V] }

func (c *Cache[K, V]) fly(ctx context.Context, key K, f *flight[V], compute func(context.Context) (V, int64, error)) {
	var cost int64
	f.value, cost, f.err = guarded(ctx, compute)
	f.cancel()
	c.mu.Lock()
	if c.flights[key] == f {
		delete(c.flights, key)
	}
	if f.err == nil {
		c.add(key, f.value, cost)
	}
	c.mu.Unlock()
	close(f.done)
}

// wait returns the result of a flight, or the error of ctx when it ends first.
func (c *Cache[K, V]) wait(ctx context.Context, key K, f *flight[V]) (V, error) {
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	if f.waiters--; f.waiters == 0 {
		if c.flights[key] == f {
			// A later caller starts a new computation instead of joining one that is being
			// cancelled.
			delete(c.flights, key)
		}
		f.cancel()
	}
	c.mu.Unlock()
	var none V
	return none, ctx.Err()
}

// errPanic marks a computation that panicked. The panic must not leave its goroutine.
var errPanic = errors.New("panic while computing a cached value")

func guarded[V any](ctx context.Context, compute func(context.Context) (V, int64, error)) (value V, cost int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	return compute(ctx)
}

// Add stores a value and replaces the previous one of the same key. A value larger than the whole
// budget is not stored.
func (c *Cache[K, V]) Add(key K, value V, cost int64) {
	c.mu.Lock()
	c.add(key, value, cost)
	c.mu.Unlock()
}

func (c *Cache[K, V]) add(key K, value V, cost int64) {
	// Removing first keeps the accounting right: replacing does not call the eviction callback.
	c.lru.Remove(key)
	cost = max(cost, 0) + costEntry
	if cost > c.max {
		c.stats.Refused++
		return
	}
	c.lru.Add(key, cached[V]{value, cost})
	c.used += cost
	for c.used > c.max {
		c.lru.RemoveOldest()
		c.stats.Evictions++
	}
}

// Purge removes all values. Running computations continue.
func (c *Cache[K, V]) Purge() {
	c.mu.Lock()
	c.lru.Purge()
	c.mu.Unlock()
}

// Stats returns the counters.
func (c *Cache[K, V]) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Used, s.Budget, s.Entries = c.used, c.max, c.lru.Len()
	return s
}
