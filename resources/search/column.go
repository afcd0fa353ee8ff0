package search

import (
	"bytes"
	"hash/maphash"
	"math"
	"sort"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// column has the values of a parameter for each row of a table. Rows with the same values share
// them, under a number.
type column struct {
	param *definitions.SearchParam
	floor index.Seq // the first state that the column can answer for
	ids   []uint32  // numbers of values by row; 0 means none

	arena []byte
	ends  []int // by number, where the encoded values end in the arena
	// seen are the numbers by hash of the values, nil if values are seldom the same.
	seen map[uint64]uint32
	seed maphash.Seed
	// spans are the times by number, for dates; those of several times are reversed.
	spans   []index.Span[int64]
	dates   bool
	id      bool   // the values are the ids of resources, as they are
	several bool   // some rows have several times
	longest int64  // of the times of rows that have one
	codes   *codes // of tokens
}

// minDistinct is how many different values show that values are seldom the same. Those of patients with
// many resources each are different at first.
const minDistinct = 1 << 18

func newColumn(p *definitions.SearchParam, seed maphash.Seed) *column {
	c := &column{param: p, dates: p.Kind == definitions.Date, id: p.Code == "_id", seed: seed, seen: map[uint64]uint32{}, ends: []int{0}}
	if p.Kind == definitions.Token {
		c.codes = new(codes)
	}
	if c.dates {
		c.spans = []index.Span[int64]{{Low: 1}}
	}
	return c
}

// values returns the encoded values with a number.
func (c *column) values(id uint32) []byte {
	if id == 0 {
		return nil
	}
	return c.arena[c.ends[id-1]:c.ends[id]]
}

// of returns the encoded values of a record.
func (c *column) of(rec *index.Record) []byte {
	if c.id {
		return []byte(rec.ID)
	}
	return index.NewView(rec.Values).Encoded(c.param.Number)
}

// key returns the sort key of the values with a number, nil if there is none.
func (c *column) key(id uint32, greatest bool) []byte {
	if c.id {
		return c.values(id)
	}
	return index.SortKeyOf(c.values(id), greatest)
}

// add adds a row.
func (c *column) add(encoded []byte) {
	if len(encoded) == 0 {
		c.ids = append(c.ids, 0)
		return
	}
	var hash uint64
	if c.seen != nil {
		hash = maphash.Bytes(c.seed, encoded)
		if id := c.seen[hash]; id != 0 && bytes.Equal(c.values(id), encoded) {
			c.ids = append(c.ids, id)
			return
		}
	}
	id := uint32(len(c.ends))
	c.arena = append(c.arena, encoded...)
	c.ends, c.ids = append(c.ends, len(c.arena)), append(c.ids, id)
	if c.seen != nil {
		c.seen[hash] = id
		if id > minDistinct && int(id) > len(c.ids)/10*9 {
			c.seen = nil
		}
	}
	if !c.dates {
		return
	}
	span, n := index.Span[int64]{Low: 1}, 0
	for v := range index.Decode(encoded) {
		if n++; n == 1 && v.Kind == index.Date {
			span = v.Time
		} else {
			span, c.several = index.Span[int64]{Low: 1}, true
		}
	}
	c.spans = append(c.spans, span)
	if span.Low < span.High {
		if length := span.High - span.Low; length > 0 {
			c.longest = max(c.longest, length)
		} else {
			c.longest = math.MaxInt64 // more than a number holds
		}
	}
}

func (c *column) size() int64 {
	size := int64(0)
	if c.codes != nil {
		size = c.codes.size()
	}
	return size + int64(4*cap(c.ids)+cap(c.arena)+8*cap(c.ends)+20*len(c.seen)+16*cap(c.spans))
}

// ordering is the order of the rows of a table by the least of their values in a column, or the
// greatest. Each number of values has a rank; equal sort keys have equal ranks. Between ranks there is
// room for others, so that new values leave the rest as it is.
type ordering struct {
	column   *column
	greatest bool
	ids      []uint32 // numbers of values with a sort key, in order
	ranks    []uint64 // by number; 0 means no sort key
	perm     []uint32 // rows with a sort key, by rank and row
	rows     int      // rows of the column that are in the order
}

// rankStep is the distance between new ranks.
const rankStep = 1 << 32

func (o *ordering) key(id uint32) []byte { return o.column.key(id, o.greatest) }

// rank returns the rank of a row.
func (o *ordering) rank(row uint32) uint64 { return o.ranks[o.column.ids[row]] }

// find returns the first place in ids whose sort key is not less than key, and whether it is equal.
func (o *ordering) find(key []byte) (at int, equal bool) {
	at = sort.Search(len(o.ids), func(i int) bool { return bytes.Compare(o.key(o.ids[i]), key) >= 0 })
	return at, at < len(o.ids) && bytes.Equal(o.key(o.ids[at]), key)
}

// newKey is a sort key that an ordering lacks.
type newKey struct {
	id    uint32
	key   []byte
	at    int  // where it belongs in ids
	equal bool // the key there is the same
}

// extend adds the rows that were added to the column, so many at most.
func (o *ordering) extend(most int) {
	end := min(o.rows+most, len(o.column.ids))
	last := 0 // numbers are in the order of the rows that have them first
	for _, id := range o.column.ids[o.rows:end] {
		last = max(last, int(id))
	}
	var added []newKey
	for id := len(o.ranks); id <= last; id++ {
		o.ranks = append(o.ranks, 0)
		if key := o.key(uint32(id)); key != nil {
			at, equal := o.find(key)
			added = append(added, newKey{uint32(id), key, at, equal})
		}
	}
	sort.Slice(added, func(i, j int) bool { return bytes.Compare(added[i].key, added[j].key) < 0 })
	if !o.assign(added) {
		o.spread()
		o.assign(added)
	}
	places, numbers := make([]int, len(added)), make([]uint32, len(added))
	for i := range added {
		places[i], numbers[i] = added[i].at, added[i].id
	}
	o.ids = insert(o.ids, numbers, places)

	var rows []uint32
	for ; o.rows < end; o.rows++ {
		if row := uint32(o.rows); o.rank(row) != 0 {
			rows = append(rows, row)
		}
	}
	sort.Slice(rows, func(i, j int) bool {
		a, b := o.rank(rows[i]), o.rank(rows[j])
		return a < b || a == b && rows[i] < rows[j]
	})
	places = make([]int, len(rows))
	for i, row := range rows {
		places[i] = o.from(o.rank(row) + 1)
	}
	o.perm = insert(o.perm, rows, places)
}

// from returns the first place in perm whose rank is not less.
func (o *ordering) from(rank uint64) int {
	return sort.Search(len(o.perm), func(i int) bool { return o.rank(o.perm[i]) >= rank })
}

// assign ranks new sort keys, and reports whether there was room for them.
func (o *ordering) assign(added []newKey) bool {
	for i := 0; i < len(added); {
		end, distinct := i, uint64(0)
		for ; end < len(added) && added[end].at == added[i].at; end++ {
			if end == i || !bytes.Equal(added[end].key, added[end-1].key) {
				distinct++
			}
		}
		rank, high, step := uint64(0), uint64(0), uint64(rankStep)
		if at := added[i].at; at > 0 {
			rank = o.ranks[o.ids[at-1]]
		}
		if at := added[i].at; at < len(o.ids) {
			high = o.ranks[o.ids[at]]
			if step = (high - rank) / (distinct + 1); step == 0 {
				return false
			}
		}
		for first := i; i < end; i++ {
			if i == first || !bytes.Equal(added[i].key, added[i-1].key) {
				rank += step
			}
			if o.ranks[added[i].id] = rank; added[i].equal {
				o.ranks[added[i].id] = high
			}
		}
	}
	return true
}

// spread makes room between all ranks.
func (o *ordering) spread() {
	rank, former := uint64(0), uint64(0)
	for _, id := range o.ids {
		if o.ranks[id] != former {
			former = o.ranks[id]
			rank += rankStep
		}
		o.ranks[id] = rank
	}
}

// insert inserts items, each at its place in list. Places ascend.
func insert(list, items []uint32, places []int) []uint32 {
	end := len(list)
	list = append(list, items...)
	for i := len(items) - 1; i >= 0; i-- {
		copy(list[places[i]+i+1:], list[places[i]:end])
		list[places[i]+i] = items[i]
		end = places[i]
	}
	return list
}
