package sqlite

import "testing"

// TestPlan checks that the caches fit into the memory for them.
func TestCachePlan(t *testing.T) {
	for _, total := range []int64{4 << 20, 16 << 20, 64 << 20, CacheBytes(), 1 << 40} {
		d := new(database)
		d.plan(total)
		readers := int64(cap(d.slots))
		if sum := (d.writerCache + d.readerCache*readers) << 10; sum > total || readers < fewest || d.readerCache < extraCache {
			t.Errorf("%d bytes: %d KiB to write, %d times %d KiB to read", total, d.writerCache, readers, d.readerCache)
		}
	}
	d := new(database)
	if d.plan(CacheBytes()); d.writerCache != writerCache || d.readerCache != readerCache {
		t.Errorf("the most: %d KiB to write, %d KiB to read", d.writerCache, d.readerCache)
	}
}

// TestCacheSize checks that the connections have the caches that they should: those of the pool, and
// one beyond it.
func TestCacheSize(t *testing.T) {
	path := t.TempDir() + "/store.db"
	store, err := Open(t.Context(), path, WithCacheBytes(16<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	address, err := fileAddress(path, "rw")
	if err != nil {
		t.Fatal(err)
	}
	d := newDatabase(path, address, false)
	WithCacheBytes(16 << 20)(d)
	for i := range fewest + 1 {
		c, err := d.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer d.release(c)
		want := -d.readerCache
		if i == fewest {
			want = -extraCache
		}
		s, err := c.prepare("PRAGMA cache_size")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.step(); err != nil || s.int(0) != want || d.readerCache != 2<<10 {
			t.Errorf("connection %d: %d KiB, want %d; %v", i, s.int(0), want, err)
		}
		s.release()
	}
}
