package sqlstore

import (
	"context"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// How much a group holds back before it is inserted.
const (
	heldRows  = 4096
	heldBytes = 8 << 20
)

// group is a transaction of the database that several jobs share. What they write is held
// back until a job reads, much is held, or all ends: many rows at once are inserted in the
// order of the tables, and a job that fails before needs no undoing.
type group struct {
	w    Writer
	last index.Seq
	rows []Row // of jobs that ended well, not inserted yet
	size int   // bytes of the rows that are held, those of the job at work too
	// heads are the newest versions of keys, without values and body, as far as they were
	// asked for; rows are counted in.
	heads  map[resources.Key]index.Record
	broken error // of the database: nothing can be committed
}

func newGroup(w Writer) *group {
	return &group{w: w, last: w.At(), heads: make(map[resources.Key]index.Record)}
}

// prefetch asks once for the newest versions of what jobs are about.
func (g *group) prefetch(ctx context.Context, jobs []*job) {
	var keys []resources.Key
	for _, j := range jobs {
		if _, known := g.heads[j.key]; !known && j.single != nil {
			keys = append(keys, j.key)
		}
	}
	if len(keys) > 1 {
		g.broken = g.learn(ctx, keys)
	}
}

// learn asks for the newest versions of keys that no job has written.
func (g *group) learn(ctx context.Context, keys []resources.Key) error {
	records, err := g.w.Find(ctx, keys, 0)
	if err != nil {
		return err
	}
	for i, key := range keys {
		g.heads[key] = records[i]
	}
	return nil
}

// give lets a job have its turn. The error is of the job; one of the database makes
// the group broken.
func (g *group) give(ctx context.Context, j *job) error {
	t := &transaction{group: g, last: g.last, size: g.size}
	var err error
	if j.single != nil {
		err = j.alone(t)
	} else {
		j.turn <- t
		err = <-j.ran
	}
	t.over = true
	switch {
	case g.broken != nil:
		return g.broken
	case err == nil:
		g.last, g.size = t.last, t.size
		g.rows = append(g.rows, t.rows...)
		for key, head := range t.heads {
			g.heads[key] = head
		}
	case t.saved:
		g.size = 0
		g.broken = g.w.Undo(ctx)
	}
	return err
}

// insert inserts the rows of jobs that ended well.
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
