package main

import (
	"context"

	"github.com/roget-health/roget/resources"
)

var _ resources.Historian = (*Store)(nil)

// ReadVersion returns one version of a resource.
func (s *Store) ReadVersion(ctx context.Context, key resources.Key, versionID int64) (resources.Version, error) {
	now, err := s.now(ctx)
	if err != nil {
		return resources.Version{}, err
	}
	all := now.of(key)
	switch {
	case len(all) == 0:
		return resources.Version{}, resources.NotFound(key)
	case versionID < 1 || versionID > int64(len(all)):
		return resources.Version{}, resources.VersionNotFound(key, versionID)
	}
	return orGone(all[versionID-1])
}

// History returns all versions of a resource, newest first.
func (s *Store) History(ctx context.Context, key resources.Key) ([]resources.Version, error) {
	now, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	all := now.of(key)
	if len(all) == 0 {
		return nil, resources.NotFound(key)
	}
	history := make([]resources.Version, len(all))
	for i, v := range all {
		history[len(all)-1-i] = v.Version
	}
	return history, nil
}
