package search

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/roget-health/roget/resources/index"
)

// minBackoff and maxBackoff bound how long Build waits after an error.
const minBackoff, maxBackoff = 100 * time.Millisecond, 30 * time.Second

// errReset is the internal error of building a table that was emptied meanwhile.
var errReset = errors.New("the table was emptied")

// leave leaves it to Build to give a table what is needed, and reports whether it does. Without begin it
// only adds to what is wanted already.
func (c *columns) leave(t *table, need *needs, begin bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wants[t] == nil {
		if !begin || c.builds == 0 || c.tables[t.typ] != t {
			return false
		}
		c.wants[t] = &want{given: make(chan struct{})}
	}
	c.wants[t].merge(need)
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return true
}

// building reports whether Build runs.
func (c *columns) building() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.builds > 0
}

// firstPrice is the effort after which it is asked what a table costs.
const firstPrice = 1 << 14

// pay adds the effort of a search that went through the index to what its tables are worth. When searches
// have spent as much as a table costs, it is left to Build: all in all they take at most twice the least
// effort there could have been.
func (c *columnar) pay(ctx context.Context, effort int) error {
	columns := &c.run.searcher.columns
	for i := range c.tables {
		t := &c.tables[i]
		paid := t.paid.Add(int64(effort))
		if paid < firstPrice || c.run.at != c.full.reader.At() || !t.mu.TryRLock() {
			continue
		}
		idle, rows, price := t.large || t.has(&t.need, false, 0), len(t.seqs), 0
		if t.built {
			price = costLoad * rows
		}
		t.mu.RUnlock()
		if price == 0 && !idle {
			// One of the searches at a time asks, and not again before the price that it found is paid.
			if paid < t.price.Load() || !t.pricing.CompareAndSwap(false, true) {
				continue
			}
			var err error
			price, err = c.full.price(ctx, t.typ)
			t.pricing.Store(false)
			if err != nil {
				return err
			}
			t.price.Store(int64(price))
		}
		if idle || paid >= int64(price) {
			t.paid.Store(0)
		}
		if !idle && paid >= int64(price) {
			columns.leave(t.table, &t.need, true)
		}
	}
	return nil
}

// price returns the effort of reading all resources of a type, unbounded if they cannot be counted.
func (r *run) price(ctx context.Context, typ string) (int, error) {
	n, known, err := r.countType(ctx, typ)
	if err == nil && !known {
		return unbounded, nil
	}
	return costLoad * n, err
}

// next returns a table that something is wanted of, and that, nil if there is none.
func (c *columns) next() (*table, *needs) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for t, w := range c.wants {
		if c.tables[t.typ] == t {
			return t, &needs{slices.Clone(w.params), slices.Clone(w.orders), slices.Clone(w.exact)}
		}
		c.end(t) // it was dropped
	}
	return nil, nil
}

// given returns a channel that is closed when nothing is wanted of a table.
func (c *columns) given(t *table) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.wants[t]; w != nil {
		return w.given
	}
	none := make(chan struct{})
	close(none)
	return none
}

// give ends what was wanted of a table, unless more was wanted meanwhile.
func (c *columns) give(t *table, need *needs) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.wants[t]; w != nil && w.count() == need.count() {
		c.end(t)
	}
}

// end ends what was wanted of a table. The caller holds the lock.
func (c *columns) end(t *table) {
	close(c.wants[t].given)
	delete(c.wants, t)
}

// inherit puts a table in the place of another, unless that was dropped.
func (c *columns) inherit(t, heir *table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tables[t.typ] == t {
		heir.used = t.used
		c.tables[t.typ] = heir
	}
}

// all returns everything that a table has. It must be locked.
func (t *table) all() *needs {
	n := new(needs)
	for _, c := range t.cols {
		n.add(c.param)
	}
	n.orders = slices.Collect(maps.Keys(t.sort))
	n.exact = slices.Collect(maps.Keys(t.exact))
	return n
}

// behind returns how many rows the values that are needed lack, their orders and what leads to them. The table
// must be locked.
func (t *table) behind(need *needs) (rows int) {
	for _, p := range need.params {
		c := t.cols[p.Number]
		if c == nil {
			return len(t.seqs)
		}
		rows = max(rows, len(t.seqs)-len(c.ids))
	}
	for _, k := range need.orders {
		if o := t.sort[k]; o != nil {
			rows = max(rows, len(t.seqs)-o.rows)
		} else {
			rows = len(t.seqs)
		}
	}
	for _, number := range need.exact {
		if e := t.exact[number]; e != nil {
			rows = max(rows, len(t.seqs)-len(e.former))
		} else if len(t.cols[number].ends) > t.distinct {
			rows = len(t.seqs)
		}
	}
	return rows
}

// complete reports whether a table has all that is needed of its rows. It must be locked.
func (t *table) complete(need *needs) bool {
	return t.has(need, true, max(t.state, 1))
}

// Build builds the tables of columns that searches want, until ctx ends: one at a time, a part in each
// view. It brings those up to date that are far behind, and makes those anew that are worn. Without it each search
// reads a part. After an error, of which failed is told, it waits before it continues where it was.
func (s *Searcher) Build(ctx context.Context, view func(ctx context.Context, fn func(r index.Reader) error) error, failed func(typ string, err error)) {
	c := &s.columns
	c.mu.Lock()
	c.builds++
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.builds--; c.builds == 0 {
			for t := range c.wants {
				c.end(t)
			}
		}
	}()
	backoff := minBackoff
	for ctx.Err() == nil {
		t, need := c.next()
		if t == nil {
			select {
			case <-ctx.Done():
			case <-c.wake:
			}
			continue
		}
		start := time.Now()
		err := view(ctx, func(r index.Reader) error { return t.step(ctx, s.newRun(r, &Query{}, r.At()), need) })
		pause := time.Since(start) / 8
		switch {
		case err == nil:
			backoff = minBackoff
		case ctx.Err() == nil:
			if !errors.Is(err, errReset) {
				failed(t.typ, err)
			}
			pause = backoff
			backoff = min(2*backoff, maxBackoff)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// step reads a part of what a table lacks.
func (t *table) step(ctx context.Context, r *run, wanted *needs) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &r.searcher.columns
	if t.large || r.reader.At() == 0 {
		c.give(t, wanted)
		return nil
	}
	share := c.step
	if t.built { // searches wait for it
		share *= 8
	}
	need := t.all()
	need.merge(wanted)
	done, err := t.part(ctx, r, need, &work{share: share, step: share, apart: true})
	if err == nil && done && t.worn() {
		done, err = t.renew(ctx, r, need)
	}
	if err == nil && done {
		c.give(t, wanted)
	}
	return err
}

// part reads a part of what a table lacks, and reports whether nothing is left. The table must be locked.
func (t *table) part(ctx context.Context, r *run, need *needs, w *work) (done bool, err error) {
	epoch := t.epoch
	if err := t.advance(ctx, r, need, w); err != nil {
		return false, err
	}
	if t.epoch != epoch && !t.large {
		return false, errReset
	}
	return t.large || !t.far && t.complete(need), nil
}

// renew builds a part of a table that is to take the place of a worn one, which answers meanwhile.
func (t *table) renew(ctx context.Context, r *run, need *needs) (done bool, err error) {
	c := &r.searcher.columns
	if t.heir == nil {
		t.heir = c.empty(t.typ)
	}
	heir := t.heir
	if !heir.mu.TryLock() {
		return false, errReset // another Build is there
	}
	defer heir.mu.Unlock()
	t.mu.Unlock() // searches go on
	done, err = heir.part(ctx, r, need, &work{share: c.step, step: c.step, apart: true})
	t.mu.Lock()
	switch {
	case err != nil || !done:
	case heir.large:
		t.reset()
	default:
		c.inherit(t, heir)
	}
	return done, err
}
