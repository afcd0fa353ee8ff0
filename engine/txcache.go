package engine

import (
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/roget-health/roget/resources/r4"
)

// A txCache has the documents that were sent with cache-ids, by the digest of the cache-id. Their
// number, their size and the time without use are limited.
type txCache struct {
	limits OverlayLimits
	now    func() time.Time

	mu   sync.Mutex
	lru  *simplelru.LRU[digest, *remembered] // ordered by last use
	used int64
}

// remembered has the documents of one cache-id: each once, in the order of arrival; of documents
// with the same canonical, the last.
type remembered struct {
	documents []*document
	bySum     map[digest]*document // replaced, never modified
	size      int64
	last      time.Time
}

func newTxCache(limits OverlayLimits, now func() time.Time) *txCache {
	m := &txCache{limits: limits, now: now}
	m.lru, _ = simplelru.NewLRU(limits.MaxRemembered, func(_ digest, r *remembered) { m.used -= r.size })
	return m
}

// known returns the documents of a cache-id by digest. The map must not be modified.
func (m *txCache) known(id digest) map[digest]*document {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget()
	if r, ok := m.lru.Peek(id); ok {
		return r.bySum
	}
	return nil
}

// add caches documents for a cache-id, and returns all its documents and their size. If they
// exceed the limits of one request, they are returned but not cached.
func (m *txCache) add(id digest, documents []*document) ([]*document, int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget()
	next := &remembered{bySum: map[digest]*document{}, last: m.now()}
	if r, ok := m.lru.Peek(id); ok {
		documents = append(r.documents[:len(r.documents):len(r.documents)], documents...)
	}
	byCanonical := map[string]*document{}
	for _, d := range documents {
		if next.bySum[d.sum] != nil {
			continue
		}
		if name := d.canonical(); name != "" {
			next.drop(byCanonical[name])
			byCanonical[name] = d
		}
		next.bySum[d.sum] = d
		next.documents = append(next.documents, d)
		next.size += d.size
	}
	if len(next.documents) > m.limits.MaxResources || next.size > min(m.limits.MaxBytes, m.limits.RememberedBytes) {
		return next.documents, next.size
	}
	m.lru.Remove(id) // replacing would not call the evict callback
	m.lru.Add(id, next)
	m.used += next.size
	for m.used > m.limits.RememberedBytes {
		m.lru.RemoveOldest()
	}
	return next.documents, next.size
}

// canonical returns the key of documents that replace each other, "" for documents that do not:
// concept maps, and resources without a url.
func (d *document) canonical() string {
	if d.entry == nil || d.entry.Header.URL == "" || d.entry.Header.ResourceType == "ConceptMap" {
		return ""
	}
	return d.entry.Header.ResourceType + " " + r4.JoinCanonical(d.entry.Header.URL, d.entry.Header.Version)
}

// drop removes a document; nil is ignored.
func (r *remembered) drop(d *document) {
	if d == nil {
		return
	}
	delete(r.bySum, d.sum)
	r.documents = slices.DeleteFunc(r.documents, func(other *document) bool { return other == d })
	r.size -= d.size
}

// forget drops cache-ids that have been idle for too long.
func (m *txCache) forget() {
	limit := m.now().Add(-m.limits.Idle)
	for {
		_, r, ok := m.lru.GetOldest()
		if !ok || r.last.After(limit) {
			return
		}
		m.lru.RemoveOldest()
	}
}
