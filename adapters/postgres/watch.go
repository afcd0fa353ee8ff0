package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// channel is where writers say of which types their transactions are: names with commas
// between them. It wakes who listens; what was written is read from the tables.
const channel = "roget_written"

const (
	// pollEvery is how long Watch goes without looking, should nobody wake it.
	pollEvery = 5 * time.Second
	// watchBatch is how many keys are handed on at once.
	watchBatch = 500
)

var _ resources.Watcher = (*Store)(nil)

// Watch calls fn with the keys of what was written since the store was opened, and goes on
// until ctx ends, whose error it returns. It listens to other processes, and looks every
// few seconds besides. While the database cannot be reached it tries again.
func (s *Store) Watch(ctx context.Context, types []string, fn func(keys []resources.Key)) error {
	last := s.opened
	for {
		// Errors pass: the next round begins with a new connection.
		_ = s.listen(ctx, types, &last, fn)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

// listen hands on what was written after last until an error comes.
func (s *Store) listen(ctx context.Context, types []string, last *index.Seq, fn func([]resources.Key)) error {
	pooled, err := s.db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	conn := pooled.Hijack() // it listens, so it is not for others
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if s.db.notifies {
		if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
			return err
		}
	}
	for {
		if err := s.changes(ctx, conn, types, last, fn); err != nil {
			return err
		}
		if err := await(ctx, conn, types); err != nil {
			return err
		}
	}
}

// await returns when something of one of the types was written, or it is time to look.
func await(ctx context.Context, conn *pgx.Conn, types []string) error {
	ctx, cancel := context.WithTimeout(ctx, pollEvery)
	defer cancel()
	for {
		told, err := conn.WaitForNotification(ctx)
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded) && !conn.IsClosed():
			return nil
		case err != nil:
			return err
		}
		if slices.ContainsFunc(strings.Split(told.Payload, ","), func(typ string) bool { return slices.Contains(types, typ) }) {
			return nil
		}
	}
}

// changes hands on the keys of versions after last. Versions are committed in the order of
// their Seq, so none can appear before one that was seen.
func (s *Store) changes(ctx context.Context, conn *pgx.Conn, types []string, last *index.Seq, fn func([]resources.Key)) error {
	for {
		var keys []resources.Key
		rows, err := conn.Query(ctx, `SELECT type, id, seq FROM version WHERE type = ANY($1) AND seq > $2 ORDER BY seq LIMIT $3`,
			types, int64(*last), watchBatch)
		if err != nil {
			return err
		}
		err = eachRow(rows, func(rows pgx.Rows) error {
			var key resources.Key
			err := rows.Scan(&key.Type, &key.ID, (*int64)(last))
			keys = append(keys, key)
			return err
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		fn(keys)
	}
}
