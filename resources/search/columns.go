package search

import (
	"context"
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

// prepare brings a table up to the state of a reader. It reads columns.share versions at most, and leaves the
// rest to Build; without it several searches may be needed until the table is ready. Patient searches wait for
// Build a little if the table is only far behind.
func (t *table) prepare(ctx context.Context, r *run, need *needs, patient bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &r.searcher.columns
	left := func() bool { return (!t.built || t.far || t.behind(need) > c.share) && c.leave(t, need, t.built) }
	if t.large || r.reader.At() == 0 {
		return nil
	}
	if left() {
		waits := patient && t.has(need, false, 0) && !r.env.turn
		if !waits || !t.awaited(ctx, r) || left() {
			return nil
		}
	}
	if !t.has(need, false, 0) {
		t.busy.Store(true)
		defer t.busy.Store(false)
	}
	err := t.advance(ctx, r, need, &work{share: c.share})
	if err == nil && !t.large && !t.complete(need) && !c.leave(t, need, true) && t.far {
		t.reset() // nobody brings it up to date
	}
	return err
}

// awaited waits until Build has given a table what is wanted, and reports whether it has. One search at a time need
// not wait, and goes through the index: more of them would take the time that Build needs. The lock is free meanwhile.
func (t *table) awaited(ctx context.Context, r *run) bool {
	t.mu.Unlock()
	defer t.mu.Lock()
	c := &r.searcher.columns
	timer := time.NewTimer(c.await)
	defer timer.Stop()
	select {
	case <-c.given(t):
		return true
	case c.turn <- struct{}{}:
		r.env.turn = true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// release ends the turn of a search that went through the index.
func (r *run) release() {
	if r.env.turn {
		r.env.turn = false
		<-r.searcher.columns.turn
	}
}

// work is how much of a table is built at once.
type work struct {
	share int  // versions that may still be read
	step  int  // share at first
	apart bool // without the lock while the store is read, and in small steps
}

// worn reports whether a table has too many rows that are no longer visible. It must be locked.
func (t *table) worn() bool { return len(t.dead) > max(t.minWorn, len(t.seqs)/2) }

// advance continues to build a table and brings it up to the state of a reader. The table must be locked.
func (t *table) advance(ctx context.Context, r *run, need *needs, w *work) error {
	if t.cols == nil {
		t.state = r.reader.At()
		t.rows, t.cols, t.sort, t.exact = map[[2]uint64]uint32{}, map[uint32]*column{}, map[orderKey]*ordering{}, map[uint32]*exact{}
	}
	for _, p := range need.params {
		if t.cols[p.Number] == nil {
			t.cols[p.Number] = newColumn(p, t.seeds[0])
		}
	}
	c := &r.searcher.columns
	defer c.fit(t, need)
	if err := t.build(ctx, r, w); err != nil || !t.whole {
		return err
	}
	if err := t.catchUp(ctx, r, w); err != nil || !t.whole || t.far {
		return err
	}
	t.built = true
	if t.worn() && !c.leave(t, need, true) && !c.building() || len(t.seqs) > 1<<31 {
		t.reset()
		return nil
	}
	if err := t.fill(ctx, r, need, w); err != nil {
		return err
	}
	rows := len(t.seqs)
	if w.apart {
		rows = 8 * w.step
	}
	for _, k := range need.orders {
		if c := t.cols[k.number]; c != nil && len(c.ids) == len(t.seqs) {
			if t.sort[k] == nil {
				t.sort[k] = &ordering{column: c, greatest: k.greatest}
			}
			t.sort[k].extend(rows)
		}
	}
	for _, number := range need.exact {
		if c := t.cols[number]; c != nil && len(c.ids) == len(t.seqs) && len(c.ends) > t.distinct {
			if t.exact[number] == nil {
				t.exact[number] = &exact{column: c}
			}
			t.exact[number].extend(rows)
		}
	}
	return nil
}

// apart reads from the store, without the lock if the work says so. Then errReset means that the table
// was emptied meanwhile.
func (t *table) apart(w *work, read func() error) error {
	if !w.apart {
		return read()
	}
	epoch := t.epoch
	t.mu.Unlock()
	err := read()
	t.mu.Lock()
	if t.epoch != epoch {
		return errReset
	}
	return err
}

// build reads the versions that are visible in the state in which building began.
func (t *table) build(ctx context.Context, r *run, w *work) error {
	for !t.whole && w.share > 0 {
		batch := min(columnBatch, w.share)
		rng := index.TypeRange(t.typ)
		if t.next > 0 {
			rng.After, rng.AfterSeq = rng.From, t.next
		}
		var seqs []index.Seq
		var records []index.Record
		err := t.apart(w, func() error {
			err := r.scan(ctx, rng, func(_ []byte, seq index.Seq) bool {
				seqs = append(seqs, seq)
				return len(seqs) < batch
			})
			if err == nil {
				records, err = r.load(ctx, seqs, index.WithValues)
			}
			return err
		})
		if err != nil {
			return err
		}
		if t.first == 0 && len(seqs) > 0 {
			t.first = seqs[0]
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
		w.share -= len(seqs)
		if len(seqs) < batch {
			t.whole, t.floor = true, r.reader.At()
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

// catchUp adds the versions that were written since the state of the table, deletions included. If these are too
// many for a search, the table is far behind. It empties the table if the last version is gone: a database that
// took over may lack the last writes.
func (t *table) catchUp(ctx context.Context, r *run, w *work) error {
	far := r.searcher.columns.far
	for span := r.reader.At() - t.state; t.state < r.reader.At(); {
		last, to := t.last, min(t.state+span, r.reader.At())
		all, err := t.newer(ctx, r, to, far, w)
		switch {
		case err != nil:
			return err
		case t.last != last || t.state >= to: // a search was faster
			continue
		case len(all) > far && w.apart:
			span = max(span/2, 1)
			continue
		case len(all) > far:
			t.far = true
			return nil
		case t.last > 0:
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
		t.state = to
		if len(all) < far/4 {
			span *= 2
		}
	}
	t.far = false
	return nil
}

// newer returns the versions from the last of the table to a state, newest first, or some if there are
// too many.
func (t *table) newer(ctx context.Context, r *run, to index.Seq, far int, w *work) (all []news, err error) {
	req := index.VersionsRequest{Type: t.typ, Since: max(t.last, 1), Before: to + 1, Limit: 1000}
	for more := true; more && err == nil && len(all) <= far; {
		var records []index.Record
		err = t.apart(w, func() error {
			records, err = r.reader.Versions(ctx, req)
			return err
		})
		for i := range records {
			req.Before = records[i].Seq
			all = append(all, news{req.Before, t.hash(records[i].ID), records[i].Deleted})
		}
		more = len(records) == req.Limit
	}
	return all, err
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
func (t *table) fill(ctx context.Context, r *run, need *needs, w *work) error {
	for w.share > 0 {
		from := len(t.seqs)
		for _, p := range need.params {
			from = min(from, len(t.cols[p.Number].ids))
		}
		if from == len(t.seqs) {
			return nil
		}
		to := min(from+min(columnBatch, w.share), len(t.seqs))
		var seqs []index.Seq
		for row := from; row < to; row++ {
			if t.live.has(uint32(row)) {
				seqs = append(seqs, t.seqs[row])
			}
		}
		var records []index.Record
		err := t.apart(w, func() (err error) {
			records, err = r.load(ctx, seqs, index.WithValues)
			return err
		})
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
				if next < len(seqs) && seqs[next] == t.seqs[row] {
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
		w.share -= to - from
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
