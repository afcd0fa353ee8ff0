package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

const (
	// patience is how long reads wait for a query that runs before another may begin: they join where queries
	// are fast, and one that waits for the disk does not hold up the others.
	patience = time.Millisecond
	// maxReads is the number of queries for newest versions that run at once.
	maxReads = 8
	// maxTogether is the number of versions that one of them reads.
	maxTogether = 64
)

// reads joins the reads of newest versions that wait while another runs: the first of them asks for all. So
// a read costs the database a fraction of a query when there are many, and nothing waits when there are few.
type reads struct {
	mu      sync.Mutex
	running int
	slow    int // of those that run
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
func (d *database) newest(ctx context.Context, key resources.Key) (record index.Record, err error) {
	q := &d.reads
	q.mu.Lock()
	if q.admit() {
		q.mu.Unlock()
		q.timed(func() { record, err = d.queryOne(ctx, selectNewest, key.Type, key.ID) })
		return record, err
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
	if w.leads {
		q.timed(func() { record, err = d.together(ctx, append([]*waitingRead{w}, q.join()...)) })
		if err == nil || ctx.Err() != nil {
			return record, err
		}
	}
	if w.known {
		return w.record, nil
	}
	return d.queryOne(ctx, selectNewest, key.Type, key.ID)
}

// admit reports whether another query may run, and counts it. The caller holds the lock.
func (q *reads) admit() bool {
	may := q.running <= q.slow && q.running < maxReads
	if may {
		q.running++
	}
	return may
}

// timed runs an admitted query, and lets others begin when it takes long and when it ends.
func (q *reads) timed(ask func()) {
	slow, ended := 0, false
	timer := time.AfterFunc(patience, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if !ended {
			slow = 1
			q.slow++
			q.next()
		}
	})
	defer func() {
		timer.Stop()
		q.mu.Lock()
		defer q.mu.Unlock()
		ended = true
		q.slow -= slow
		q.pass()
	}()
	ask()
}

// pass ends a query. The caller holds the lock.
func (q *reads) pass() {
	q.running--
	q.next()
}

// next lets the first read that waits ask, if another query may run. The caller holds the lock.
func (q *reads) next() {
	if len(q.waiting) > 0 && q.admit() {
		w := q.waiting[0]
		q.waiting = slices.Delete(q.waiting, 0, 1)
		w.leads = true
		close(w.turn)
	}
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
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	if w.leads {
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
