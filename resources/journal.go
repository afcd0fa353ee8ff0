package resources

import (
	"context"
	"errors"
	"fmt"
)

// A Journaler is a Store that also keeps journals: named lists of records for purposes that are not
// resources, such as closure tables. Several processes may append to one journal: none loses
// anything, because each says which record it believes to be the last.
type Journaler interface {
	// Journal returns the records of a journal with a greater number than after, in ascending
	// order; none if the journal does not exist.
	Journal(ctx context.Context, name string, after int64) ([]JournalRecord, error)
	// AppendJournal adds a record, durably, and returns its number. It returns ErrConflict if
	// another record is the last, and ErrTooManyJournals; then nothing changes.
	AppendJournal(ctx context.Context, a JournalAppend) (number int64, err error)
}

// A JournalRecord is a record of a journal. Numbers begin with 1 and ascend by 1.
type JournalRecord struct {
	Number int64
	Body   []byte
}

// A JournalAppend is a record to be added to a journal.
type JournalAppend struct {
	Name string
	Body []byte
	// After is the number of the last record, 0 if the journal does not exist.
	After int64
	// Restart removes the records before this one, whichever is the last. It creates a journal
	// that does not exist, unless there are MaxNames others already; 0 means no limit.
	Restart  bool
	MaxNames int
}

// ErrTooManyJournals is returned for a new journal when there are as many as allowed.
var ErrTooManyJournals = errors.New("too many journals")

// Next returns the number of the record, given the number of the last one (0: the journal does not
// exist) and the number of journals, which is asked only if it matters. It implements the rules of
// AppendJournal that all stores share.
func (a *JournalAppend) Next(last int64, names func() (int, error)) (int64, error) {
	if !a.Restart {
		if last != a.After {
			return 0, fmt.Errorf("journal %q: %w: its last record is %d, not %d", a.Name, ErrConflict, last, a.After)
		}
		return last + 1, nil
	}
	if last == 0 && a.MaxNames > 0 {
		n, err := names()
		if err != nil {
			return 0, err
		}
		if n >= a.MaxNames {
			return 0, fmt.Errorf("%w: %d", ErrTooManyJournals, n)
		}
	}
	return last + 1, nil
}
