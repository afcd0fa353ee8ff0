package postgres

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/resources"
)

// Store is a resources.Store in an SQL database.
type Store struct {
	write, read *sql.DB
	closed      atomic.Bool
}

var (
	_ resources.Store     = (*Store)(nil)
	_ resources.Historian = (*Store)(nil)
)

// New makes a store on migrated tables. write and read may be the same, and are closed
// with the store.
func newStore(write, read *sql.DB) *Store {
	return &Store{write: write, read: read}
}

const (
	selectCurrent = `SELECT r.version_id, r.last_updated, r.deleted, v.body
FROM resource r JOIN resource_version v ON v.type = r.type AND v.id = r.id AND v.version_id = r.version_id
WHERE r.type = $1 AND r.id = $2`

	selectVersion = `SELECT version_id, last_updated, deleted, body
FROM resource_version WHERE type = $1 AND id = $2 AND version_id = $3`

	selectHistory = `SELECT version_id, last_updated, deleted, body
FROM resource_version WHERE type = $1 AND id = $2 ORDER BY version_id DESC`

	selectEach = `SELECT r.id, r.version_id, r.last_updated, r.deleted, v.body
FROM resource r JOIN resource_version v ON v.type = r.type AND v.id = r.id AND v.version_id = r.version_id
WHERE r.type = $1 AND r.deleted = 0 ORDER BY r.id`
)

// Read gives the current version.
func (s *Store) Read(ctx context.Context, key resources.Key) (resources.Version, error) {
	if err := s.ready(ctx); err != nil {
		return resources.Version{}, err
	}
	v, err := scan(key, s.read.QueryRowContext(ctx, selectCurrent, key.Type, key.ID))
	if errors.Is(err, sql.ErrNoRows) {
		return resources.Version{}, resources.NotFound(key)
	}
	return orGone(v, err)
}

// ReadVersion gives one version.
func (s *Store) ReadVersion(ctx context.Context, key resources.Key, versionID int64) (resources.Version, error) {
	if err := s.ready(ctx); err != nil {
		return resources.Version{}, err
	}
	v, err := scan(key, s.read.QueryRowContext(ctx, selectVersion, key.Type, key.ID, versionID))
	if !errors.Is(err, sql.ErrNoRows) {
		return orGone(v, err)
	}
	if _, err := s.Read(ctx, key); err != nil && !errors.Is(err, resources.ErrGone) {
		return resources.Version{}, err
	}
	return resources.Version{}, resources.VersionNotFound(key, versionID)
}

// History gives all versions, newest first.
func (s *Store) History(ctx context.Context, key resources.Key) ([]resources.Version, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	rows, err := s.read.QueryContext(ctx, selectHistory, key.Type, key.ID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var history []resources.Version
	for rows.Next() {
		v, err := scan(key, rows)
		if err != nil {
			return nil, err
		}
		history = append(history, v)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(history) == 0 {
		return nil, resources.NotFound(key)
	}
	return history, nil
}

// Each calls fn for the current versions of a type. One body is in memory at a time.
func (s *Store) Each(ctx context.Context, typ string, fn func(resources.Version) error) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	rows, err := s.read.QueryContext(ctx, selectEach, typ)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		v, err := scan(resources.Key{Type: typ}, rows, &id)
		if err != nil {
			return err
		}
		v.ID = id
		if err := fn(v); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Close closes the database.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	err := s.read.Close()
	if s.write != s.read {
		err = errors.Join(err, s.write.Close())
	}
	return err
}

func (s *Store) ready(ctx context.Context) error {
	if s.closed.Load() {
		return resources.ErrClosed
	}
	return ctx.Err()
}

type row interface{ Scan(dest ...any) error }

// scan reads what is before version_id, then version_id, last_updated, deleted, body.
func scan(key resources.Key, r row, before ...any) (resources.Version, error) {
	v := resources.Version{Key: key}
	var ms int64
	if err := r.Scan(append(before, &v.VersionID, &ms, &v.Deleted, &v.Body)...); err != nil {
		return resources.Version{}, err
	}
	if v.Body == nil && !v.Deleted {
		v.Body = []byte{} // some drivers do not tell empty from null
	}
	v.LastUpdated = time.UnixMilli(ms).UTC()
	return v, nil
}

func orGone(v resources.Version, err error) (resources.Version, error) {
	if err == nil && v.Deleted {
		err = resources.Gone(v.Key)
	}
	return v, err
}
