package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/roget-health/roget/resources"
)

const (
	selectForWrite = `SELECT version_id, last_updated, deleted FROM resource WHERE type = $1 AND id = $2`

	insertVersion = `INSERT INTO resource_version (type, id, version_id, last_updated, deleted, body)
VALUES ($1, $2, $3, $4, $5, $6)`

	upsertCurrent = `INSERT INTO resource (type, id, version_id, last_updated, deleted)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (type, id) DO UPDATE SET
version_id = excluded.version_id, last_updated = excluded.last_updated, deleted = excluded.deleted`
)

// attempts bounds how often a transaction is run again because another writer was faster.
const attempts = 20

// Write adds a version in one transaction.
func (s *Store) Write(ctx context.Context, w resources.Write) (resources.Version, error) {
	if err := s.ready(ctx); err != nil {
		return resources.Version{}, err
	}
	var v resources.Version
	var err error
	for n := range attempts {
		if v, err = s.attempt(ctx, &w); err == nil || !faster(err) {
			return v, err
		}
		select {
		case <-ctx.Done():
			return resources.Version{}, ctx.Err()
		case <-time.After(time.Duration(n*n) * time.Millisecond):
		}
	}
	return resources.Version{}, fmt.Errorf("%s: other writers were faster %d times: %w", w.Key, attempts, err)
}

func (s *Store) attempt(ctx context.Context, w *resources.Write) (resources.Version, error) {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return resources.Version{}, err
	}
	defer tx.Rollback() // does nothing after Commit

	current, err := s.current(ctx, tx, w.Key)
	if err != nil {
		return resources.Version{}, err
	}
	next, _, err := w.Next(current, time.Now(), 0)
	if err != nil {
		return next, err
	}
	deleted := 0
	if next.Deleted {
		deleted = 1
	}
	ms := next.LastUpdated.UnixMilli()
	if _, err := tx.ExecContext(ctx, insertVersion, w.Type, w.ID, next.VersionID, ms, deleted, next.Body); err != nil {
		return resources.Version{}, err
	}
	if _, err := tx.ExecContext(ctx, upsertCurrent, w.Type, w.ID, next.VersionID, ms, deleted); err != nil {
		return resources.Version{}, err
	}
	if err := tx.Commit(); err != nil {
		return resources.Version{}, err
	}
	return next, nil
}

// current gives the current version without its body; VersionID 0 when there is none.
func (s *Store) current(ctx context.Context, tx *sql.Tx, key resources.Key) (resources.Version, error) {
	v := resources.Version{Key: key}
	var ms int64
	err := tx.QueryRowContext(ctx, selectForWrite+" FOR UPDATE", key.Type, key.ID).
		Scan(&v.VersionID, &ms, &v.Deleted)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return resources.Version{}, nil
	case err != nil:
		return resources.Version{}, err
	}
	v.LastUpdated = time.UnixMilli(ms).UTC()
	return v, nil
}
