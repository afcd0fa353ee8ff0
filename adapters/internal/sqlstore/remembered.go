package sqlstore

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

const (
	// maxRemembered is the number of versions that a store remembers at most.
	maxRemembered = 1 << 16
	// maxRememberedBytes is how long their documents are at most, together.
	maxRememberedBytes = 16 << 20
	// maxRememberedBody is the length of the longest one.
	maxRememberedBody = 64 << 10
)

// remembered are the versions that this process has written last, so that a change of one need not read it.
type remembered struct {
	mu    sync.Mutex
	cache *simplelru.LRU[string, *resources.Version] // nil if nothing was added
	bytes int
}

// get returns the version of a key that was added last.
func (r *remembered) get(key resources.Key) (resources.Version, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cache != nil {
		if v, known := r.cache.Get(key.String()); known {
			return *v, true
		}
	}
	return resources.Version{}, false
}

// add remembers a version in place of the former one.
func (r *remembered) add(v resources.Version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cache == nil {
		r.cache, _ = simplelru.NewLRU(maxRemembered, func(_ string, v *resources.Version) { r.bytes -= len(v.Body) }) // the size is not zero
	}
	r.cache.Remove(v.String())
	if v.Deleted || len(v.Body) > maxRememberedBody {
		return
	}
	r.bytes += len(v.Body)
	r.cache.Add(v.String(), &v)
	for r.bytes > maxRememberedBytes {
		r.cache.RemoveOldest()
	}
}

// drop forgets a key.
func (r *remembered) drop(key resources.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cache != nil {
		r.cache.Remove(key.String())
	}
}

// clear forgets all.
func (r *remembered) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cache != nil {
		r.cache.Purge()
	}
}

var _ resources.Rememberer = (*Store)(nil)

// Remembered returns the newest version of a key if this process has written it, and no other process has
// written anything for some time.
func (s *Store) Remembered(key resources.Key) (resources.Version, bool) {
	if !s.trust.alone() {
		return resources.Version{}, false
	}
	return s.trust.remembered.get(key)
}

// meet notes the last version that a writer found: one that this process has not written is of another.
func (s *Store) meet(last index.Seq) {
	if last > s.Written() {
		s.trust.met()
	}
}
