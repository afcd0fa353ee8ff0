package codesystem

import (
	"bytes"
	"fmt"
)

// pairTable numbers distinct (property, value) pairs: an open-addressing table over one arena,
// without a pointer or string header per value.
type pairTable struct {
	props []uint32
	off   []uint32
	data  []byte
	slots []uint32 // number of the pair plus 1; 0 is empty
}

func newPairTable() pairTable { return pairTable{off: []uint32{0}, slots: make([]uint32, 64)} }

func (t *pairTable) len() int { return len(t.props) }

func (t *pairTable) value(pair uint32) []byte { return t.data[t.off[pair]:t.off[pair+1]] }

func (t *pairTable) letter(pair uint32) byte { return t.data[t.off[pair]] }

func (t *pairTable) intern(prop uint32, value []byte) (uint32, error) {
	mask := uint64(len(t.slots) - 1)
	at := hashText(textOf(value), uint64(prop)*mixB) & mask
	for t.slots[at] != 0 {
		pair := t.slots[at] - 1
		if t.props[pair] == prop && bytes.Equal(t.value(pair), value) {
			return pair, nil
		}
		at = (at + 1) & mask
	}
	if uint64(len(t.data))+uint64(len(value)) > maxArena || len(t.props) >= maxConcepts {
		return 0, fmt.Errorf("%w: property values", ErrTooLarge)
	}
	pair := uint32(len(t.props))
	t.props = append(t.props, prop)
	t.data = append(t.data, value...)
	t.off = append(t.off, uint32(len(t.data)))
	t.slots[at] = pair + 1
	if 4*len(t.props) > 3*len(t.slots) {
		t.grow()
	}
	return pair, nil
}

func (t *pairTable) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for pair := range uint32(len(t.props)) {
		at := hashText(textOf(t.value(pair)), uint64(t.props[pair])*mixB) & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = pair + 1
	}
}
