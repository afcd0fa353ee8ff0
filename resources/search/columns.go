package search

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// columns keeps the values of parameters in the order of versions, a table for each type, so that
// searches with many matches load the records of their page only. A version never changes and later
// ones have a greater Seq, so a table is brought up to date by reading what is new.
type columns struct {
	bytes     int64  // bound
	forgotten string // the type whose resources the store may remove without a trace, "" for none
	seeds     [2]maphash.Seed

	mu     sync.Mutex
	tables map[string]*table
	clock  int
}

// of returns the table of a type.
func (c *columns) of(typ string) *table {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tables[typ]
	if t == nil {
		t = &table{typ: typ, seeds: &c.seeds}
		c.tables[typ] = t
	}
	c.clock++
	t.used = c.clock
	return t
}

// fit drops the tables that were not used for longest while all are too large. A table that is too
// large on its own loses the columns that nothing needs now, or is given up.
func (c *columns) fit(t *table, need *needs) {
	t.bytes.Store(t.size())
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		sum, oldest := int64(0), (*table)(nil)
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
		c.tables[oldest.typ] = &table{typ: oldest.typ, seeds: &c.seeds}
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
	// maxBehind is the number of new versions beyond which a table is built anew.
	maxBehind = 50_000
	// columnBatch is the number of records that are loaded at a time.
	columnBatch = 512
)

// table has a row for each version of a type that was visible when the table was built, or was written
// later, in the order of Seq.
type table struct {
	typ   string
	seeds *[2]maphash.Seed
	used  int // see columns.clock
	bytes atomic.Int64
	busy  atomic.Bool // it is being built; searches go through the index meanwhile

	mu    sync.RWMutex
	large bool      // it does not fit in memory
	built bool      // all versions up to state have been read
	state index.Seq // the state of the store that the table has
	floor index.Seq // the first state that the table can answer for
	first index.Seq // the first version in the index; see columns.forgotten
	next  index.Seq // the last version that was read while building
	last  index.Seq // the last version that was added

	seqs []index.Seq
	live bitmap               // rows that are visible in the state
	dead []death              // rows that ceased to be, in the order of until
	wipe int                  // how often the table was emptied
	rows map[[2]uint64]uint32 // live rows by hashes of the id
	cols map[uint32]*column   // by number of the parameter
	sort map[orderKey]*ordering

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
	t.built, t.state, t.floor, t.next, t.first, t.last = false, 0, 0, 0, 0, 0
	t.seqs, t.live, t.dead, t.rows, t.cols, t.sort = nil, nil, nil, nil, nil, nil
	t.bytes.Store(0)
	t.wipe++
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
	return t.built && (!ready || t.floor <= at && at <= t.state)
}

// needs is what a search needs of a table.
type needs struct {
	params []*definitions.SearchParam
	orders []orderKey
}

func (n *needs) add(p *definitions.SearchParam) {
	if !slices.Contains(n.params, p) {
		n.params = append(n.params, p)
	}
}

// prepare brings a table up to the state of a reader. It reads maxShare versions at most, so that
// several searches may be needed until the table is ready.
func (t *table) prepare(ctx context.Context, r *run, need *needs) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.large || r.reader.At() == 0 {
		return nil
	}
	if !t.has(need, false, 0) {
		t.busy.Store(true)
		defer t.busy.Store(false)
	}
	if t.cols == nil {
		t.state = r.reader.At()
		t.rows, t.cols, t.sort = map[[2]uint64]uint32{}, map[uint32]*column{}, map[orderKey]*ordering{}
	}
	for _, p := range need.params {
		if t.cols[p.Number] == nil {
			t.cols[p.Number] = newColumn(p, t.seeds[0])
		}
	}
	defer r.searcher.columns.fit(t, need)
	share := maxShare
	if err := t.build(ctx, r, &share); err != nil || !t.built {
		return err
	}
	if err := t.catchUp(ctx, r); err != nil || !t.built {
		return err
	}
	if len(t.dead) > max(1024, len(t.seqs)/2) || len(t.seqs) > 1<<31 {
		t.reset()
		return nil
	}
	if err := t.fill(ctx, r, need, &share); err != nil {
		return err
	}
	for _, k := range need.orders {
		c := t.cols[k.number]
		if c == nil || len(c.ids) < len(t.seqs) {
			continue
		}
		if t.sort[k] == nil {
			t.sort[k] = &ordering{column: c, greatest: k.greatest}
		}
		t.sort[k].extend()
	}
	return nil
}

// build reads the versions that are visible in the state in which building began.
func (t *table) build(ctx context.Context, r *run, share *int) error {
	for !t.built && *share > 0 {
		rng := index.TypeRange(t.typ)
		if t.next > 0 {
			rng.After, rng.AfterSeq = rng.From, t.next
		}
		var seqs []index.Seq
		err := r.scan(ctx, rng, func(_ []byte, seq index.Seq) bool {
			if t.first == 0 {
				t.first = seq
			}
			seqs = append(seqs, seq)
			return len(seqs) < columnBatch
		})
		if err != nil {
			return err
		}
		records, err := r.load(ctx, seqs, index.WithValues)
		if err != nil {
			return err
		}
		for i := range records {
			if rec := &records[i]; rec.VisibleAt(t.state) && rec.Type == t.typ {
				row := len(t.seqs)
				t.add(news{rec.Seq, t.hash(rec.ID), false})
				for _, c := range t.cols {
					if len(c.ids) == row {
						c.add(c.of(rec))
					}
				}
			}
			records[i].Forget(ctx)
		}
		*share -= len(seqs)
		if len(seqs) < columnBatch {
			t.built, t.floor = true, r.reader.At()
			break
		}
		t.next = seqs[len(seqs)-1]
	}
	return nil
}

// news is a version that a table does not have yet.
type news struct {
	seq     index.Seq
	id      [2]uint64
	deleted bool
}

// hash returns 128 bits that stand for an id. Clients cannot choose ids with equal ones, for the seeds
// are random.
func (t *table) hash(id string) [2]uint64 {
	return [2]uint64{maphash.String(t.seeds[0], id), maphash.String(t.seeds[1], id)}
}

// catchUp adds the versions that were written since the state of the table, deletions included. It
// empties the table if the last version is gone: a database that took over may lack the last writes.
func (t *table) catchUp(ctx context.Context, r *run) error {
	if t.state >= r.reader.At() {
		return nil
	}
	var all []news
	since := max(t.last, 1)
	for before := index.Seq(0); ; {
		records, err := r.reader.Versions(ctx, index.VersionsRequest{Type: t.typ, Since: since, Before: before, Limit: 1000})
		if err != nil {
			return err
		}
		for i := range records {
			all = append(all, news{records[i].Seq, t.hash(records[i].ID), records[i].Deleted})
		}
		if len(records) < 1000 {
			break
		}
		if len(all) > maxBehind {
			t.reset()
			return nil
		}
		before = records[len(records)-1].Seq
	}
	if t.last > 0 {
		n := len(all) - 1
		if n < 0 || all[n].seq != t.last {
			t.reset()
			return nil
		}
		all = all[:n]
	}
	for _, n := range slices.Backward(all) {
		t.add(n)
	}
	t.state = r.reader.At()
	return nil
}

func (t *table) add(n news) {
	t.last = n.seq
	if row, found := t.rows[n.id]; found {
		t.live.clear(row)
		t.dead = append(t.dead, death{row, n.seq, n.id})
		delete(t.rows, n.id)
	}
	if n.deleted {
		return
	}
	row := uint32(len(t.seqs))
	t.seqs = append(t.seqs, n.seq)
	if int(row/64) == len(t.live) {
		t.live = append(t.live, 0)
	}
	t.live.set(row)
	t.rows[n.id] = row
}

// fill reads the values of the rows that columns lack, those of all columns that lack the same.
func (t *table) fill(ctx context.Context, r *run, need *needs, share *int) error {
	for *share > 0 {
		from := len(t.seqs)
		for _, p := range need.params {
			from = min(from, len(t.cols[p.Number].ids))
		}
		if from == len(t.seqs) {
			return nil
		}
		to := min(from+columnBatch, len(t.seqs))
		var seqs []index.Seq
		for row := from; row < to; row++ {
			if t.live.has(uint32(row)) {
				seqs = append(seqs, t.seqs[row])
			}
		}
		records, err := r.load(ctx, seqs, index.WithValues)
		if err != nil {
			return err
		}
		for _, c := range t.cols {
			if len(c.ids) != from {
				continue
			}
			if len(seqs) < to-from { // what the others had is not known
				c.floor = max(c.floor, t.state)
			}
			next := 0
			for row := from; row < to; row++ {
				var encoded []byte
				if t.live.has(uint32(row)) {
					encoded = c.of(&records[next])
					next++
				}
				c.add(encoded)
			}
		}
		for i := range records {
			records[i].Forget(ctx)
			if records[i].Seq == 0 {
				t.reset() // the store has removed a resource
				return nil
			}
		}
		*share -= to - from
	}
	return nil
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
