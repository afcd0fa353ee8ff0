package postgres

import (
	"context"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

const (
	// maxReads is the number of queries for newest versions that run at once.
	maxReads = 2
	// maxTogether is the number of versions that one of them reads.
	maxTogether = 64
)

// reads joins the reads of newest versions that wait while others run: the first of them asks for all. So
// a read costs the database a fraction of a query when there are many, and nothing waits when there are few.
type reads struct {
	mu      sync.Mutex
	running int
	waiting []*waitingRead
}

// waitingRead is a read that waits. turn is closed when it has its record, or has to ask.
type waitingRead struct {
	key    resources.Key
	turn   chan struct{}
	leads  bool // it asks for itself and all who wait
	known  bool // record is the answer; else it asks for itself
	record index.Record
}

// newest returns the newest version of a key.
func (d *database) newest(ctx context.Context, key resources.Key) (index.Record, error) {
	q := &d.reads
	q.mu.Lock()
	if q.running < maxReads {
		q.running++
		q.mu.Unlock()
		defer q.pass()
		return d.queryOne(ctx, selectNewest, key.Type, key.ID)
	}
	w := &waitingRead{key: key, turn: make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	select {
	case <-w.turn:
	case <-ctx.Done():
		q.leave(w)
		return index.Record{}, ctx.Err()
	}
	switch {
	case w.leads:
		defer q.pass()
		if record, err := d.together(ctx, append([]*waitingRead{w}, q.join()...)); err == nil || ctx.Err() != nil {
			return record, err
		}
	case w.known:
		return w.record, nil
	}
	return d.queryOne(ctx, selectNewest, key.Type, key.ID)
}

// pass lets the first read that waits ask next.
func (q *reads) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.running--
		return
	}
	w := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	w.leads = true
	close(w.turn)
}

// join returns reads that wait, which then no longer do.
func (q *reads) join() []*waitingRead {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), maxTogether-1)
	joined := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return joined
}

// leave ends a wait.
func (q *reads) leave(w *waitingRead) {
	q.mu.Lock()
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	leads := w.leads
	q.mu.Unlock()
	if leads {
		q.pass()
	}
}

var selectNewestOfKeys = "SELECT " + columnsFrom(newestOfKeys, index.WithSmallBody)

// together reads for all of a group, and returns the record of the first. If that fails, each of them asks for
// itself: the caller of the first may have gone away, or the record of another be damaged.
func (d *database) together(ctx context.Context, group []*waitingRead) (index.Record, error) {
	types, ids := make([]string, len(group)), make([]string, len(group))
	for i, w := range group {
		types[i], ids[i] = w.key.Type, w.key.ID
	}
	there := make(map[resources.Key]index.Record, len(group))
	rows, err := d.pool.Query(ctx, selectNewestOfKeys, types, ids)
	if err == nil {
		err = eachRow(rows, func(rows pgx.Rows) error {
			x, err := d.record(ctx, rows, index.WithSmallBody)
			there[resources.Key{Type: x.Type, ID: x.ID}] = x
			return err
		})
	}
	for _, w := range group[1:] {
		if err == nil {
			w.record, w.known = there[w.key], true
		}
		close(w.turn)
	}
	return there[group[0].key], err
}
