package sqlstore

import (
	"context"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// Limits of the rows that a group buffers before it inserts them.
const (
	maxBufferedRows  = 4096
	maxBufferedBytes = 8 << 20
)

// group is a database transaction that several jobs share. Their writes are buffered until a job
// reads, the buffer is full, or the group ends. This way many rows are inserted at once in the
// order of the tables, and a job that fails before needs no rollback.
type group struct {
	w       Writer
	trust   *trust
	lastSeq index.Seq
	rows    []Row // of successful jobs, not inserted yet
	size    int   // bytes of the buffered rows, including those of the current job
	// heads are the newest versions of the keys requested so far, without values and body. They
	// include buffered rows.
	heads   map[resources.Key]index.Record
	failure error // database error after which nothing can be committed
}

func newGroup(w Writer, trust *trust) *group {
	return &group{w: w, trust: trust, lastSeq: w.At(), heads: make(map[resources.Key]index.Record)}
}

// prefetch loads the newest versions for single writes in one query.
func (g *group) prefetch(ctx context.Context, jobs []*job) {
	var keys []resources.Key
	for _, j := range jobs {
		if _, known := g.heads[j.key]; !known && j.single != nil && (!j.known || j.again) {
			keys = append(keys, j.key)
		}
	}
	if len(keys) > 1 {
		g.failure = g.loadHeads(ctx, keys)
	}
}

// loadHeads loads the newest versions of keys that no job has written.
func (g *group) loadHeads(ctx context.Context, keys []resources.Key) error {
	records, err := g.w.Find(ctx, keys, 0)
	if err != nil {
		return err
	}
	for i, key := range keys {
		g.heads[key] = records[i]
	}
	return nil
}

// runJob runs a job. It returns the error of the job. A database error also sets failure.
func (g *group) runJob(ctx context.Context, j *job) error {
	t := &transaction{group: g, lastSeq: g.lastSeq, size: g.size, again: j.again}
	var err error
	if j.single != nil {
		err = j.runSingle(t)
	} else {
		j.turn <- t
		err = <-j.result
	}
	t.ended = true
	switch {
	case g.failure != nil:
		return g.failure
	case err == nil:
		g.lastSeq, g.size = t.lastSeq, t.size
		g.rows = append(g.rows, t.rows...)
		for key, head := range t.heads {
			g.heads[key] = head
		}
	case t.saved:
		g.size = 0
		g.failure = g.w.Undo(ctx)
	}
	return err
}

// insert inserts the rows of successful jobs.
func (g *group) insert(ctx context.Context) error {
	if len(g.rows) == 0 {
		return nil
	}
	err := g.w.Insert(ctx, g.rows)
	g.rows = nil
	return err
}

func (g *group) commit(ctx context.Context) error {
	if err := g.insert(ctx); err != nil {
		return err
	}
	return g.w.Commit(ctx)
}
