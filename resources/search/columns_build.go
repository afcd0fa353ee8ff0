package search

import (
	"context"
	"errors"
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
		c.wants[t] = &needs{}
	}
	c.wants[t].merge(need)
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return true
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
	for t, need := range c.wants {
		if c.tables[t.typ] == t {
			return t, &needs{slices.Clone(need.params), slices.Clone(need.orders), slices.Clone(need.exact)}
		}
		delete(c.wants, t) // it was dropped
	}
	return nil, nil
}

// given ends what was wanted of a table, unless more was wanted meanwhile.
func (c *columns) given(t *table, need *needs) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.wants[t]; w != nil && w.count() == need.count() {
		delete(c.wants, t)
	}
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
// view, and slower while searches run. Without it each search reads a part. After an error, of which failed
// is told, it waits before it continues where it was.
func (s *Searcher) Build(ctx context.Context, view func(ctx context.Context, fn func(r index.Reader) error) error, failed func(typ string, err error)) {
	c := &s.columns
	c.mu.Lock()
	c.builds++
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.builds--; c.builds == 0 {
			clear(c.wants)
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
		case err == nil && s.searches.Load() > 0:
			pause *= 8
			fallthrough
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
func (t *table) step(ctx context.Context, r *run, need *needs) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.large && r.reader.At() > 0 {
		epoch := t.epoch
		if err := t.advance(ctx, r, need, &work{share: r.searcher.columns.step, apart: true}); err != nil {
			return err
		}
		if t.epoch != epoch && !t.large {
			return errReset
		}
		if !t.large && !t.complete(need) {
			return nil
		}
	}
	r.searcher.columns.given(t, need)
	return nil
}
