package codesystem

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// idSets is a family of sorted sets of numbers, read in place without allocating. A set is a run
// of chunks. Each chunk holds the numbers with the same high 16 bits: as a slice of the low
// halves, or as a bitmap when there are more than denseChunk.
type idSets struct {
	first  []uint32 // first chunk of each set, and the end
	totals []uint32 // total size of all preceding sets, and of all
	chunks []uint64
	lows   []uint16
	words  []uint64
}

// A chunk is encoded as the high half of its numbers, their count less one (16 bits each) and
// where they are: in lows, or in words in units of chunkWords.
const (
	chunkBits  = 16
	chunkWords = 1 << chunkBits / 64
	denseChunk = 1024 // above this, merging a bitmap is cheaper than adding one by one
)

// chunkMap is the bitmap of one chunk.
type chunkMap = [chunkWords]uint64

func chunkKey(c uint64) uint32   { return uint32(c >> 48) }
func chunkCount(c uint64) int    { return int(c>>32&0xFFFF) + 1 }
func chunkAt(c uint64) uint32    { return uint32(c) }
func chunkIsDense(c uint64) bool { return chunkCount(c) > denseChunk }

// count returns the total size of the sets from lo to hi. A number in several sets counts once for
// each.
func (s *idSets) count(lo, hi uint32) int { return int(s.totals[hi] - s.totals[lo]) }

// of returns the chunks of a set.
func (s *idSets) of(set uint32) []uint64 { return s.chunks[s.first[set]:s.first[set+1]] }

// array returns the low halves in a sparse chunk.
func (s *idSets) array(c uint64) []uint16 {
	at := chunkAt(c)
	return s.lows[at : int(at)+chunkCount(c)]
}

// dense returns the bitmap of a dense chunk.
func (s *idSets) dense(c uint64) *chunkMap {
	at := int(chunkAt(c)) * chunkWords
	return (*chunkMap)(s.words[at : at+chunkWords])
}

// addTo adds the numbers of a chunk to its bitmap.
func (s *idSets) addTo(dst *chunkMap, c uint64) {
	if chunkIsDense(c) {
		for i, w := range s.dense(c) {
			dst[i] |= w
		}
		return
	}
	for _, low := range s.array(c) {
		dst[low>>6] |= 1 << (low & 63)
	}
}

// addSets adds the numbers of the sets from lo to hi to a bitmap that has room for whole chunks.
func (s *idSets) addSets(dst []uint64, lo, hi uint32) {
	for _, c := range s.chunks[s.first[lo]:s.first[hi]] {
		at := int(chunkKey(c)) * chunkWords
		s.addTo((*chunkMap)(dst[at:at+chunkWords]), c)
	}
}

// appendTo appends the numbers of a set.
func (s *idSets) appendTo(dst []uint32, set uint32) []uint32 {
	for _, c := range s.of(set) {
		base := chunkKey(c) << chunkBits
		if !chunkIsDense(c) {
			for _, low := range s.array(c) {
				dst = append(dst, base|uint32(low))
			}
			continue
		}
		for i, w := range s.dense(c) {
			for ; w != 0; w &= w - 1 {
				dst = append(dst, base|uint32(i<<6|bits.TrailingZeros64(w)))
			}
		}
	}
	return dst
}

// idSetsBuilder lays out sets one after the other.
type idSetsBuilder struct{ idSets }

// add appends a set of ascending numbers.
func (b *idSetsBuilder) add(numbers []uint32) {
	if b.first == nil {
		b.first, b.totals = []uint32{0}, []uint32{0}
	}
	b.totals = append(b.totals, b.totals[len(b.totals)-1]+uint32(len(numbers)))
	for len(numbers) > 0 {
		key := numbers[0] >> chunkBits
		n := 1
		for n < len(numbers) && numbers[n]>>chunkBits == key {
			n++
		}
		b.addChunk(key, numbers[:n])
		numbers = numbers[n:]
	}
	b.first = append(b.first, uint32(len(b.chunks)))
}

func (b *idSetsBuilder) addChunk(key uint32, numbers []uint32) {
	c := uint64(key)<<48 | uint64(len(numbers)-1)<<32
	if len(numbers) <= denseChunk {
		b.chunks = append(b.chunks, c|uint64(len(b.lows)))
		for _, v := range numbers {
			b.lows = append(b.lows, uint16(v))
		}
		return
	}
	b.chunks = append(b.chunks, c|uint64(len(b.words)/chunkWords))
	var m chunkMap
	for _, v := range numbers {
		m[v&0xFFFF>>6] |= 1 << (v & 63)
	}
	b.words = append(b.words, m[:]...)
}

// check verifies that the numbers of the sets from lo to hi are below limit, and that reading them
// stays in range.
func (s *idSets) check(lo, hi uint32, limit int) error {
	for set := lo; set < hi; set++ {
		last := -1
		for _, c := range s.of(set) {
			key := int(chunkKey(c))
			if key <= last || key<<chunkBits >= limit {
				return fmt.Errorf("%w: chunk %d of set %d", ErrDamaged, key, set)
			}
			last = key
			at := int(chunkAt(c))
			if dense := chunkIsDense(c); dense && (at+1)*chunkWords > len(s.words) || !dense && at+chunkCount(c) > len(s.lows) {
				return fmt.Errorf("%w: chunk %d of set %d lies outside", ErrDamaged, key, set)
			}
			if (key+1)<<chunkBits > limit && !s.below(c, limit-key<<chunkBits) {
				return fmt.Errorf("%w: set %d holds numbers above %d", ErrDamaged, set, limit)
			}
		}
	}
	return nil
}

// below verifies the last chunk, which may be partly used.
func (s *idSets) below(c uint64, limit int) bool {
	if !chunkIsDense(c) {
		for _, low := range s.array(c) {
			if int(low) >= limit {
				return false
			}
		}
		return true
	}
	m := s.dense(c)
	if m[limit/64]>>(limit%64) != 0 {
		return false
	}
	for _, w := range m[limit/64+1:] {
		if w != 0 {
			return false
		}
	}
	return true
}

// halves reads bytes as 16-bit numbers, in place.
func halves(data []byte) ([]uint16, error) {
	if len(data)%2 != 0 {
		return nil, fmt.Errorf("%w: %d bytes are not whole numbers of 2 bytes", ErrDamaged, len(data))
	}
	if len(data) == 0 {
		return nil, nil
	}
	return unsafe.Slice((*uint16)(unsafe.Pointer(&data[0])), len(data)/2), nil
}

// bytesOfHalves returns the memory of 16-bit numbers as bytes.
func bytesOfHalves(s []uint16) []byte {
	if len(s) == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), 2*len(s))
}
