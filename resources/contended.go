package resources

import (
	"hash/maphash"
	"sync/atomic"
	"time"
)

// contendedTime is how long a change of a resource is made in a transaction after another process was faster.
const contendedTime = time.Second

// contended remembers which resources other processes change at the same time. Resources that share a place
// are taken for each other, which costs time only.
type contended struct {
	seed   maphash.Seed
	places [256]atomic.Int64 // when there was a conflict, in nanoseconds since 1970
}

func (c *contended) place(key Key) *atomic.Int64 {
	return &c.places[maphash.Comparable(c.seed, key)%uint64(len(c.places))]
}

// note remembers a conflict.
func (c *contended) note(key Key) { c.place(key).Store(time.Now().UnixNano()) }

// recently reports whether there was a conflict.
func (c *contended) recently(key Key) bool {
	return time.Since(time.Unix(0, c.place(key).Load())) < contendedTime
}
