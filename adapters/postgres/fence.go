package postgres

import (
	"fmt"
	"sync/atomic"

	"github.com/roget-health/roget/resources"
)

// fenceColumns are what a transaction finds out about other versions of the program.
const fenceColumns = `coalesce((SELECT value FROM mark WHERE name = 'index'), ''), (SELECT max(version_id) FROM goose_db_version)`

// A fence stops this program when another version of it has opened the database meanwhile. It must not
// write if the schema is newer, and neither write nor search if the search index is another one.
type fence struct {
	latest int64 // schema of this program
	index  atomic.Pointer[func(mark string) error]
	newer  atomic.Bool // the schema, when Ping last asked
}

var _ resources.Fenced = (*Store)(nil)

// Fence sets the function that judges the mark of the search index.
func (s *Store) Fence(judge func(mark string) error) { s.db.fence.index.Store(&judge) }

// fenced is what the fence judges, a row of fenceColumns.
type fenced struct {
	mark   string
	schema int64
}

func (f *fence) searches(now *fenced) error {
	if judge := f.index.Load(); judge != nil {
		return (*judge)(now.mark)
	}
	return nil
}

func (f *fence) writes(now *fenced) error {
	if now.schema > f.latest {
		return fmt.Errorf("%w (schema version %d, this version supports %d)", resources.ErrUpgraded, now.schema, f.latest)
	}
	return f.searches(now)
}
