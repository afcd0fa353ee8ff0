package index

import (
	"bytes"
	"encoding/binary"
)

// Exact returns a number that stands for the code, id or URL of a range of Field.Token, Code, Reference,
// ReferenceID, Identifier, IdentifierValue or URL. Other ranges have none.
func (r *Range) Exact() (n uint64, ok bool) {
	n, size, ok := exactOf(r.From)
	if !ok || size < len(r.From) && !r.Single() || size == len(r.From) && !r.Single() && !bytes.Equal(r.To, after(r.From)) {
		return 0, false
	}
	return n, true
}

// exactOf returns the number of an entry, and how many of its bytes decide it.
func exactOf(entry []byte) (n uint64, size int, ok bool) {
	const at = 5 // after the parameter and the key
	if len(entry) < at+halfLen {
		return 0, 0, false
	}
	switch key := entry[at-1]; key {
	case keyToken, keyReference, keyIdentifier:
		var buf [8]byte
		buf[0] = key
		copy(buf[1:], entry[at:at+halfLen])
		return binary.BigEndian.Uint64(buf[:]), at + halfLen, true
	case keyURL:
		if len(entry) == at+8 {
			return binary.BigEndian.Uint64(entry[at:]), at + 8, true
		}
	}
	return 0, 0, false
}

// AppendExact appends the numbers of encoded values (View.Encoded): a value that is in a range with a
// number has this number.
func AppendExact(dst []uint64, encoded []byte) []uint64 {
	var w entryWriter
	w.list(1, encoded)
	for _, entry := range w.entries {
		if n, _, ok := exactOf(entry); ok {
			dst = append(dst, n)
		}
	}
	return dst
}
