package sqlite

import (
	"bytes"
	"context"

	"github.com/roget-health/roget/resources"
)

const (
	selectJournal      = `SELECT number, body FROM journal WHERE name = ? AND number > ? ORDER BY number`
	selectJournalLast  = `SELECT coalesce(max(number), 0) FROM journal WHERE name = ?`
	selectJournalNames = `SELECT count(DISTINCT name) FROM journal`
	deleteJournal      = `DELETE FROM journal WHERE name = ?`
	insertJournal      = `INSERT INTO journal (name, number, body) VALUES (?, ?, ?)`
)

// Journal returns the records of a journal after a number.
func (d *database) Journal(ctx context.Context, name string, after int64) ([]resources.JournalRecord, error) {
	c, err := d.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer d.release(c)
	s, err := c.prepare(selectJournal)
	if err != nil {
		return nil, err
	}
	defer s.release()
	s.bindText(1, name)
	s.bindInt(2, after)
	var records []resources.JournalRecord
	for {
		row, err := s.step()
		if err != nil || !row {
			return records, err
		}
		records = append(records, resources.JournalRecord{Number: s.int(0), Body: bytes.Clone(s.bytes(1))})
		if len(records)%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
}

// JournalLast returns the number of the last record of a journal.
func (w *writer) JournalLast(_ context.Context, name string) (last int64, err error) {
	err = w.withStatement(selectJournalLast, func(s *statement) error {
		s.bindText(1, name)
		_, err := s.step()
		last = s.int(0)
		return err
	})
	return last, err
}

// JournalNames returns the number of journals.
func (w *writer) JournalNames(context.Context) (names int, err error) {
	err = w.withStatement(selectJournalNames, func(s *statement) error {
		_, err := s.step()
		names = int(s.int(0))
		return err
	})
	return names, err
}

// ClearJournal removes all records of a journal.
func (w *writer) ClearJournal(_ context.Context, name string) error {
	return w.withStatement(deleteJournal, func(s *statement) error {
		s.bindText(1, name)
		return s.run()
	})
}

// InsertJournal adds a record to a journal.
func (w *writer) InsertJournal(_ context.Context, name string, number int64, body []byte) error {
	return w.withStatement(insertJournal, func(s *statement) error {
		s.bindText(1, name)
		s.bindInt(2, number)
		s.bindBytes(3, body)
		return s.run()
	})
}
