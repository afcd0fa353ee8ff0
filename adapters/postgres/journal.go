package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/resources"
)

const (
	selectJournal      = `SELECT number, body FROM journal WHERE name = $1 AND number > $2 ORDER BY number`
	selectJournalLast  = `SELECT coalesce(max(number), 0) FROM journal WHERE name = $1`
	selectJournalNames = `SELECT count(DISTINCT name) FROM journal`
	deleteJournal      = `DELETE FROM journal WHERE name = $1`
	insertJournal      = `INSERT INTO journal (name, number, body) VALUES ($1, $2, $3)`
)

// Journal returns the records of a journal after a number.
func (d *database) Journal(ctx context.Context, name string, after int64) ([]resources.JournalRecord, error) {
	rows, err := d.pool.Query(ctx, selectJournal, name, after)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r resources.JournalRecord, err error) {
		err = row.Scan(&r.Number, &r.Body)
		return r, err
	})
}

// JournalLast returns the number of the last record of a journal.
func (w *writer) JournalLast(ctx context.Context, name string) (last int64, err error) {
	err = w.query(ctx, func(rows pgx.Rows) error { return rows.Scan(&last) }, selectJournalLast, name)
	return last, err
}

// JournalNames returns the number of journals.
func (w *writer) JournalNames(ctx context.Context) (names int, err error) {
	err = w.query(ctx, func(rows pgx.Rows) error { return rows.Scan(&names) }, selectJournalNames)
	return names, err
}

// ClearJournal removes all records of a journal.
func (w *writer) ClearJournal(_ context.Context, name string) error {
	w.enqueue(deleteJournal, name)
	return nil
}

// InsertJournal adds a record to a journal.
func (w *writer) InsertJournal(_ context.Context, name string, number int64, body []byte) error {
	w.enqueue(insertJournal, name, number, body)
	return nil
}
