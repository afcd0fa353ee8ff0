package search

// This file fills tables of columns and brings them up to date.

import (
	"context"
	"hash/maphash"
	"slices"

	"github.com/roget-health/roget/resources/index"
)

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
