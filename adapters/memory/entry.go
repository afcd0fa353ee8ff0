package memory

import (
	"strings"
	"unsafe"

	"github.com/tidwall/btree"

	"github.com/roget-health/roget/resources/index"
)

// entry is a key of the index. Entries with the same bytes share them.
type entry struct {
	key *string
	seq index.Seq
}

// entryOf returns an entry for looking up bytes, which it borrows.
func entryOf(key []byte, seq index.Seq) entry {
	text := unsafe.String(unsafe.SliceData(key), len(key)) //nolint:gosec // no copy for a comparison
	return entry{&text, seq}
}

// bytes returns the bytes of the key, which must not be changed.
func (e entry) bytes() []byte {
	return unsafe.Slice(unsafe.StringData(*e.key), len(*e.key)) //nolint:gosec // no copy for each step of a scan
}

func (e entry) less(than entry) bool {
	c := 0
	if e.key != than.key {
		c = strings.Compare(*e.key, *than.key)
	}
	return c < 0 || c == 0 && e.seq < than.seq
}

// add adds entries of a version, and returns their keys.
func (s *Store) add(keys [][]byte, seq index.Seq) []*string {
	shared := make([]*string, len(keys))
	for i, key := range keys {
		var hint btree.PathHint
		e := entryOf(key, 0)
		found := false
		s.entries.AscendHint(e, func(first entry) bool {
			found = *first.key == *e.key
			if found {
				e.key = first.key
			}
			return false
		}, &hint)
		if !found {
			own := strings.Clone(*e.key)
			e.key = &own
		}
		e.seq = seq
		s.entries.SetHint(e, &hint)
		shared[i] = e.key
	}
	return shared
}

// An arena holds bytes that are kept as long as the store, without the room that the allocator leaves
// after each.
type arena struct{ free []byte }

// chunk is the size of the pieces of an arena.
const chunk = 64 << 10

// keep returns a copy of b in the arena.
func (a *arena) keep(b []byte) []byte {
	switch {
	case len(b) == 0:
		return b[:0:0]
	case len(b) > chunk/8:
		return append(make([]byte, 0, len(b)), b...)
	case len(b) > len(a.free):
		a.free = make([]byte, chunk)
	}
	n := copy(a.free, b)
	kept := a.free[:n:n]
	a.free = a.free[n:]
	return kept
}
