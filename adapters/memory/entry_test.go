package memory

import (
	"testing"
	"time"
	"unsafe"

	"github.com/roget-health/roget/resources"
)

// TestEntriesShareBytes: equal entries of versions have the same string.
func TestEntriesShareBytes(t *testing.T) {
	s := New()
	first := s.add([][]byte{[]byte("a"), []byte("b")}, 1)
	again := s.add([][]byte{[]byte("b"), []byte("c"), []byte("a")}, 2)
	if again[0] != first[1] || again[2] != first[0] || *again[1] != "c" {
		t.Errorf("%q, then %q", []string{*first[0], *first[1]}, []string{*again[0], *again[1], *again[2]})
	}
}

// TestKeysShareBytes: keys share their strings with others of the store, and not with a request.
func TestKeysShareBytes(t *testing.T) {
	s := New()
	put := func(key resources.Key) *version {
		if _, err := s.Write(t.Context(), resources.Write{Key: key, Render: func(int64, time.Time) ([]byte, error) { return nil, nil }}); err != nil {
			t.Fatal(err)
		}
		return s.versions[len(s.versions)-1]
	}
	same := func(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }
	body := "CodeSystem/a, CodeSystem/b"
	key := resources.Key{Type: body[:10], ID: body[11:12]}
	first, other, again := put(key), put(resources.Key{Type: body[14:24], ID: body[25:]}), put(key)
	if same(first.Type, key.Type) || same(first.ID, key.ID) || same(other.ID, body[25:]) {
		t.Error("a key keeps the memory of a request")
	}
	if !same(again.Type, first.Type) || !same(again.ID, first.ID) || !same(other.Type, first.Type) {
		t.Error("equal keys have their own memory")
	}
}
