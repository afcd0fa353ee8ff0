package valueset

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// DefaultCacheBytes is the budget of a Cache unless told otherwise: 256 MiB.
const DefaultCacheBytes = 256 << 20

// costEntry is charged for each entry besides its own cost: key, list and map cells.
const costEntry = 256

// Cache keeps the most recently used values within a budget of bytes, and computes
// each value once however many ask for it at the same time. Keys should hold all
// that the value depends on (such as the generation of the published resources), so
// that a value never has to be invalidated: it becomes unreachable and ages out.
// Safe for concurrent use.
type Cache[K comparable, V any] struct {
	max int64

	mu      sync.Mutex
	lru     *simplelru.LRU[K, kept[V]]
	used    int64
	flights map[K]*flight[V]
	stats   CacheStats
}

type kept[V any] struct {
	value V
	cost  int64
}

// CacheStats are counters since the start, and the state of the moment.
type CacheStats struct {
	// Hits are values found; Misses are values that had to be computed or waited for.
	Hits, Misses int64
	// Shared counts the misses that waited for a value another caller was computing.
	Shared    int64
	Evictions int64
	// Refused counts values larger than the whole budget, which are not kept.
	Refused int64
	// Used and Budget are in bytes.
	Used, Budget int64
	Entries      int
}

// flight is a value being computed.
type flight[V any] struct {
	done    chan struct{}
	waiters int
	cancel  context.CancelFunc
	value   V
	err     error
}

// NewCache makes a cache with a budget in bytes; 0 or less keeps nothing and only
// joins concurrent computations.
func NewCache[K comparable, V any](budget int64) *Cache[K, V] {
	budget = max(budget, 0)
	c := &Cache[K, V]{max: budget, flights: map[K]*flight[V]{}}
	// simplelru bounds by number; the budget in bytes always bites first.
	c.lru, _ = simplelru.NewLRU[K, kept[V]](int(budget/costEntry)+2, func(_ K, v kept[V]) { c.used -= v.cost })
	return c
}

// Get returns the value of a key if it is kept. It allocates nothing. A value that is
// not there is not counted as a miss: that is done by the Do that follows.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	v, ok := c.lru.Get(key)
	if ok {
		c.stats.Hits++
	}
	c.mu.Unlock()
	return v.value, ok
}

// Do returns the value of a key, computing it when it is not kept. Callers that ask
// for a key being computed wait for that result. The computation runs with a context
// that keeps the values of the first caller's but not its end: it is cancelled when
// nobody waits for it any more, so a caller that gives up does not fail the others.
// Errors are not kept.
//
// compute may ask the same cache for other keys. Such a nested call never waits for
// a computation of another caller (it computes again instead), so computations that
// need each other cannot lock up.
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
		own, f.cancel = context.WithCancel(context.WithValue(context.WithoutCancel(ctx), nestedIn[K, V]{c}, true))
		c.flights[key] = f
		go c.fly(own, key, f, compute)
	}
	c.mu.Unlock()
	return c.wait(ctx, key, f)
}

// nestedIn marks the context of a computation of one cache.
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

// wait returns the result of a flight, or leaves when ctx ends.
func (c *Cache[K, V]) wait(ctx context.Context, key K, f *flight[V]) (V, error) {
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	if f.waiters--; f.waiters == 0 {
		if c.flights[key] == f {
			// A later caller starts anew instead of joining a computation that is stopping.
			delete(c.flights, key)
		}
		f.cancel()
	}
	c.mu.Unlock()
	var none V
	return none, ctx.Err()
}

// errPanic marks a computation that panicked: the panic must not leave its goroutine.
var errPanic = errors.New("panic while computing a cached value")

func guarded[V any](ctx context.Context, compute func(context.Context) (V, int64, error)) (value V, cost int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	return compute(ctx)
}

// Add keeps a value, replacing that of the same key. A value larger than the whole
// budget is not kept.
func (c *Cache[K, V]) Add(key K, value V, cost int64) {
	c.mu.Lock()
	c.add(key, value, cost)
	c.mu.Unlock()
}

func (c *Cache[K, V]) add(key K, value V, cost int64) {
	// Removing first keeps the account right: replacing does not call the evict callback.
	c.lru.Remove(key)
	cost = max(cost, 0) + costEntry
	if cost > c.max {
		c.stats.Refused++
		return
	}
	c.lru.Add(key, kept[V]{value, cost})
	c.used += cost
	for c.used > c.max {
		c.lru.RemoveOldest()
		c.stats.Evictions++
	}
}

// Purge forgets everything that is kept. Computations that run go on.
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
