package search

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/roget-health/roget/resources/index"
)

// rowKey is a sort key of rows, as a number: the rank, or the row itself for _lastUpdated.
type rowKey struct {
	of       orderKey
	updated  bool
	desc     bool
	table    *table
	ordering *ordering
	// place is the number at the place where a page begins, 0 if it lacks the key. Without exact it
	// is the first number after the place.
	place uint64
	exact bool
}

func (k *rowKey) rank(row uint32) uint64 {
	if k.updated {
		return uint64(row) + 1
	}
	return k.ordering.rank(row)
}

// from returns the number of rows whose rank is less.
func (k *rowKey) from(rank uint64) int {
	if k.updated {
		return int(min(rank-1, uint64(len(k.table.seqs))))
	}
	return k.ordering.from(rank)
}

// start finds the place of a key.
func (k *rowKey) start(key []byte) {
	k.place, k.exact = 0, true
	switch {
	case key == nil:
	case k.updated:
		seq := index.Seq(binary.BigEndian.Uint64(append(key, make([]byte, 8)...)))
		at, found := slices.BinarySearch(k.table.seqs, seq)
		k.place, k.exact = uint64(at)+1, found
	default:
		at, found := k.ordering.find(key)
		if k.place, k.exact = 1<<64-1, found; at < len(k.ordering.ids) {
			k.place = k.ordering.ranks[k.ordering.ids[at]]
		}
	}
}

// compare compares ranks, forward. Rows without one come last.
func (k *rowKey) compare(a, b uint64) int {
	switch {
	case a == b:
		return 0
	case a == 0:
		return 1
	case b == 0:
		return -1
	case k.desc:
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// top keeps the first n rows after a place.
type top struct {
	order  *order
	keys   []rowKey
	table  *table
	behind *cursorPlace
	n      int // 0 for all
	rows   []uint32
}

// compare compares rows in the requested order.
func (t *top) compare(a, b uint32) int {
	c := 0
	for i := 0; c == 0 && i < len(t.keys); i++ {
		k := &t.keys[i]
		c = k.compare(k.rank(a), k.rank(b))
	}
	return t.directed(c, cmp.Compare(a, b))
}

// directed returns the comparison of keys, or if they are equal that of the Seq, in the direction of
// the order.
func (t *top) directed(keys, seqs int) int {
	if keys == 0 {
		if keys = seqs; !t.order.up {
			keys = -seqs
		}
	}
	if t.order.back {
		return -keys
	}
	return keys
}

// after reports whether a row comes after the place.
func (t *top) after(row uint32) bool {
	c := 0
	for i := 0; c == 0 && i < len(t.keys); i++ {
		k := &t.keys[i]
		rank := k.rank(row)
		if k.exact || rank == 0 {
			c = k.compare(rank, k.place)
		} else if c = 1; (rank < k.place) != k.desc {
			c = -1
		}
	}
	return t.directed(c, cmp.Compare(t.table.seqs[row], t.behind.seq)) > 0
}

// add adds a row.
func (t *top) add(row uint32) {
	full := t.n > 0 && len(t.rows) == t.n
	if full && t.compare(row, t.rows[t.n-1]) > 0 || t.behind != nil && !t.after(row) {
		return
	}
	at := len(t.rows)
	if at > 0 && t.compare(row, t.rows[at-1]) < 0 {
		at = sort.Search(at, func(i int) bool { return t.compare(row, t.rows[i]) < 0 })
	}
	if full {
		t.rows = t.rows[:t.n-1]
	}
	t.rows = slices.Insert(t.rows, at, row)
}

// take adds the first of the matching rows, of which there are count.
func (t *top) take(matching bitmap, count int) {
	if t.n == 0 || count <= t.n || !t.keys[0].updated && count*count/8 < t.n*len(t.table.seqs) { // a walk would pass more rows
		for row := range matching.each {
			t.add(row)
		}
	} else {
		t.walk(matching)
	}
}

// walk adds the first of the matching rows in the order of the first key.
func (t *top) walk(matching bitmap) {
	k := &t.keys[0]
	lacking := func() {
		for row := range matching.each {
			if k.rank(row) == 0 {
				t.add(row)
			}
		}
	}
	from, to := 0, k.from(1<<64-1)
	switch placed := t.behind != nil; {
	case placed && k.place == 0 && !t.order.back:
		to = 0
	case t.order.back && (!placed || k.place == 0):
		lacking()
	case !placed:
	case k.desc == t.order.back:
		from = k.from(k.place)
	case k.exact:
		to = k.from(k.place + 1)
	default:
		to = k.from(k.place)
	}
	last, backward, ended := uint64(0), k.desc != t.order.back, false
	add := func(row uint32) bool {
		rank := k.rank(row)
		if ended = len(t.rows) == t.n && (len(t.keys) == 1 || rank != last); !ended {
			last = rank
			t.add(row)
		}
		return !ended
	}
	if k.updated {
		matching.between(from, to, backward, add)
	}
	for i := from; i < to && !k.updated && !ended; i++ {
		at := i
		if backward {
			at = from + to - 1 - i
		}
		if row := k.ordering.perm[at]; matching.has(row) {
			add(row)
		}
	}
	if ended {
		return
	}
	if !t.order.back && len(t.rows) < t.n {
		lacking()
	}
}
