package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// watchPause is the delay after a database error in Follow.
const watchPause = 2 * time.Second

// Follow calls fn with the keys of versions written after a point, type by type, until ctx ends.
// It returns the error of ctx. Between two reads it waits for await to return; after an error it
// retries with a delay. It misses nothing, because versions are committed in the order of their
// Seq.
func (s *Store) Follow(ctx context.Context, types []string, last index.Seq, await func(ctx context.Context) error, fn func([]resources.Key)) error {
	for {
		keys, at, err := s.writtenAfter(ctx, types, last)
		if err == nil {
			if len(keys) > 0 {
				fn(keys)
			}
			last = at
			err = await(ctx)
		}
		if s.ready(ctx) != nil {
			return s.ready(ctx)
		}
		if err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-s.closing:
		case <-time.After(watchPause):
		}
	}
}

// writtenAfter returns the keys of versions written after a point, oldest first, and the point it
// has read up to.
func (s *Store) writtenAfter(ctx context.Context, types []string, last index.Seq) (keys []resources.Key, at index.Seq, err error) {
	err = s.view(ctx, func(r Reader) error {
		if at = r.At(); at <= last {
			return nil
		}
		for _, typ := range types {
			records, err := r.Versions(ctx, index.VersionsRequest{Type: typ, Since: last + 1})
			if err != nil {
				return err
			}
			for _, record := range slices.Backward(records) {
				keys = append(keys, resources.Key{Type: record.Type, ID: record.ID})
			}
		}
		return nil
	})
	return keys, at, err
}

// Open returns the Seq of the last version, and reads what the store must know about its database
// before it is used.
func (s *Store) Open(ctx context.Context) (last index.Seq, err error) {
	err = s.view(ctx, func(r Reader) error {
		last = r.At()
		return nil
	})
	if err == nil {
		err = s.loadSums(ctx)
	}
	return last, err
}
