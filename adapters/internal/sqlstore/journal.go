package sqlstore

import (
	"context"

	"github.com/roget-health/roget/resources"
)

// Journal returns the records of a journal after a number.
func (s *Store) Journal(ctx context.Context, name string, after int64) ([]resources.JournalRecord, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	records, err := s.db.Journal(ctx, name, after)
	return records, s.failure(err)
}

// AppendJournal adds a record to a journal.
func (s *Store) AppendJournal(ctx context.Context, a resources.JournalAppend) (number int64, err error) {
	err = s.submit(ctx, request{}, func(t *transaction) (err error) {
		number, err = t.appendJournal(ctx, &a)
		return err
	})
	if err != nil {
		return 0, err
	}
	return number, nil
}

func (t *transaction) appendJournal(ctx context.Context, a *resources.JournalAppend) (int64, error) {
	if err := t.check(ctx); err != nil {
		return 0, err
	}
	ctx = context.WithoutCancel(ctx) // the statements also concern the other jobs of the group
	w := t.group.w
	last, err := w.JournalLast(ctx, a.Name)
	if err != nil {
		return 0, t.recordFailure(err)
	}
	number, err := a.Next(last, func() (int, error) {
		n, err := w.JournalNames(ctx)
		return n, t.recordFailure(err)
	})
	if err != nil {
		return 0, err
	}
	if err := t.recordFailure(t.group.insert(ctx)); err != nil { // before the savepoint
		return 0, err
	}
	if err := t.save(ctx); err != nil {
		return 0, err
	}
	if a.Restart && last > 0 {
		if err := t.recordFailure(w.ClearJournal(ctx, a.Name)); err != nil {
			return 0, err
		}
	}
	return number, t.recordFailure(w.InsertJournal(ctx, a.Name, number, a.Body))
}
