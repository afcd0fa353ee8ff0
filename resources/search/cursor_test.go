package search

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/index"
)

func TestCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cursor{
			at:    index.Seq(rapid.Int64Range(0, 1<<62).Draw(t, "at")),
			back:  rapid.Bool().Draw(t, "back"),
			total: rapid.IntRange(-1, 1<<40).Draw(t, "total"),
		}
		if rapid.Bool().Draw(t, "placed") {
			c.place = &cursorPlace{seq: index.Seq(rapid.Int64().Draw(t, "seq"))}
			for range rapid.IntRange(0, 3).Draw(t, "keys") {
				key := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "key")
				if rapid.Bool().Draw(t, "lacking") {
					key = nil
				}
				c.place.keys = append(c.place.keys, key)
			}
		}
		mark := rapid.Uint64().Draw(t, "mark")
		text := c.encode(mark)
		got, ok := decodeCursor(text, mark)
		if !ok || got.at != c.at || got.back != c.back || got.total != c.total || (got.place == nil) != (c.place == nil) {
			t.Fatalf("got %+v, want %+v", got, c)
		}
		if c.place != nil {
			if got.place.seq != c.place.seq || len(got.place.keys) != len(c.place.keys) {
				t.Fatalf("place %+v, want %+v", got.place, c.place)
			}
			for i, key := range c.place.keys {
				if !bytes.Equal(got.place.keys[i], key) || (got.place.keys[i] == nil) != (key == nil) {
					t.Fatalf("key %q, want %q", got.place.keys[i], key)
				}
			}
		}
		if _, ok := decodeCursor(text, mark+1); ok {
			t.Fatal("a cursor of another query was taken")
		}
		raw, _ := base64.RawURLEncoding.DecodeString(text)
		body := slices.Clone(raw[:len(raw)-4])
		raw[rapid.IntRange(0, len(raw)-1).Draw(t, "damage")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		if _, ok := decodeCursor(base64.RawURLEncoding.EncodeToString(raw), mark); ok {
			t.Fatal("a damaged cursor was taken")
		}
		for n := 10; n < len(body); n++ {
			cut := binary.BigEndian.AppendUint32(body[:n:n], crc32.ChecksumIEEE(body[:n]))
			if got, ok := decodeCursor(base64.RawURLEncoding.EncodeToString(cut), mark); ok {
				t.Fatalf("%d of %d bytes were taken for %+v", n, len(body), got)
			}
		}
	})
}

func FuzzCursor(f *testing.F) {
	c := cursor{at: 5 << 20, total: 7, place: &cursorPlace{seq: 9, keys: [][]byte{[]byte("key"), nil}}}
	f.Add(c.encode(1), uint64(1))
	f.Add("", uint64(0))
	f.Add("AQID", uint64(0))
	f.Fuzz(func(t *testing.T, text string, mark uint64) {
		c, ok := decodeCursor(text, mark)
		if ok && c.encode(mark) == "" {
			t.Fatal("nothing is written")
		}
	})
}
