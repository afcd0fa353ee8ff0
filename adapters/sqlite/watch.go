package sqlite

import (
	"context"
	"time"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// Store is a resources.Store with all abilities.
type Store struct {
	*sqlstore.Store
	opened index.Seq // the last version when it was opened
}

var _ resources.Watcher = (*Store)(nil)

// pollEvery is how often Watch looks whether another process has written.
const pollEvery = time.Second

// newStore makes a store on a file whose tables are migrated.
func newStore(ctx context.Context, address string, readOnly bool) (*Store, error) {
	s := &Store{Store: sqlstore.New(newDatabase(address, readOnly, readers()))}
	last, err := s.Last(ctx)
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	s.opened = last
	return s, nil
}

// Watch calls fn with the keys of what was written since the store was opened, and goes on
// until ctx ends, whose error it returns. It looks every second.
func (s *Store) Watch(ctx context.Context, types []string, fn func(keys []resources.Key)) error {
	return s.Follow(ctx, types, s.opened, func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
			return nil
		}
	}, fn)
}
