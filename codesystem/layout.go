package codesystem

import (
	"fmt"
	"math"
	"unsafe"
)

// A section is one numbered part of a snapshot. Its data starts at an 8-byte boundary of the
// snapshot, so that 4- and 8-byte numbers can be read in place.
type section struct {
	id   uint32
	data []byte
}

// Section ids. The numbers are part of the layout: never reuse one for another meaning without
// raising layoutVersion. 1 to 31 are codes, hierarchy and designations, 32 to 47 properties, 48 to
// 63 text, 64 to 71 attributes, 72 to 79 details of designations, 80 to 95 reference sets.
const (
	secInfo        = 1  // info: counts and flags
	secHeader      = 2  // JSON of the CodeSystem without concepts
	secStats       = 3  // JSON of Stats
	secTable       = 4  // []slot: code to Ord
	secCodeOffsets = 5  // []uint32, n+1
	secCodes       = 6  // bytes
	secFlags       = 7  // bytes, n: one flag byte per concept
	secTextOffsets = 8  // []uint32, n+1: displays
	secDisplays    = 9  // bytes
	secDefOffsets  = 10 // []uint32, n+1; absent when no concept has a definition
	secDefinitions = 11 // bytes
	secDesCounts   = 12 // []uint32, n+1: first designation of a concept; absent when there are no designations
	secDesKinds    = 13 // []uint32, one per designation: index into the kinds
	secDesOffsets  = 14 // []uint32, one per designation plus 1
	secDesValues   = 15 // bytes
	secKinds       = 16 // JSON: distinct (language, use); see also secKindRows

	secNodes           = 17 // []node, n+1; this and all following sections are absent in a flat system
	secDepths          = 18 // []uint32, n: longest path from a root
	secParentOffsets   = 19 // []uint32, n+1
	secParents         = 20 // []uint32
	secChildOffsets    = 21 // []uint32, n+1
	secChildren        = 22 // []uint32
	secAncestors       = 23 // []uint32, delimited by node.anc; only for storageClosure
	secSpreadOrds      = 24 // []uint32: concepts with descendants outside their interval
	secSpreadOffsets   = 25 // []uint32, one per spread concept plus 1, in units of 8 bytes
	secSpreadSets      = 26 // serialised roaring bitmaps, each at an 8-byte boundary
	secExtOwners       = 27 // []uint32: concepts, then designations, with extensions; absent when there are none
	secExtOffsets      = 28 // []uint32, one per owner plus 1
	secExtensions      = 29 // JSON arrays of extensions
	maxSection         = 127
	maxConcepts        = math.MaxInt32 - 1
	maxArena           = math.MaxUint32
	alignment          = 8
	snapshotHeaderSize = 32
	tocEntrySize       = 24
)

// magic starts every snapshot. layoutVersion rises with every change that an older program would
// misread, or that makes older snapshots unreadable.
const (
	magic         = "RogetIdx"
	layoutVersion = 4
)

// info is the fixed-size section of counts and flags.
type info struct {
	concepts      uint32
	storage       uint32
	caseSensitive uint32
	nested        uint32
	hashSeed      uint64
	edges         uint64
}

// Storage classes of a hierarchy; see closure.go.
const (
	storageFlat    = 0 // no edges
	storageTree    = 1 // one parent at most: the interval holds all descendants
	storageClosure = 2 // ancestors in an arena, descendants as interval or bitmap
	storageSearch  = 3 // closure too large to store: interval first, then search
)

// Flag bits of a concept.
const (
	flagInactive = 1 << iota
	flagAbstract
	flagDeprecated
	flagRoot
	flagLeaf
	flagStatus // a status is stated: see Index.Status
)

// node holds the hierarchy of one concept in 8 bytes, so that a test of ancestry touches one cache
// line per concept.
type node struct {
	// end is the Ord after the last concept of the subtree in the spanning tree; spreadBit is set
	// when there are descendants outside of it.
	end uint32
	// anc is where the ancestors begin in their arena; they end where those of the next Ord begin.
	anc uint32
}

const spreadBit = 1 << 31

// number is an element type of sections.
type number interface {
	~uint32 | ~uint64 | slot | node | info
}

// littleEndian reports whether this machine is little endian, as snapshots are, which are read in
// place.
func littleEndian() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}

// bytesOf returns the memory of numbers as bytes.
func bytesOf[T number](s []T) []byte {
	if len(s) == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// numbersOf reads bytes as numbers, in place. data must be 8-byte aligned.
func numbersOf[T number](data []byte) ([]T, error) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if len(data)%size != 0 {
		return nil, fmt.Errorf("%w: %d bytes are not whole numbers of %d bytes", ErrDamaged, len(data), size)
	}
	if len(data) == 0 {
		return nil, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), len(data)/size), nil
}

// textOf returns bytes as a string that shares their memory.
func textOf(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// checkEnds verifies that off has count+1 entries, the first 0 and the last limit.
func checkEnds(off []uint32, count, limit int) error {
	if len(off) != count+1 {
		return fmt.Errorf("%w: %d offsets for %d entries", ErrDamaged, len(off), count)
	}
	if off[0] != 0 || uint64(off[count]) != uint64(limit) {
		return fmt.Errorf("%w: offsets span %d to %d of %d", ErrDamaged, off[0], off[count], limit)
	}
	return nil
}

// checkRising verifies that no value is less than the one before.
func checkRising(values []uint32) error {
	bad := false
	last := uint32(0)
	for _, v := range values {
		bad = bad || v < last
		last = v
	}
	if bad {
		return fmt.Errorf("%w: numbers do not rise", ErrDamaged)
	}
	return nil
}

// checkBelow verifies that every value is less than limit.
func checkBelow(values []uint32, limit int) error {
	var high uint32
	for _, v := range values {
		high = max(high, v)
	}
	if len(values) > 0 && uint64(high) >= uint64(limit) {
		return fmt.Errorf("%w: concept %d of %d", ErrDamaged, high, limit)
	}
	return nil
}
