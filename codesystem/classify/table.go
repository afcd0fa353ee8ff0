package classify

// A table is a set of numbers other than zero, by open addressing.
type table[T uint32 | uint64] struct {
	slots []T
	n     int
}

// place returns the slot of the entry that is equal to v after both are shifted to the right: the
// entry's, or an empty one. There is room for one more entry.
func (t *table[T]) place(v T, shift int) *T {
	if 4*(t.n+1) > 3*len(t.slots) {
		old := t.slots
		t.slots = make([]T, max(8, 2*len(old)))
		for _, x := range old {
			if x != 0 {
				*t.place(x, shift) = x
			}
		}
	}
	mask := uint64(len(t.slots) - 1)
	for h := uint64(v>>shift) * 0x9e3779b97f4a7c15 >> 32; ; h++ {
		if s := &t.slots[h&mask]; *s == 0 || *s>>shift == v>>shift {
			return s
		}
	}
}

// has reports whether an entry is equal to v after both are shifted to the right.
func (t *table[T]) has(v T, shift int) bool {
	if t.n == 0 {
		return false
	}
	mask := uint64(len(t.slots) - 1)
	for h := uint64(v>>shift) * 0x9e3779b97f4a7c15 >> 32; ; h++ {
		if s := t.slots[h&mask]; s == 0 || s>>shift == v>>shift {
			return s != 0
		}
	}
}

// A joint has the conjunctions of two expressions by both of them, by open addressing.
type joint []struct{ low, high, result uint32 }

func newJoint(pairs map[[2]uint32]uint32) joint {
	size := 8
	for size < 2*len(pairs) {
		size *= 2
	}
	j := make(joint, size)
	for key, result := range pairs {
		s := &j[j.slot(key[0], key[1])]
		s.low, s.high, s.result = key[0], key[1], result
	}
	return j
}

// slot returns where the conjunction of two expressions is, or an empty slot.
func (j joint) slot(low, high uint32) int {
	mask := uint64(len(j) - 1)
	for h := (uint64(low)<<32 | uint64(high)) * 0x9e3779b97f4a7c15 >> 32; ; h++ {
		if s := &j[h&mask]; s.result == 0 || s.low == low && s.high == high {
			return int(h & mask)
		}
	}
}
