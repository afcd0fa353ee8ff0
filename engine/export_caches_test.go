package engine

// CacheCount returns the number of caches that are in memory.
func (o *Overlays) CacheCount() int {
	o.caches.mu.Lock()
	defer o.caches.mu.Unlock()
	return len(o.caches.byKey)
}
