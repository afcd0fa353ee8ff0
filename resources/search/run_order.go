package search

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/roget-health/roget/resources/index"
)

// order is the order of matches: by the sort keys, with missing values last. Matches with equal
// keys are ordered by Seq, in the direction of the first key. Without keys the newest come first.
type order struct {
	keys  []SortKey
	up    bool // Seq ascends
	back  bool // the whole order is reversed
	seqUp bool // Seq ascends after reversal
}

// newOrder returns the order that a query requests.
func (q *Query) newOrder(back bool) order {
	o := order{keys: q.Sort, back: back}
	if len(o.keys) > 0 {
		o.up = !o.keys[0].Desc
		if o.keys[0].Code == "_lastUpdated" { // no two versions have the same
			o.keys = nil
		}
	}
	o.seqUp = o.up != o.back
	return o
}

// compare compares matches.
func (o *order) compare(a, b *match) int {
	c := 0
	for i := range o.keys {
		if c = o.compareKey(i, a.keys[i], b.keys[i]); c != 0 {
			break
		}
	}
	if c == 0 {
		if c = cmp.Compare(a.rec.Seq, b.rec.Seq); !o.up {
			c = -c
		}
	}
	if o.back {
		return -c
	}
	return c
}

// compareKey compares one key, forward.
func (o *order) compareKey(i int, a, b []byte) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	case o.keys[i].Desc:
		return bytes.Compare(b, a)
	}
	return bytes.Compare(a, b)
}

// complete sets the sort keys of a match. typ is the index of its type in the query.
func (o *order) complete(m *match, typ int) {
	if len(o.keys) == 0 {
		return
	}
	m.keys = make([][]byte, len(o.keys))
	view := index.NewView(m.rec.Values)
	for i := range o.keys {
		k := &o.keys[i]
		switch k.Code {
		case "_lastUpdated":
			m.keys[i] = binary.BigEndian.AppendUint64(nil, uint64(m.rec.Seq)) //nolint:gosec // a Seq is positive
		case "_id":
			m.keys[i] = []byte(m.rec.ID)
		default:
			m.keys[i] = view.SortKey(k.Params[typ].Number, k.Desc)
		}
	}
}

// match returns a match at the place, for comparisons.
func (p *cursorPlace) match() *match {
	return &match{rec: index.Record{Seq: p.seq}, keys: p.keys}
}

// merged merges the matches of several types.
type merged struct {
	order order
	of    []matches
	first int // index of the type with the next match, -1 if unknown
	lost  int // dropped by types that have ended
}

func (m *merged) peek(ctx context.Context) (*match, error) {
	var next *match
	if m.first >= 0 {
		return m.of[m.first].peek(ctx)
	}
	for i := 0; i < len(m.of); i++ {
		c, err := m.of[i].peek(ctx)
		if err != nil {
			return nil, err
		}
		if c == nil {
			m.lost += m.of[i].dropped()
			m.of = slices.Delete(m.of, i, i+1)
			i--
			continue
		}
		if next == nil || m.order.compare(c, next) < 0 {
			next, m.first = c, i
		}
	}
	return next, nil
}

func (m *merged) pop() {
	m.of[m.first].pop()
	m.first = -1
}

// best keeps the first n of the matches that are added.
type best struct {
	order   *order
	n       int // 0 for all
	matches []match
	total   int
}

func (b *best) add(m match) {
	b.total++
	if b.n > 0 && len(b.matches) == b.n && b.order.compare(&m, &b.matches[b.n-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(b.matches, m, func(a, c match) int { return b.order.compare(&a, &c) })
	if b.n > 0 && len(b.matches) == b.n {
		b.matches = b.matches[:b.n-1]
	}
	b.matches = slices.Insert(b.matches, at, m)
}

func (m *merged) dropped() int {
	n := m.lost
	for _, of := range m.of {
		n += of.dropped()
	}
	return n
}

// gathered yields matches that were gathered in a slice.
type gathered struct {
	found []match
	left  int // matches that were not kept
}

func (l *gathered) peek(context.Context) (*match, error) {
	if len(l.found) == 0 {
		return nil, nil
	}
	return &l.found[0], nil
}

func (l *gathered) pop() { l.found = l.found[1:] }

func (l *gathered) dropped() int { return l.left }
