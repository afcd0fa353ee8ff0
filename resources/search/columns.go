package search

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/resources/index"
)

// columns keeps the values of parameters in the order of versions, a table for each type, so that
// searches with many matches load the records of their page only. A version never changes and later
// ones have a greater Seq, so a table is brought up to date by reading what is new.
type columns struct {
	bytes     int64         // bound
	share     int           // versions that a search reads
	step      int           // versions that Build reads before it gives way
	far       int           // new versions beyond which a search does not bring a table up to date
	await     time.Duration // how long a search waits for a table that is far behind
	minWorn   int           // superseded rows below which no table is made anew
	distinct  int           // values of a column from which on codes, ids and URLs are looked up rather than compared
	forgotten string        // the type whose resources the store may remove without a trace, "" for none
	seeds     [2]maphash.Seed

	wake chan struct{} // to Build, when there is a want
	turn chan struct{} // of the search that goes through the index while Build brings a table up to date

	mu     sync.Mutex
	tables map[string]*table
	clock  int
	builds int              // running calls of Build
	wants  map[*table]*want // what they have to build; see leave
}

// A want is what Build has to give a table. given is closed when it has, or no longer will.
type want struct {
	needs
	given chan struct{}
}

// of returns the table of a type.
func (c *columns) of(typ string) *table {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tables[typ]
	if t == nil {
		t = c.empty(typ)
		c.tables[typ] = t
	}
	c.clock++
	t.used = c.clock
	return t
}

func (c *columns) empty(typ string) *table {
	return &table{typ: typ, seeds: &c.seeds, distinct: c.distinct, minWorn: c.minWorn}
}

// fit drops the tables that were not used for longest while all are too large, with one that is to take the
// place of another. A table that is too large on its own loses the columns that nothing needs now, or is given up.
func (c *columns) fit(t *table, need *needs) {
	t.bytes.Store(t.size())
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		sum, oldest := int64(0), (*table)(nil)
		if c.tables[t.typ] != t {
			sum = t.bytes.Load()
		}
		for _, other := range c.tables {
			sum += other.bytes.Load()
			if other != t && other.bytes.Load() > 0 && (oldest == nil || other.used < oldest.used) {
				oldest = other
			}
		}
		switch {
		case sum <= c.bytes:
			return
		case oldest == nil:
			t.large = len(t.cols) <= len(need.params)
			t.reset()
			return
		}
		oldest.bytes.Store(0)
		c.tables[oldest.typ] = c.empty(oldest.typ)
	}
}

// Reset drops what the Searcher has kept about versions, because their Values have changed.
func (s *Searcher) Reset() {
	s.columns.mu.Lock()
	defer s.columns.mu.Unlock()
	s.columns.tables = map[string]*table{}
}

const (
	// maxShare is the number of versions that one search reads to build a table or a column.
	maxShare = 20_000
	// buildShare is the number that Build reads before it gives way to requests.
	buildShare = 2_048
	// maxBehind is columns.far. Build reads so many at a time.
	maxBehind = 50_000
	// maxAwait is columns.await.
	maxAwait = time.Second
	// minDistinctExact is columns.distinct.
	minDistinctExact = 256
	// minWorn is columns.minWorn.
	minWorn = 1024
	// columnBatch is the number of records that are loaded at a time.
	columnBatch = 512
)

// table has a row for each version of a type that was visible when the table was built, or was written
// later, in the order of Seq.
type table struct {
	typ      string
	seeds    *[2]maphash.Seed
	distinct int // as in columns
	minWorn  int // superseded rows of which a table may have more than others
	used     int // see columns.clock
	bytes    atomic.Int64
	busy     atomic.Bool  // it is being built; searches go through the index meanwhile
	paid     atomic.Int64 // effort of searches that did without it; see columnar.pay
	price    atomic.Int64 // effort of building it, when it was counted last
	pricing  atomic.Bool  // it is being counted

	mu    sync.RWMutex
	large bool      // it does not fit in memory
	epoch int       // counts resets
	whole bool      // all versions of the state in which building began have been read
	built bool      // those up to state, too
	far   bool      // more are new than a search reads
	heir  *table    // is built to take its place
	state index.Seq // the state of the store that the table has
	floor index.Seq // the first state that the table can answer for
	first index.Seq // the first version in the index; see columns.forgotten
	next  index.Seq // the last version that was read while building
	last  index.Seq // the last version that was added

	seqs  []index.Seq
	live  bitmap               // rows that are visible in the state
	dead  []death              // rows that ceased to be, in the order of until
	rows  map[[2]uint64]uint32 // live rows by hashes of the id
	cols  map[uint32]*column   // by number of the parameter
	sort  map[orderKey]*ordering
	exact map[uint32]*exact // by number of the parameter

	links links
	known answers
}

// death is a row whose version was superseded.
type death struct {
	row   uint32
	until index.Seq
	id    [2]uint64
}

// orderKey identifies an order: by the least value of a parameter, or the greatest.
type orderKey struct {
	number   uint32
	greatest bool
}

// reset empties a table. It must be locked.
func (t *table) reset() {
	t.epoch++
	t.whole, t.built, t.far, t.state, t.floor, t.next, t.first, t.last, t.heir = false, false, false, 0, 0, 0, 0, 0, nil
	t.seqs, t.live, t.dead, t.rows, t.cols, t.sort, t.exact = nil, nil, nil, nil, nil, nil, nil
	t.bytes.Store(0)
	t.links.of, t.known.of = nil, nil
}

// has reports whether a table has everything that is needed, and with ready whether it can answer for
// a state. It must be locked.
func (t *table) has(need *needs, ready bool, at index.Seq) bool {
	n := len(t.seqs)
	for _, p := range need.params {
		if c := t.cols[p.Number]; c == nil || ready && (len(c.ids) < n || at < c.floor) {
			return false
		}
	}
	for _, k := range need.orders {
		if o := t.sort[k]; o == nil || ready && o.rows < n {
			return false
		}
	}
	for _, number := range need.exact {
		if c := t.cols[number]; len(c.ends) > t.distinct && (t.exact[number] == nil || ready && len(t.exact[number].former) < n) {
			return false
		}
	}
	return t.built && (!ready || t.floor <= at && at <= t.state)
}

// size returns the memory of a table in bytes, about.
func (t *table) size() int64 {
	const row, rowOfMap = 8 + maxAnswers/8, 36
	n := int64(row*cap(t.seqs)+rowOfMap*len(t.rows)+32*cap(t.dead)) + t.links.size()
	for _, c := range t.cols {
		n += c.size()
	}
	for _, o := range t.sort {
		n += int64(4*cap(o.ids) + 8*cap(o.ranks) + 4*cap(o.perm))
	}
	for _, e := range t.exact {
		n += e.size()
	}
	return n
}

// visible returns the rows that were visible in a state. The table must be ready for it.
func (t *table) visible(at index.Seq) bitmap {
	rows := slices.Clone(t.live)
	if at == t.state {
		return rows
	}
	for i := len(t.dead) - 1; i >= 0 && t.dead[i].until > at; i-- {
		rows.set(t.dead[i].row)
	}
	n, _ := slices.BinarySearch(t.seqs, at+1)
	rows.truncate(n)
	return rows
}
