// Package storetest tests the contract of resources.Store: the same rows, with the same messages,
// for every implementation.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) resources.Store { return memory.New() })
//	}
//
// A store that outlives the process should also pass RunDurable. Rows for optional interfaces
// (resources.Historian, Indexed, Transactor, …) run if the store implements them.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources"
)

// Run runs the tests. open returns an empty store for each row. Run closes it.
func Run(t *testing.T, open func(t *testing.T) resources.Store) {
	t.Helper()
	for _, row := range []struct {
		name string
		test func(t *testing.T, s *suite)
	}{
		{"absent", absent},
		{"create", create},
		{"update", update},
		{"delete", remove},
		{"create again after delete", createAgain},
		{"delete what is not there", removeNothing},
		{"expected version", expectedVersion},
		{"time", recordedTime},
		{"render fails", renderFails},
		{"keys are apart", keysApart},
		{"bodies come back exactly", exactBodies},
		{"history", history},
		{"each in order", eachOrder},
		{"each passes errors on", eachErrors},
		{"each may use the store", eachReenters},
		{"writers of one key", writersOfOneKey},
		{"writers that expect a version", expectingWriters},
		{"writers of many keys", writersOfManyKeys},
		{"readers beside a writer", readersBesideWriter},
		{"scans", scans},
		{"long scans", longScan},
		{"many scans", manyScans},
		{"loads and finds", loads},
		{"large documents", largeDocuments},
		{"histories", histories},
		{"a view is one state", oneState},
		{"times ascend", ascendingTimes},
		{"terms", terms},
		{"purge", purges},
		{"forget", forgets},
		{"reindex", reindexes},
		{"marks", marks},
		{"journals", journals},
		{"writers of one journal", journalWriters},
		{"transaction", transaction},
		{"all or nothing", allOrNothing},
		{"panics", panics},
		{"large transaction", largeTransaction},
		{"conditional creates", conditionalCreates},
		{"transfers", transfers},
		{"like a model", likeModel},
		{"cancelled", cancelled},
		{"closed", closed},
	} {
		t.Run(row.name, func(t *testing.T) {
			store := open(t)
			t.Cleanup(func() { _ = store.Close() })
			row.test(t, &suite{t: t, store: store})
		})
	}
}

// RunDurable tests that written data survives closing and opening again. start returns a function
// that opens the same storage, which is empty at first.
func RunDurable(t *testing.T, start func(t *testing.T) (open func() resources.Store)) {
	t.Helper()
	open := start(t)
	store := open()
	s := &suite{t: t, store: store}
	var want []resources.Version
	for i := range 20 {
		key := code(fmt.Sprintf("r%02d", i))
		s.put(key, fmt.Sprintf(`{"n":%d}`, i))
		if i%5 == 0 {
			s.write(resources.Write{Key: key})
			continue
		}
		want = append(want, s.put(key, fmt.Sprintf(`{"n":%d,"again":true}`, i)))
	}
	if err := store.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	for range 2 {
		store = open()
		s = &suite{t: t, store: store}
		s.equal("after opening again", s.each("CodeSystem"), want)
		if _, err := store.Read(t.Context(), code("r00")); !errors.Is(err, resources.ErrGone) {
			t.Errorf("a deleted resource after opening again: %v, want %v", err, resources.ErrGone)
		}
		if h, ok := store.(resources.Historian); ok {
			versions, err := h.History(t.Context(), code("r01"))
			if err != nil || len(versions) != 2 {
				t.Errorf("history after opening again: %d versions, %v", len(versions), err)
			}
		}
		if err := store.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	store = open()
	defer func() { _ = store.Close() }()
	s = &suite{t: t, store: store}
	if v := s.put(code("r01"), `{}`); v.VersionID != 3 {
		t.Errorf("version after opening again: %d, want 3", v.VersionID)
	}
}

// suite is a store with convenience methods.
type suite struct {
	t     *testing.T
	store resources.Store
}

func code(id string) resources.Key { return resources.Key{Type: "CodeSystem", ID: id} }

func text(body string) func(int64, time.Time) ([]byte, error) {
	return func(int64, time.Time) ([]byte, error) { return []byte(body), nil }
}

func (s *suite) ctx() context.Context { return s.t.Context() }

func (s *suite) write(w resources.Write) resources.Version {
	s.t.Helper()
	v, err := s.store.Write(s.ctx(), w)
	if err != nil {
		s.t.Fatalf("Write %s: %v", w.Key, err)
	}
	return v
}

func (s *suite) put(key resources.Key, body string) resources.Version {
	s.t.Helper()
	return s.write(resources.Write{Key: key, Render: text(body)})
}

func (s *suite) read(key resources.Key) resources.Version {
	s.t.Helper()
	v, err := s.store.Read(s.ctx(), key)
	if err != nil {
		s.t.Fatalf("Read %s: %v", key, err)
	}
	return v
}

func (s *suite) each(typ string) []resources.Version {
	s.t.Helper()
	var all []resources.Version
	err := s.store.Each(s.ctx(), typ, func(v resources.Version) error {
		all = append(all, v)
		return nil
	})
	if err != nil {
		s.t.Fatalf("Each %s: %v", typ, err)
	}
	return all
}

func (s *suite) ids(typ string) []string {
	s.t.Helper()
	var ids []string
	for _, v := range s.each(typ) {
		ids = append(ids, v.ID)
	}
	return ids
}

// historian returns the store if it keeps former versions, otherwise skips the row.
func (s *suite) historian() resources.Historian {
	s.t.Helper()
	h, ok := s.store.(resources.Historian)
	if !ok {
		s.t.Skip("the store keeps no former versions")
	}
	return h
}

func (s *suite) equal(what string, got, want any) {
	s.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// fails checks the sentinel and the message of an error, which are the same for all stores.
func (s *suite) fails(what string, err, sentinel error, message string) {
	s.t.Helper()
	if !errors.Is(err, sentinel) {
		s.t.Errorf("%s: error %v is not %v", what, err, sentinel)
	}
	if err != nil && err.Error() != message {
		s.t.Errorf("%s: message %q, want %q", what, err, message)
	}
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
