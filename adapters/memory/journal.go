package memory

import (
	"bytes"
	"context"
	"slices"
	"sort"

	"github.com/roget-health/roget/resources"
)

// Journal returns the records of a journal after a number.
func (s *Store) Journal(ctx context.Context, name string, after int64) ([]resources.JournalRecord, error) {
	if err := s.lockForRead(ctx); err != nil {
		return nil, err
	}
	defer s.mu.RUnlock()
	records := s.journals[name]
	from := sort.Search(len(records), func(i int) bool { return records[i].Number > after })
	return slices.Clone(records[from:]), nil
}

// AppendJournal adds a record to a journal.
func (s *Store) AppendJournal(ctx context.Context, a resources.JournalAppend) (number int64, err error) {
	err = s.exclusively(ctx, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		records := s.journals[a.Name]
		var last int64
		if len(records) > 0 {
			last = records[len(records)-1].Number
		}
		number, err = a.Next(last, func() (int, error) { return len(s.journals), nil })
		if err != nil {
			return err
		}
		if a.Restart {
			records = nil
		}
		s.journals[a.Name] = append(records, resources.JournalRecord{Number: number, Body: bytes.Clone(a.Body)})
		return nil
	})
	return number, err
}
