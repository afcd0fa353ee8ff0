package sqlite

import (
	"runtime"
	"strconv"
)

// Pages that a connection caches, in KiB.
const (
	writerCache = 64 << 10
	readerCache = 8 << 10
	fewestKiB   = 1 << 10 // of a reader, if there is a choice
	extraCache  = 256     // of a reader beyond the pool, which lives for one read
	fewest      = 4       // readers
	recentInKiB = 4       // entries that are not in the table, for each KiB of the writer
	minSettled  = 1 << 10
)

// plan divides n bytes between the caches of the connections.
func (d *database) plan(n int64) {
	half := max(n>>11, 256)
	readers := min(max(fewest, 2*runtime.GOMAXPROCS(0)), int(max(half/fewestKiB, fewest)))
	d.writerCache = min(half, writerCache)
	d.maxRecent, d.minSettled = int(d.writerCache)*recentInKiB, minSettled
	d.readerCache = min(half/int64(readers), readerCache)
	d.slots = make(chan struct{}, readers)
}

// CacheBytes returns the most memory that is of use for WithCacheBytes on this machine.
func CacheBytes() int64 {
	return 2 * max(writerCache, readerCache*int64(max(fewest, 2*runtime.GOMAXPROCS(0)))) << 10
}

// cacheSize returns the statement that sets the cache of a connection.
func cacheSize(kib int64) string { return "PRAGMA cache_size=-" + strconv.FormatInt(kib, 10) }
