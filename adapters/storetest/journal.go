package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/roget-health/roget/resources"
)

// journaler returns the store as a Journaler, or skips the row.
func (s *suite) journaler() resources.Journaler {
	x, ok := s.store.(resources.Journaler)
	if !ok {
		s.t.Skip("the store keeps no journals")
	}
	return x
}

// journal returns the records after a number as texts.
func (s *suite) journal(x resources.Journaler, name string, after int64) (found []string) {
	s.t.Helper()
	records, err := x.Journal(s.ctx(), name, after)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, r := range records {
		found = append(found, fmt.Sprintf("%d %s", r.Number, r.Body))
	}
	return found
}

func journals(_ *testing.T, s *suite) {
	x := s.journaler()
	var none []string
	s.equal("a journal that does not exist", s.journal(x, "a", 0), none)
	appendTo := func(what string, a resources.JournalAppend, want int64) {
		s.t.Helper()
		number, err := x.AppendJournal(s.ctx(), a)
		if err != nil {
			s.t.Fatalf("%s: %v", what, err)
		}
		s.equal(what, number, want)
	}
	refused := func(what string, a resources.JournalAppend, sentinel error) {
		s.t.Helper()
		if _, err := x.AppendJournal(s.ctx(), a); !errors.Is(err, sentinel) {
			s.t.Errorf("%s: %v, want %v", what, err, sentinel)
		}
	}
	refused("after a record that does not exist", resources.JournalAppend{Name: "a", Body: []byte("x"), After: 1}, resources.ErrConflict)
	appendTo("the first", resources.JournalAppend{Name: "a", Body: []byte("one")}, 1)
	appendTo("the second", resources.JournalAppend{Name: "a", Body: []byte{0, 255}, After: 1}, 2)
	appendTo("of another", resources.JournalAppend{Name: "A", Body: []byte("other"), Restart: true}, 1)
	refused("after one that is not the last", resources.JournalAppend{Name: "a", Body: []byte("x"), After: 1}, resources.ErrConflict)
	refused("a first one again", resources.JournalAppend{Name: "a", Body: []byte("x")}, resources.ErrConflict)
	s.equal("all", s.journal(x, "a", 0), []string{"1 one", "2 \x00\xff"})
	s.equal("some", s.journal(x, "a", 1), []string{"2 \x00\xff"})
	s.equal("none", s.journal(x, "a", 2), none)
	refused("one name too many", resources.JournalAppend{Name: "b", Restart: true, MaxNames: 2, Body: []byte("x")}, resources.ErrTooManyJournals)
	s.equal("it was not created", s.journal(x, "b", 0), none)
	appendTo("restart", resources.JournalAppend{Name: "a", Restart: true, MaxNames: 1, Body: []byte("new")}, 3)
	s.equal("after the restart", s.journal(x, "a", 0), []string{"3 new"})
	s.equal("seen from before", s.journal(x, "a", 2), []string{"3 new"})
	s.equal("the other", s.journal(x, "A", 0), []string{"1 other"})
	appendTo("the next", resources.JournalAppend{Name: "a", Body: []byte("4"), After: 3}, 4)
	if w := s.put(resources.Key{Type: "CodeSystem", ID: "x"}, `{}`); w.VersionID != 1 {
		s.t.Error("a resource beside journals")
	}
}

// journalWriters has many writers append to one journal.
func journalWriters(_ *testing.T, s *suite) { appendAtOnce(s, s) }

// sharedJournals has the writers of two stores append to one journal.
func sharedJournals(_ *testing.T, a, b *suite) { appendAtOnce(a, b) }

// appendAtOnce has many writers append to one journal. Each retries until it comes next. Nothing is
// lost, and nothing is there twice.
func appendAtOnce(stores ...*suite) {
	const writers, each = 8, 10
	s := stores[0]
	s.journaler()
	var wg sync.WaitGroup
	for i := range writers {
		x := stores[i%len(stores)].journaler()
		wg.Go(func() {
			for n := range each {
				for after := int64(0); ; {
					records, err := x.Journal(s.ctx(), "shared", after)
					if err != nil {
						s.t.Error(err)
						return
					}
					if len(records) > 0 {
						after = records[len(records)-1].Number
					}
					_, err = x.AppendJournal(s.ctx(), resources.JournalAppend{Name: "shared", After: after, Body: fmt.Appendf(nil, "%d/%d", i, n)})
					if err == nil {
						break
					}
					if !errors.Is(err, resources.ErrConflict) {
						s.t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	for _, of := range stores {
		records, err := of.journaler().Journal(s.ctx(), "shared", 0)
		if err != nil || len(records) != writers*each {
			s.t.Fatalf("%d records, want %d: %v", len(records), writers*each, err)
		}
		var bodies []string
		for i, r := range records {
			if r.Number != int64(i+1) {
				s.t.Fatalf("record %d has the number %d", i+1, r.Number)
			}
			bodies = append(bodies, string(r.Body))
		}
		slices.Sort(bodies)
		if len(slices.Compact(bodies)) != writers*each {
			s.t.Error("a record is there twice")
		}
	}
}
