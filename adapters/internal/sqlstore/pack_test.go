package sqlstore_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
)

func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 300)).Draw(t, "entries")
		got, err := sqlstore.Unpack(sqlstore.Pack(entries))
		if err != nil || !slices.EqualFunc(got, entries, bytes.Equal) {
			t.Errorf("%x comes back as %x, %v", entries, got, err)
		}
	})
}

func FuzzUnpack(f *testing.F) {
	f.Add(sqlstore.Pack([][]byte{[]byte("a"), nil, []byte("bc")}))
	f.Add([]byte{5, 1})
	f.Add(bytes.Repeat([]byte{0xff}, 12))
	f.Fuzz(func(t *testing.T, packed []byte) {
		entries, err := sqlstore.Unpack(packed)
		if err != nil {
			return
		}
		again, err := sqlstore.Unpack(sqlstore.Pack(entries))
		if err != nil || !slices.EqualFunc(again, entries, bytes.Equal) {
			t.Errorf("%x comes back as %x, %v", entries, again, err)
		}
	})
}
