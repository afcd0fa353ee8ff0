// Package memory is a resources.Store that lives as long as the process: for tests, for
// trying things out, and for servers whose content comes from files alone. It keeps all
// versions. Everything is gone when the process ends.
package memory

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roget-health/roget/resources"
)

// Store keeps versions in a map. The zero value is not usable; see New.
type Store struct {
	mu     sync.RWMutex
	closed bool
	// versions of a key, oldest first: version n is at n-1.
	versions map[resources.Key][]resources.Version
}

var (
	_ resources.Store     = (*Store)(nil)
	_ resources.Historian = (*Store)(nil)
)

// New makes an empty store.
func New() *Store {
	return &Store{versions: make(map[resources.Key][]resources.Version)}
}

// Read gives the current version.
func (s *Store) Read(ctx context.Context, key resources.Key) (resources.Version, error) {
	all, err := s.all(ctx, key)
	if err != nil {
		return resources.Version{}, err
	}
	return orGone(all[len(all)-1])
}

// ReadVersion gives one version.
func (s *Store) ReadVersion(ctx context.Context, key resources.Key, versionID int64) (resources.Version, error) {
	all, err := s.all(ctx, key)
	if err != nil {
		return resources.Version{}, err
	}
	if versionID < 1 || versionID > int64(len(all)) {
		return resources.Version{}, resources.VersionNotFound(key, versionID)
	}
	return orGone(all[versionID-1])
}

// History gives all versions, newest first.
func (s *Store) History(ctx context.Context, key resources.Key) ([]resources.Version, error) {
	all, err := s.all(ctx, key)
	if err != nil {
		return nil, err
	}
	history := slices.Clone(all)
	slices.Reverse(history)
	return history, nil
}

// all gives the versions of a key, at least one, oldest first. The slice only ever
// grows behind what is returned, so it may be read without the lock.
func (s *Store) all(ctx context.Context, key resources.Key) ([]resources.Version, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, resources.ErrClosed
	}
	all := s.versions[key]
	if len(all) == 0 {
		return nil, resources.NotFound(key)
	}
	return all, nil
}

func orGone(v resources.Version) (resources.Version, error) {
	if v.Deleted {
		return v, resources.Gone(v.Key)
	}
	return v, nil
}

// Write appends a version. Writers take turns, also while one renders.
func (s *Store) Write(ctx context.Context, w resources.Write) (resources.Version, error) {
	if err := ctx.Err(); err != nil {
		return resources.Version{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return resources.Version{}, resources.ErrClosed
	}
	all := s.versions[w.Key]
	var current resources.Version // VersionID 0: none
	if len(all) > 0 {
		current = all[len(all)-1]
	}
	next, err := w.Next(current, time.Now())
	if err != nil {
		return next, err
	}
	s.versions[w.Key] = append(all, next)
	return next, nil
}

// Each calls fn for the current versions of a type.
func (s *Store) Each(ctx context.Context, typ string, fn func(resources.Version) error) error {
	current, err := s.current(ctx, typ)
	if err != nil {
		return err
	}
	for _, v := range current {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(v); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) current(ctx context.Context, typ string) ([]resources.Version, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, resources.ErrClosed
	}
	var current []resources.Version
	for all := range maps.Values(s.versions) {
		if v := all[len(all)-1]; v.Type == typ && !v.Deleted {
			current = append(current, v)
		}
	}
	slices.SortFunc(current, func(a, b resources.Version) int { return strings.Compare(a.ID, b.ID) })
	return current, nil
}

// Close empties the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.versions = nil
	return nil
}
