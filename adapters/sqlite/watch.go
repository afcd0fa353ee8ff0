package sqlite

import (
	"context"
	"time"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// Store is a resources.Store with all optional interfaces.
type Store struct {
	*sqlstore.Store
	database *database
	opened   index.Seq // the last version when it was opened
}

var _ resources.Watcher = (*Store)(nil)

// pollEvery is the interval at which Watch polls for writes of other processes.
const pollEvery = time.Second

// newStore returns a store on a migrated file.
func newStore(ctx context.Context, path, address string, readOnly bool, options ...Option) (*Store, error) {
	db := newDatabase(path, address, readOnly)
	for _, option := range options {
		option(db)
	}
	s := &Store{Store: sqlstore.New(db), database: db}
	last, err := s.Open(ctx)
	if err != nil {
		_ = s.Close()
		return nil, failed(path, err)
	}
	s.opened = last
	return s, nil
}

// Watch calls fn with the keys of versions written since the store was opened, until ctx ends,
// and returns the error of ctx. It polls every second.
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
