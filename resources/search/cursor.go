package search

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"hash/fnv"

	"github.com/roget-health/roget/resources/index"
)

// links sets the cursors of the other pages.
func (p *Page) links(q *Query, from *cursor, f found) {
	total, mark := from.total, q.mark()
	write := func(back bool, m *match) string {
		c := cursor{at: from.at, back: back, total: total}
		if m != nil {
			c.place = &cursorPlace{seq: m.rec.Seq, keys: m.keys}
		}
		return c.encode(mark)
	}
	p.First, p.Last = write(false, nil), write(true, nil)
	if len(f.matches) == 0 {
		return
	}
	if f.more {
		p.Next = write(false, &f.matches[len(f.matches)-1])
	}
	if f.before {
		p.Previous = write(true, &f.matches[0])
	}
}

// cursor holds where a page begins, and in which state of the store. Links contain it in base64.
type cursor struct {
	at    index.Seq // the state that all pages show
	back  bool      // the page ends before the place and is filled backwards
	total int       // matches on all pages, -1 if not counted
	// place is the match that the page follows, or with back precedes; nil for the first page, or
	// with back the last.
	place *cursorPlace
}

// cursorPlace is the place of a match in the requested order.
type cursorPlace struct {
	seq  index.Seq
	keys [][]byte // sort keys; nil where the match has no value
}

const (
	cursorVersion = 1
	// maxCursor is the maximum length of an encoded cursor.
	maxCursor = 16 << 10
	// maxCursorKeys is the maximum number of sort keys of a place.
	maxCursorKeys = 32
)

// The flags of a cursor.
const (
	cursorBack byte = 1 << iota
	cursorPlaced
)

// encode encodes a cursor for the query with the mark.
func (c *cursor) encode(mark uint64) string {
	flags := byte(0)
	if c.back {
		flags |= cursorBack
	}
	if c.place != nil {
		flags |= cursorPlaced
	}
	b := []byte{cursorVersion, flags}
	b = binary.BigEndian.AppendUint64(b, mark)
	b = binary.AppendVarint(b, int64(c.at))
	b = binary.AppendVarint(b, int64(c.total))
	if c.place != nil {
		b = binary.AppendVarint(b, int64(c.place.seq))
		b = binary.AppendUvarint(b, uint64(len(c.place.keys)))
		for _, key := range c.place.keys {
			if key == nil {
				b = append(b, 0)
				continue
			}
			b = binary.AppendUvarint(b, uint64(len(key))+1)
			b = append(b, key...)
		}
	}
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	return base64.RawURLEncoding.EncodeToString(b)
}

// decodeCursor decodes a cursor. ok is false if it is damaged or belongs to another query.
func decodeCursor(text string, mark uint64) (c cursor, ok bool) {
	if len(text) > maxCursor {
		return cursor{}, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < 14 || b[0] != cursorVersion {
		return cursor{}, false
	}
	body, sum := b[:len(b)-4], b[len(b)-4:]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(sum) || binary.BigEndian.Uint64(body[2:]) != mark {
		return cursor{}, false
	}
	flags, d := body[1], cursorReader{rest: body[10:], ok: true}
	c.back = flags&cursorBack != 0
	c.at = index.Seq(d.varint())
	c.total = int(d.varint())
	if flags&cursorPlaced != 0 {
		c.place = d.place()
	}
	return c, d.ok && len(d.rest) == 0 && c.at >= 0 && c.total >= -1
}

// cursorReader reads the parts of a cursor. ok becomes false at the first missing part.
type cursorReader struct {
	rest []byte
	ok   bool
}

func (d *cursorReader) varint() int64 {
	v, n := binary.Varint(d.rest)
	return v * int64(d.take(n))
}

func (d *cursorReader) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	return v * uint64(d.take(n)) //nolint:gosec // take returns 0 or 1
}

// take moves on by n bytes. It returns 1, or 0 if n is not positive or too large.
func (d *cursorReader) take(n int) int {
	if n <= 0 || n > len(d.rest) || !d.ok {
		d.ok = false
		return 0
	}
	d.rest = d.rest[n:]
	return 1
}

func (d *cursorReader) place() *cursorPlace {
	p := &cursorPlace{seq: index.Seq(d.varint())}
	n := d.uvarint()
	if n > maxCursorKeys {
		d.ok = false
		return nil
	}
	for range n {
		size := d.uvarint()
		if size == 0 {
			p.keys = append(p.keys, nil)
			continue
		}
		if size-1 > uint64(len(d.rest)) {
			d.ok = false
			return nil
		}
		key := make([]byte, size-1)
		d.rest = d.rest[copy(key, d.rest):]
		p.keys = append(p.keys, key)
	}
	return p
}

// mark returns a hash of what decides which resources match and in which order. Cursors are valid
// only for queries with the same mark.
func (q *Query) mark() uint64 {
	h := fnv.New64a()
	word := func(parts ...string) {
		for _, s := range parts {
			_, _ = h.Write([]byte(s))
			_, _ = h.Write([]byte{0})
		}
	}
	for _, p := range q.Used {
		switch p.Name {
		case "_count", "_total", "_summary", "_elements", "_include", "_revinclude":
			continue // these change only how a page is shown
		}
		word(p.Name, p.Value)
	}
	for i := range q.Types {
		t := &q.Types[i]
		word(t.Type)
		for j := range t.Criteria {
			c := &t.Criteria[j]
			word(c.Name)
			for k := range c.Alternatives {
				word(c.Alternatives[k].Text)
			}
		}
	}
	return h.Sum64()
}
