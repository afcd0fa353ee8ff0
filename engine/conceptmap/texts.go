package conceptmap

import (
	"hash/maphash"
	"strings"
)

// texts assigns numbers to distinct strings. Number 0 is the empty string.
type texts struct {
	arena string
	ends  []uint32 // text n is arena[ends[n-1]:ends[n]]
	seed  maphash.Seed
	slots []uint32 // open addressing by hash; 0: free
}

func (t *texts) at(n uint32) string {
	if n == 0 {
		return ""
	}
	return t.arena[t.ends[n-1]:t.ends[n]]
}

func (t *texts) len() int { return len(t.ends) }

// find returns the number of a text.
func (t *texts) find(s string) (uint32, bool) {
	if s == "" || len(t.slots) == 0 {
		return 0, false
	}
	mask := uint64(len(t.slots) - 1)
	for i := maphash.String(t.seed, s) & mask; ; i = (i + 1) & mask {
		n := t.slots[i]
		if n == 0 {
			return 0, false
		}
		if t.at(n) == s {
			return n, true
		}
	}
}

// A textsBuilder collects texts.
type textsBuilder struct {
	arena   strings.Builder
	ends    []uint32
	numbers map[string]uint32
}

func newTextsBuilder() *textsBuilder {
	return &textsBuilder{ends: []uint32{0}, numbers: map[string]uint32{"": 0}}
}

func (b *textsBuilder) add(s string) uint32 {
	if n, ok := b.numbers[s]; ok {
		return n
	}
	n := uint32(len(b.ends))
	b.arena.WriteString(s)
	b.ends = append(b.ends, uint32(b.arena.Len()))
	b.numbers[s] = n
	return n
}

// fits reports whether all positions fit their numbers.
func (b *textsBuilder) fits() bool {
	return uint64(b.arena.Len()) < 1<<32 && uint64(len(b.ends)) < 1<<31
}

func (b *textsBuilder) finish() texts {
	t := texts{arena: strings.Clone(b.arena.String()), seed: maphash.MakeSeed()}
	t.ends = append(make([]uint32, 0, len(b.ends)), b.ends...)
	size := 4
	for size < 2*len(t.ends) {
		size *= 2
	}
	t.slots = make([]uint32, size)
	mask := uint64(size - 1)
	for n := 1; n < len(t.ends); n++ {
		i := maphash.String(t.seed, t.at(uint32(n))) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(n)
	}
	return t
}
