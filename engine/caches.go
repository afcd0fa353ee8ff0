package engine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// A CacheKey names a cache of resources: the id that StartCache returned, and the endpoint it was
// started at. At another endpoint the id is unknown.
type CacheKey struct{ Endpoint, ID string }

// digest returns the key of the map of caches. Ids may be of any length.
func (k CacheKey) digest() digest { return sha256.Sum256([]byte(k.Endpoint + "\x00" + k.ID)) }

// CacheStatus describes a cache of resources.
type CacheStatus struct {
	Sealed    bool          // it does not grow
	Resources int           // the resources in it
	Idle      time.Duration // since its last use before this one
	Timeout   time.Duration // it ends when it has been idle for that long
}

// caches are the resources that clients registered, by the digest of the key of their cache. Only
// ids that this type made are in it. Their number, their size and the time without use are limited.
// A cache that is in use is never dropped in favour of another: new ones are refused instead.
type caches struct {
	limits OverlayLimits
	now    func() time.Time

	mu    sync.Mutex
	byKey map[digest]*registered
	used  int64       // bytes of all documents
	sweep *time.Timer // drops idle caches; nil while there are none
}

// registered is one cache: its documents, each once, in the order of arrival; of documents with the
// same canonical, the last.
type registered struct {
	sealed bool
	last   time.Time // of the last use
	size   int64
	// The lists are replaced, never modified.
	documents []*document
	bySum     map[digest]*document
	// overlay is the engine with the documents, made from source.
	overlay *Engine
	source  *resolve.Source
}

func newCaches(limits OverlayLimits, now func() time.Time) *caches {
	return &caches{limits: limits, now: now, byKey: map[digest]*registered{}}
}

// start adds a cache and returns its id, which cannot be guessed.
func (c *caches) start(endpoint string, documents []*document, sealed bool) (string, error) {
	next := merge(nil, documents)
	next.sealed = sealed
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropIdle()
	if len(c.byKey) >= c.limits.MaxRemembered {
		return "", fmt.Errorf("%w: there are %d, as many as this server allows. Send the resources with each request, or try again later", issue.ErrTooManyCaches, len(c.byKey))
	}
	if err := c.room(next.size); err != nil {
		return "", err
	}
	id := rand.Text()
	next.last = c.now()
	c.byKey[CacheKey{endpoint, id}.digest()] = next
	c.used += next.size
	c.schedule()
	return id, nil
}

// room returns an error if the caches have no room for more bytes.
func (c *caches) room(more int64) error {
	if c.used+more > c.limits.RememberedBytes {
		return fmt.Errorf("%w: with %d bytes more they would have %d, more than the %d that this server allows. Send the resources with each request, or try again later",
			issue.ErrTooManyCaches, more, c.used+more, c.limits.RememberedBytes)
	}
	return nil
}

// end drops a cache.
func (c *caches) end(key CacheKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(key.digest())
}

func (c *caches) drop(sum digest) {
	if r := c.byKey[sum]; r != nil {
		c.used -= r.size
		delete(c.byKey, sum)
	}
}

// use returns a copy of a cache and the time since its last use, which is now.
func (c *caches) use(key CacheKey) (registered, time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropIdle()
	r := c.byKey[key.digest()]
	if r == nil {
		return registered{}, 0, issue.ErrUnknownCache
	}
	now := c.now()
	idle := max(now.Sub(r.last), 0)
	r.last = now
	return *r, idle, nil
}

// add adds documents to a cache that grows, and returns a copy of it. If that exceeds a limit, or
// the cache has ended, nothing changes.
func (c *caches) add(key CacheKey, documents []*document, within func(n int, size int64) error) (registered, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.byKey[key.digest()]
	if r == nil {
		return registered{}, issue.ErrUnknownCache
	}
	if !slices.ContainsFunc(documents, func(d *document) bool { return r.bySum[d.sum] == nil }) {
		return *r, nil
	}
	next := merge(r.documents, documents)
	if err := within(len(next.documents), next.size); err != nil {
		return registered{}, err
	}
	if err := c.room(next.size - r.size); err != nil {
		return registered{}, err
	}
	c.used += next.size - r.size
	next.last = r.last
	*r = *next
	return *r, nil
}

// keep stores the engine with the documents of a cache, if the cache still has these documents.
func (c *caches) keep(key CacheKey, of *registered, overlay *Engine, source *resolve.Source) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.byKey[key.digest()]; r != nil && slices.Equal(r.documents, of.documents) {
		r.overlay, r.source = overlay, source
	}
}

// dropIdle drops the caches that have been idle for too long.
func (c *caches) dropIdle() {
	limit := c.now().Add(-c.limits.Idle)
	for sum, r := range c.byKey {
		if !r.last.After(limit) {
			c.drop(sum)
		}
	}
}

// schedule makes sure that idle caches are dropped even if no request arrives.
func (c *caches) schedule() {
	if c.sweep == nil && len(c.byKey) > 0 {
		c.sweep = time.AfterFunc(c.limits.Idle/2+time.Second, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.sweep = nil
			c.dropIdle()
			c.schedule()
		})
	}
}

// merge returns a cache with the documents of two lists.
func merge(had, more []*document) *registered {
	next := &registered{bySum: make(map[digest]*document, len(had)+len(more))}
	byCanonical := map[string]*document{}
	for _, d := range slices.Concat(had, more) {
		if next.bySum[d.sum] != nil {
			continue
		}
		if name := d.canonical(); name != "" {
			next.remove(byCanonical[name])
			byCanonical[name] = d
		}
		next.bySum[d.sum] = d
		next.documents = append(next.documents, d)
		next.size += d.size
	}
	return next
}

// remove removes a document; nil is ignored.
func (r *registered) remove(d *document) {
	if d == nil {
		return
	}
	delete(r.bySum, d.sum)
	r.documents = slices.DeleteFunc(r.documents, func(other *document) bool { return other == d })
	r.size -= d.size
}

// canonical returns the key of documents that replace each other, "" for documents that do not:
// concept maps, and resources without a url.
func (d *document) canonical() string {
	if d.entry == nil || d.entry.Header.URL == "" || d.entry.Header.ResourceType == "ConceptMap" {
		return ""
	}
	return d.entry.Header.ResourceType + " " + r4.JoinCanonical(d.entry.Header.URL, d.entry.Header.Version)
}

// StartCache starts a cache with resources and returns its id, which cannot be guessed. A sealed
// cache keeps these resources; another one grows with those of the requests that name it. name is
// the parameter of the resources, for errors, which are *ParameterError and ErrTooManyCaches.
func (o *Overlays) StartCache(endpoint, name string, resources []json.RawMessage, sealed bool) (string, error) {
	documents, err := o.documents(name, resources, nil)
	if err != nil {
		return "", err
	}
	return o.caches.start(endpoint, documents, sealed)
}

// EndCache drops a cache and its memory. A cache that does not exist is none too many.
func (o *Overlays) EndCache(key CacheKey) { o.caches.end(key) }

// CheckCache describes a cache. That counts as a use. It returns ErrUnknownCache for one that was
// never started, has ended, or was idle for too long.
func (o *Overlays) CheckCache(key CacheKey) (CacheStatus, error) {
	r, idle, err := o.caches.use(key)
	if err != nil {
		return CacheStatus{}, err
	}
	return CacheStatus{Sealed: r.sealed, Resources: len(r.documents), Idle: idle, Timeout: o.limits.Idle}, nil
}

// CacheGrows reports whether a cache exists and is not sealed.
func (o *Overlays) CacheGrows(key CacheKey) bool {
	r, _, err := o.caches.use(key)
	return err == nil && !r.sealed
}

// Cached returns the engine for a request that names a cache: the base with the resources of the
// cache and those of the request. A cache that grows keeps the resources of the request, and more:
// resources that the request names in other places. Errors are those of For, ErrUnknownCache and
// ErrTooManyCaches; after an error the cache is as before.
func (o *Overlays) Cached(key CacheKey, name string, resources, more []json.RawMessage) (*Engine, error) {
	cache, _, err := o.caches.use(key)
	if err != nil {
		return nil, err
	}
	if !cache.sealed {
		resources = slices.Concat(resources, more)
	}
	own, err := o.documents(name, resources, cache.bySum)
	if err != nil {
		return nil, err
	}
	within := func(n int, size int64) error { return o.within(name, n, size) }
	if len(own) > 0 && !cache.sealed {
		if cache, err = o.caches.add(key, own, within); err != nil {
			return nil, err
		}
		own = nil
	}
	if len(own) == 0 {
		return o.ofCache(key, &cache)
	}
	all := merge(cache.documents, own)
	if err := within(len(all.documents), all.size); err != nil {
		return nil, err
	}
	sums := make([]digest, len(all.documents))
	for i, d := range all.documents {
		sums[i] = d.sum
	}
	return o.overlay(sums, func() ([]*document, error) { return all.documents, nil })
}

// ofCache returns the engine with the resources of a cache. The cache keeps it, so that it ends
// with the cache.
func (o *Overlays) ofCache(key CacheKey, cache *registered) (*Engine, error) {
	if len(cache.documents) == 0 {
		return o.base, nil
	}
	_, source := o.current()
	if cache.overlay != nil && cache.source == source {
		return cache.overlay, nil
	}
	e, err := o.engine(source, cache.documents)
	if err != nil {
		return nil, err
	}
	o.caches.keep(key, cache, e, source)
	return e, nil
}
