package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources/index"
)

// setLongIdleTimeout is setIdleTimeout for a transaction for which nobody waits.
const setLongIdleTimeout = "SET LOCAL idle_in_transaction_session_timeout = '60s'"

// staging is a write transaction that takes the lock of the writer at its end.
type staging struct{ writer }

var _ sqlstore.Stager = (*database)(nil)

// Stage begins a transaction without the lock of the writer.
func (d *database) Stage(ctx context.Context) (sqlstore.Staging, error) {
	r, err := d.begin(ctx, d.fence.writes, "BEGIN ISOLATION LEVEL READ COMMITTED", setLongIdleTimeout)
	if err != nil {
		return nil, err
	}
	return &staging{writer{reader: *r, types: make(map[string]bool)}}, nil
}

// selectOthers is the last Seq of those outside of a range.
const selectOthers = `SELECT greatest((SELECT max(seq) FROM version WHERE seq < $1), (SELECT max(seq) FROM version WHERE seq > $2), 0), ` + fenceColumns

// Stage inserts documents, entries, and versions of fresh keys.
func (s *staging) Stage(ctx context.Context, rows []sqlstore.Row) error {
	s.documents(rows)
	s.versions(filtered(rows, true))
	return s.query(ctx, func(pgx.Rows) error { return nil }, "SELECT 1")
}

// Lock waits for the lock of the writer and returns the last Seq of those who had it.
func (s *staging) Lock(ctx context.Context, first, last index.Seq) (others index.Seq, err error) {
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	s.enqueue(setIdleTimeout)
	s.enqueue(lockTurn)
	var now fenced
	err = s.query(ctx, func(rows pgx.Rows) error { return rows.Scan((*int64)(&others), &now.mark, &now.schema) }, selectOthers, int64(first), int64(last))
	if err == nil {
		err = s.database.fence.writes(&now)
	}
	s.shared = true // others wait: from now on it ends by itself
	return others, err
}

// Finish inserts the rest of the rows that were staged.
func (s *staging) Finish(rows []sqlstore.Row) {
	s.versions(filtered(rows, false))
	s.terms(rows)
}

// filtered returns the rows that are of fresh keys, or the others.
func filtered(rows []sqlstore.Row, fresh bool) []sqlstore.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r sqlstore.Row) bool { return r.Fresh != fresh })
}
