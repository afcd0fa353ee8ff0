package engine

import (
	"encoding/binary"
	"math/rand/v2"
)

// newUUID returns a random urn:uuid (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], rand.Uint64())
	binary.BigEndian.PutUint64(b[8:], rand.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := append(make([]byte, 0, 45), "urn:uuid:"...)
	for i, c := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text = append(text, '-')
		}
		text = append(text, hexDigits[c>>4], hexDigits[c&15])
	}
	return string(text)
}

const hexDigits = "0123456789abcdef"
