package resources

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/roget-health/roget/resources/r4"
)

// ValidID reports whether id is a FHIR id; see r4.ValidID. Keys of a store have only such ids, so
// an id is safe in a path.
func ValidID(id string) bool { return r4.ValidID(id) }

// NewID returns a new id for a resource: a UUID of version 7 (RFC 9562) in lower case, so that
// later ids sort later.
func NewID() string { return newID(time.Now()) }

func newID(now time.Time) string {
	var u [16]byte
	_, _ = rand.Read(u[6:]) // never fails (crypto/rand)
	ms := now.UnixMilli()
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i)) //nolint:gosec // one byte of the time
	}
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:8], u[0:4])
	hex.Encode(text[9:13], u[4:6])
	hex.Encode(text[14:18], u[6:8])
	hex.Encode(text[19:23], u[8:10])
	hex.Encode(text[24:36], u[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

// MadeAt reports whether an id is a UUID of version 7 from the ten minutes before a time. So a version 1
// of that time was created by a POST: stores do not keep how a resource was created.
func MadeAt(id string, at time.Time) bool {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[14] != '7' || id[18] != '-' || id[23] != '-' {
		return false
	}
	ms, err := strconv.ParseInt(id[:8]+id[9:13], 16, 64)
	age := at.Sub(time.UnixMilli(ms))
	return err == nil && -time.Second < age && age < 10*time.Minute
}
