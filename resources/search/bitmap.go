package search

import "math/bits"

// bitmap is a set of rows of a table. Most tables have fewer rows than would make compression pay.
type bitmap []uint64

func (b bitmap) set(row uint32)      { b[row/64] |= 1 << (row % 64) }
func (b bitmap) clear(row uint32)    { b[row/64] &^= 1 << (row % 64) }
func (b bitmap) has(row uint32) bool { return b[row/64]&(1<<(row%64)) != 0 }

// truncate removes the rows from n on.
func (b bitmap) truncate(n int) {
	for i := range b {
		if rest := n - 64*i; rest < 64 {
			b[i] &= 1<<max(rest, 0) - 1
		}
	}
}

func (b bitmap) count() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// keep removes the rows that others lacks, or with have false those that it has.
func (b bitmap) keep(others bitmap, have bool) {
	for i := range b {
		if have {
			b[i] &= others[i]
		} else {
			b[i] &^= others[i]
		}
	}
}

// each calls fn for the rows in ascending order until it returns false.
func (b bitmap) each(fn func(row uint32) bool) {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			if !fn(uint32(64*i + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// between calls fn for the rows from one up to another, exclusive, until it returns false, in descending order
// if backward is set.
func (b bitmap) between(from, to int, backward bool, fn func(row uint32) bool) {
	for i, last := from/64, (to-1)/64; from < to && i <= last; i++ {
		at := i
		if backward {
			at = from/64 + last - i
		}
		word := b[at]
		if at == from/64 {
			word &^= 1<<(from%64) - 1
		}
		if rest := to - 64*at; rest < 64 {
			word &= 1<<rest - 1
		}
		for word != 0 {
			bit := bits.TrailingZeros64(word)
			if backward {
				bit = 63 - bits.LeadingZeros64(word)
			}
			word &^= 1 << bit
			if !fn(uint32(64*at + bit)) {
				return
			}
		}
	}
}
