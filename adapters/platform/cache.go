package platform

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// systemCache caches system information and settings. Its keys are "info" and "setting:<key>". The
// current user is never cached. Platform toolkit, section 2.6.
type systemCache struct {
	mu      sync.Mutex
	entries map[string]*cacheEntry
}

// maxCached limits the entries. A full cache is cleared.
const maxCached = 1000

// cacheEntry is a response, or a request in progress.
type cacheEntry struct {
	done    chan struct{} // closed when value and err are set
	value   json.RawMessage
	err     error
	expires time.Time // zero before done
}

// cached returns the cached value of a key, or loads it. Concurrent callers share one load. Errors are
// not cached.
func (c *Client) cached(ctx context.Context, key string, load func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	if c.options.CacheTTL < 0 {
		return load(ctx)
	}
	for {
		entry, mine := c.cache.join(c, key)
		if mine {
			entry.value, entry.err = load(ctx)
			c.cache.settle(c, key, entry)
			return entry.value, entry.err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-entry.done:
		}
		if !errors.Is(entry.err, context.Canceled) && !errors.Is(entry.err, context.DeadlineExceeded) {
			return entry.value, entry.err
		}
		if err := ctx.Err(); err != nil { // otherwise only the loading caller gave up
			return nil, err
		}
	}
}

// join returns the entry of a key. If mine is true, the caller must load it.
func (s *systemCache) join(c *Client, key string) (entry *cacheEntry, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if entry := s.entries[key]; entry != nil && (entry.expires.IsZero() || c.options.Now().Before(entry.expires)) {
		return entry, false
	}
	entry = &cacheEntry{done: make(chan struct{})}
	s.add(key, entry)
	return entry, true
}

func (s *systemCache) add(key string, entry *cacheEntry) {
	if s.entries == nil || len(s.entries) >= maxCached {
		s.entries = map[string]*cacheEntry{}
	}
	s.entries[key] = entry
}

// settle completes the load of an entry.
func (s *systemCache) settle(c *Client, key string, entry *cacheEntry) {
	s.mu.Lock()
	entry.expires = c.options.Now().Add(c.options.CacheTTL)
	if entry.err != nil && s.entries[key] == entry {
		delete(s.entries, key)
	}
	s.mu.Unlock()
	close(entry.done)
}

// put caches a value.
func (s *systemCache) put(c *Client, key string, value json.RawMessage) {
	entry := &cacheEntry{done: make(chan struct{}), value: value, expires: c.options.Now().Add(c.options.CacheTTL)}
	close(entry.done)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(key, entry)
}

// uncache drops the entry of a key after a write.
func (c *Client) uncache(key string) {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	delete(c.cache.entries, key)
}
