package codesystem

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// The code table maps codes to concepts, in nearly all cases with one cache miss. A slot holds a
// key of 96 bits. The key is the code itself, not a hash, when the code is a decimal number (up to
// 19 digits, no leading zero) or has at most 11 bytes. For longer codes it is a hash, and the code
// is compared.

// slot is one place of the open-addressing table (linear probing, size a power of two).
type slot struct {
	key uint64
	ext uint32
	// val is the number of the concept plus 1; 0 marks an empty slot.
	val uint32
}

// Tags in the high byte of slot.ext. A text has its length plus 1 there (1 to 12).
const (
	tagDecimal = 0x80 << 24
	tagHash    = 0xFF << 24
)

// packCode returns the key of a code. exact reports whether no other code has the same key.
func packCode(code string, seed uint64) (key uint64, ext uint32, exact bool) {
	if n := len(code); n > 0 && n <= 19 && (code[0]-'1' < 9 || n == 1) {
		if v, ok := parseDecimal(code); ok {
			return v, tagDecimal, true
		}
	}
	n := len(code)
	switch {
	case n > 11:
		h := hashText(code, seed)
		return h, tagHash | uint32(h>>7)&0xFFFFFF, false
	case n >= 8:
		p := unsafe.Pointer(unsafe.StringData(code))
		key = binary.LittleEndian.Uint64((*[8]byte)(p)[:])
		for i := n - 1; i >= 8; i-- {
			ext = ext<<8 | uint32(code[i])
		}
	default:
		for i := n - 1; i >= 0; i-- {
			key = key<<8 | uint64(code[i])
		}
	}
	return key, ext | uint32(n+1)<<24, true
}

// parseDecimal reads up to 19 digits, eight at a time where possible.
func parseDecimal(s string) (v uint64, ok bool) {
	for len(s) >= 8 {
		w := binary.LittleEndian.Uint64((*[8]byte)(unsafe.Pointer(unsafe.StringData(s)))[:])
		if (w&0xF0F0F0F0F0F0F0F0)|((w+0x0606060606060606)&0xF0F0F0F0F0F0F0F0)>>4 != 0x3333333333333333 {
			return 0, false
		}
		w = (w & 0x0F0F0F0F0F0F0F0F) * 2561 >> 8
		w = (w & 0x00FF00FF00FF00FF) * 6553601 >> 16
		w = (w & 0x0000FFFF0000FFFF) * 42949672960001 >> 32
		v = v*100000000 + w
		s = s[8:]
	}
	for i := 0; i < len(s); i++ {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + uint64(d)
	}
	return v, true
}

const (
	mixA = 0x9E3779B97F4A7C15
	mixB = 0xD6E8FEB86659FD93
)

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// hashText hashes a text eight bytes at a time.
func hashText(s string, seed uint64) uint64 {
	h := seed ^ uint64(len(s))*mixA
	for len(s) >= 8 {
		w := binary.LittleEndian.Uint64((*[8]byte)(unsafe.Pointer(unsafe.StringData(s)))[:])
		h = mix(h^w^mixA, mixB^bits.RotateLeft64(h, 32))
		s = s[8:]
	}
	var w uint64
	for i := len(s) - 1; i >= 0; i-- {
		w = w<<8 | uint64(s[i])
	}
	return mix(h^w^mixB, mixA^bits.RotateLeft64(h, 29))
}

// codeTable is the table with the data needed to compare long codes.
type codeTable struct {
	slots []slot
	seed  uint64
	fold  bool
}

// place returns the slot where the search for a key begins.
func (t *codeTable) place(key uint64, ext uint32) uint64 {
	return mix(key^t.seed^mixA, uint64(ext)<<32^mixB)
}

// find returns the number of a code below limit; codes holds the codes by number.
func (t *codeTable) find(code string, limit uint32, codes *texts) (uint32, bool) {
	if t.fold {
		return t.findFolded(code, limit, codes)
	}
	key, ext, exact := packCode(code, t.seed)
	return t.probe(key, ext, exact, code, limit, codes)
}

// findFolded is find without regard to case.
func (t *codeTable) findFolded(code string, limit uint32, codes *texts) (uint32, bool) {
	var buf [96]byte
	key, ext, exact := packCode(textOf(appendFolded(buf[:0], code)), t.seed)
	return t.probe(key, ext, exact, code, limit, codes)
}

// probe looks for a key. The number of steps is bounded and numbers are checked, since the table
// of a snapshot is not trusted.
func (t *codeTable) probe(key uint64, ext uint32, exact bool, code string, limit uint32, codes *texts) (uint32, bool) {
	slots := t.slots
	mask := uint64(len(slots) - 1)
	at := t.place(key, ext)
	for range slots {
		s := &slots[at&mask]
		if s.key == key && s.ext == ext {
			if o := s.val - 1; o < limit && (exact || t.same(codes.at(o), code)) {
				return o, true
			}
		}
		if s.val == 0 {
			break
		}
		at++
	}
	return 0, false
}

func (t *codeTable) same(a, b string) bool {
	if t.fold {
		return equalFolded(a, b)
	}
	return a == b
}

// insert adds a code with a number and grows the table as needed. The code must not be in it (see
// find). codes holds the codes by number.
func (t *codeTable) insert(code string, number uint32, codes *texts) {
	if uint64(number+1)*4 > uint64(len(t.slots))*3 {
		t.grow(max(8, 2*len(t.slots)), codes)
	}
	if t.fold {
		code = string(appendFolded(nil, code))
	}
	key, ext, _ := packCode(code, t.seed)
	t.put(slot{key: key, ext: ext, val: number + 1})
}

// put stores a slot and returns its distance from its place.
func (t *codeTable) put(s slot) (distance int) {
	mask := uint64(len(t.slots) - 1)
	at := t.place(s.key, s.ext) & mask
	for t.slots[at].val != 0 {
		at = (at + 1) & mask
		distance++
	}
	t.slots[at] = s
	return distance
}

// longProbe is a distance that a table of random codes does not reach. Beyond it another seed is
// tried, so that chosen codes cannot make the table a list.
const longProbe = 256

// grow moves the slots to a table of another size.
func (t *codeTable) grow(size int, codes *texts) {
	old := t.slots
	for try := 0; ; try++ {
		t.slots = make([]slot, size)
		far := 0
		for _, s := range old {
			if s.val == 0 {
				continue
			}
			if try > 0 && s.ext&tagHash == tagHash {
				code := codes.at(s.val - 1)
				if t.fold {
					code = string(appendFolded(nil, code))
				}
				s.key, s.ext, _ = packCode(code, t.seed)
			}
			far = max(far, t.put(s))
		}
		if far < longProbe || try == 4 {
			return
		}
		t.seed = mix(t.seed^mixB, mixA)
	}
}
