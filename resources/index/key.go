package index

import (
	"encoding/binary"
	"hash/fnv"
	"math"
)

// What an entry holds behind the number of its parameter: the fifth byte. Decision 21 has
// the whole key space.
const (
	keyDate       = 'd' // class of width, Low (7 bytes)
	keyPosition   = 'g' // latitude, longitude (4 bytes each)
	keySpan       = 'i' // Low of a number that is a span
	keyURL        = 'l' // hash (8)
	keyNumber     = 'n' // a single number
	keyReference  = 'r' // hash of id (5) and type (3)
	keyString     = 's' // folded text, 0 or, where it was cut, 1
	keyToken      = 't' // hash of code (5) and system (3)
	keyCanonical  = 'u' // hash of the canonical unit (4), a single number in it
	keyWide       = 'w' // hash of the canonical unit (4), Low of a span
	keyComposite  = 'x' // hash of the first component (8), key and value of the second
	keyIdentifier = 'y' // of a reference: hash of code (5) and system (3)

	// Behind the number 0, which no parameter has:
	keyType = 't' // hash of the type (4)
	keyTerm = 'v' // parameter, a token or url in use
	keyNews = 'w' // parameter: a version came with something new in use
)

const (
	textCap = 48  // bytes of a folded text that an entry holds
	termCap = 512 // bytes of a token or url that the vocabulary holds
)

func appendNumberOf(dst []byte, parameter uint32) []byte {
	return binary.BigEndian.AppendUint32(dst, parameter)
}

// hash mixes FNV-1a so that every part of it is as good.
func hash[T string | []byte](s T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// typeNumber is the hash of a resource type.
func typeNumber(typ string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(typ)) // never fails
	return h.Sum32()
}

// appendPair appends the hash of a name and, behind it, of what it is a name in: all
// entries of the name are together, and among them those of one space.
func appendPair(dst []byte, name, space string) []byte {
	dst = appendHalf(dst, name)
	h := hash(space)
	return append(dst, byte(h>>16), byte(h>>8), byte(h))
}

// halfLen and pairLen are how many bytes appendHalf and appendPair append.
const (
	halfLen = 5
	pairLen = 8
)

func appendHalf(dst []byte, name string) []byte {
	h := hash(name)
	return append(dst, byte(h>>32), byte(h>>24), byte(h>>16), byte(h>>8), byte(h))
}

func appendHash(dst []byte, s string) []byte { return binary.BigEndian.AppendUint64(dst, hash(s)) }

func appendUnit(dst []byte, unit string) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(hash(unit)))
}

// Times in entries are 7 bytes: milliseconds since the beginning of year -1000 or so; what
// is outside counts as the first and the last of them.
const (
	timeBias = int64(1) << 50
	timeLast = int64(1)<<56 - 1
)

func appendTime(dst []byte, ms int64) []byte {
	n := ms + timeBias
	switch {
	case ms < -timeBias:
		n = 0
	case ms > timeLast-timeBias:
		n = timeLast
	}
	return append(dst, byte(n>>48), byte(n>>40), byte(n>>32), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

// classes are the classes of widths of times, in milliseconds: a span belongs to the first
// that is not narrower. The last has what has no beginning or no end, too.
var classes = [...]int64{second, day, 31 * day, 366 * day, 3660 * day, math.MaxInt64}

// classOf returns the class of a span.
func classOf(s Span[int64]) int {
	width := s.High - s.Low
	if s.Low == Earliest || s.High == Latest || width < 0 {
		return len(classes) - 1
	}
	for i, most := range classes {
		if width <= most {
			return i
		}
	}
	return len(classes) - 1
}

// appendDegrees appends an angle in steps of 10^-7 degrees.
func appendDegrees(dst []byte, degrees float64) []byte {
	steps := math.Round(degrees * 1e7)
	steps = min(max(steps, math.MinInt32), math.MaxInt32)
	return binary.BigEndian.AppendUint32(dst, uint32(int64(steps)+1<<31))
}

// after returns the least byte string that is greater than all that begin with prefix, which
// must have a byte that is not 0xFF.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for len(end) > 1 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	end[len(end)-1]++
	return end
}
