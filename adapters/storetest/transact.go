package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// transactor returns the store if it supports transactions, otherwise skips the row.
func (s *suite) transactor() resources.Transactor {
	s.t.Helper()
	x, ok := s.store.(resources.Transactor)
	if !ok {
		s.t.Skip("the store has no transactions")
	}
	s.indexed()
	return x
}

// ways returns the ways in which the store runs a transaction.
func (s *suite) ways() []func(context.Context, func(resources.Tx) error) error {
	x := s.transactor()
	ways := []func(context.Context, func(resources.Tx) error) error{x.Transact}
	if large, ok := x.(resources.LargeTransactor); ok {
		ways = append(ways, func(ctx context.Context, fn func(resources.Tx) error) error { return large.TransactLarge(ctx, 1, fn) })
	}
	return ways
}

func (s *suite) transact(fn func(tx resources.Tx) error) {
	s.t.Helper()
	if err := s.transactor().Transact(s.ctx(), fn); err != nil {
		s.t.Fatalf("Transact: %v", err)
	}
}

// writeAll writes in a transaction until a write fails.
func (s *suite) writeAll(tx resources.Tx, writes ...resources.Write) error {
	for _, w := range writes {
		if _, err := tx.Write(s.ctx(), w); err != nil {
			return err
		}
	}
	return nil
}

func transaction(t *testing.T, s *suite) {
	s.transactor()
	s.write(entered("a", `1`, "x"))
	s.transact(func(tx resources.Tx) error {
		before := tx.At()
		if err := s.writeAll(tx, entered("a", `2`, "y"), entered("b", `1`, "x", "y"), entered("b", `2`, "z")); err != nil {
			return err
		}
		if tx.At() <= before {
			t.Errorf("At is %d after writing, %d before", tx.At(), before)
		}
		s.equal("its own entries", s.scan(tx, index.Range{}), []string{"x a/1", "x b/1", "y a/2", "y b/1", "z b/2"})
		s.equal("its own versions", s.versions(tx, index.VersionsRequest{}), []string{"CodeSystem/b/2", "CodeSystem/b/1", "CodeSystem/a/2", "CodeSystem/a/1"})
		records := s.find(tx, index.WithBody, "a", "b", "c")
		s.equal("its own bodies", []string{string(records[0].Body), string(records[1].Body), string(records[2].Body)}, []string{"2", "2", ""})
		s.equal("Until of what it supersedes", s.load(tx, []index.Seq{s.seqs(tx)[0]}, 0)[0].Until, records[0].Seq)
		if err := s.writeAll(tx, resources.Write{Key: code("a")}, entered("c", `1`, "x")); err != nil {
			return err
		}
		heads := s.find(tx, 0, "a", "b", "c")
		s.equal("newest versions", []int64{heads[0].VersionID, heads[1].VersionID, heads[2].VersionID}, []int64{3, 2, 1})
		s.equal("deleted by itself", heads[0].Deleted, true)
		s.equal("what others see", s.read(code("a")).VersionID, int64(1))
		s.view(func(r index.Reader) {
			s.equal("entries that others see", s.scan(r, index.Range{}), []string{"x a/1"})
			s.equal("what others find", s.find(r, 0, "b")[0], index.Record{})
		})
		return nil
	})
	s.view(func(r index.Reader) {
		s.equal("entries", s.scan(r, index.Range{}), []string{"x a/1", "x b/1", "x c/1", "y a/2", "y b/1", "z b/2"})
	})
	s.equal("resources", s.ids("CodeSystem"), []string{"b", "c"})
	s.equal("b", string(s.read(code("b")).Body), `2`)
}

// seqs returns the Seq of all entries, in ascending order of entries.
func (s *suite) seqs(r index.Reader) (seqs []index.Seq) {
	s.t.Helper()
	err := r.Scan(s.ctx(), index.Range{}, func(_ []byte, seq index.Seq) bool {
		seqs = append(seqs, seq)
		return true
	})
	if err != nil {
		s.t.Fatalf("Scan: %v", err)
	}
	return seqs
}

func allOrNothing(t *testing.T, s *suite) {
	s.transactor()
	s.write(entered("a", `1`, "x"))
	broken := errors.New("not this time")
	zero := int64(0)
	ctx, cancel := context.WithCancel(s.ctx())
	defer cancel()
	some := []resources.Write{entered("a", `2`, "y"), entered("b", `1`, "y"), {Key: code("a")}}
	some[1].Terms = [][]byte{[]byte("t")}
	for _, row := range []struct {
		name string
		ctx  context.Context
		fn   func(tx resources.Tx) error
		want error
	}{
		{"function fails", s.ctx(), func(tx resources.Tx) error {
			if err := s.writeAll(tx, some...); err != nil {
				return err
			}
			return broken
		}, broken},
		{"function fails after reading", s.ctx(), func(tx resources.Tx) error {
			if err := s.writeAll(tx, some...); err != nil {
				return err
			}
			s.equal("its own entries", len(s.scan(tx, index.Range{})), 4)
			if err := s.writeAll(tx, entered("c", `1`, "y")); err != nil {
				return err
			}
			return broken
		}, broken},
		{"write conflicts", s.ctx(), func(tx resources.Tx) error {
			return s.writeAll(tx, append(some, resources.Write{Key: code("b"), Render: text(`2`), IfVersion: &zero})...)
		}, resources.ErrConflict},
		{"write conflicts, and the function says nothing", s.ctx(), func(tx resources.Tx) error {
			_ = s.writeAll(tx, append(some, resources.Write{Key: code("b"), Render: text(`2`), IfVersion: &zero})...)
			return nil
		}, resources.ErrConflict},
		{"render fails", s.ctx(), func(tx resources.Tx) error {
			return s.writeAll(tx, append(some, resources.Write{Key: code("b"), Render: func(int64, time.Time) ([]byte, error) { return nil, broken }})...)
		}, broken},
		{"deletes nothing", s.ctx(), func(tx resources.Tx) error {
			return s.writeAll(tx, append(some, resources.Write{Key: code("none")})...)
		}, resources.ErrNotFound},
		{"deletes again", s.ctx(), func(tx resources.Tx) error {
			return s.writeAll(tx, append(some, resources.Write{Key: code("a")})...)
		}, resources.ErrGone},
		{"cancelled", ctx, func(tx resources.Tx) error {
			if err := s.writeAll(tx, some...); err != nil {
				return err
			}
			cancel()
			return nil
		}, context.Canceled},
	} {
		for _, transact := range s.ways() {
			if err := transact(row.ctx, row.fn); !errors.Is(err, row.want) {
				t.Errorf("%s: %v, want %v", row.name, err, row.want)
			}
		}
		s.equal(row.name+": version", s.read(code("a")).VersionID, int64(1))
		s.view(func(r index.Reader) {
			s.equal(row.name+": entries", s.scan(r, index.Range{}), []string{"x a/1"})
			s.equal(row.name+": versions", s.versions(r, index.VersionsRequest{}), []string{"CodeSystem/a/1"})
			s.equal(row.name+": Until", s.find(r, 0, "a")[0].Until, index.Current)
		})
	}
	s.transact(func(tx resources.Tx) error { return s.writeAll(tx, some...) })
	s.equal("and then it goes through", s.ids("CodeSystem"), []string{"b"})
	for i, transact := range s.ways() {
		if err := transact(s.ctx(), func(tx resources.Tx) error { return s.writeAll(tx, entered("b", `2`, fmt.Sprint("z", i))) }); err != nil {
			t.Error(err)
		}
	}
	s.equal("each way", s.read(code("b")).VersionID, int64(1+len(s.ways())))
}

func panics(t *testing.T, s *suite) {
	expect := func(what string, fn func()) {
		t.Helper()
		defer func() {
			if got := recover(); got != "oh" {
				t.Errorf("%s: recovered %v, want the panic of the function", what, got)
			}
		}()
		fn()
	}
	expect("Write", func() {
		_, _ = s.store.Write(s.ctx(), resources.Write{Key: code("a"), Render: func(int64, time.Time) ([]byte, error) { panic("oh") }})
	})
	s.put(code("b"), `1`)
	s.equal("after a panic", s.ids("CodeSystem"), []string{"b"})
	x := s.transactor()
	expect("Transact", func() {
		_ = x.Transact(s.ctx(), func(tx resources.Tx) error {
			_ = s.writeAll(tx, entered("a", `1`, "x"))
			panic("oh")
		})
	})
	s.put(code("c"), `1`)
	s.equal("after a panic in a transaction", s.ids("CodeSystem"), []string{"b", "c"})
}

func largeTransaction(t *testing.T, s *suite) {
	s.transactor()
	const n = 300
	s.transact(func(tx resources.Tx) error {
		var keys []resources.Key
		for i := range n {
			keys = append(keys, code(fmt.Sprintf("r%03d", i)))
		}
		for round := range 2 {
			heads, err := tx.Find(s.ctx(), keys, 0)
			if err != nil {
				return err
			}
			for i, key := range keys {
				if heads[i].VersionID != int64(round) {
					t.Errorf("%s has version %d before round %d", key, heads[i].VersionID, round)
				}
				if err := s.writeAll(tx, entered(key.ID, fmt.Sprint(round), fmt.Sprintf("e%03d", i%7), "all")); err != nil {
					return err
				}
			}
		}
		return nil
	})
	s.view(func(r index.Reader) {
		s.equal("entries", len(s.seqs(r)), 4*n)
		for i, record := range s.find(r, index.WithBody, "r000", "r299") {
			if record.VersionID != 2 || string(record.Body) != "1" {
				t.Errorf("record %d is %+v", i, record)
			}
		}
	})
}

// Transactions that create missing resources exclude each other.
func conditionalCreates(t *testing.T, s *suite) {
	x := s.transactor()
	const callers, names = 8, 6
	var created [names]atomic.Int64
	var group sync.WaitGroup
	for n := range callers {
		group.Go(func() {
			for i := range names {
				name := fmt.Sprintf("name%d", i)
				made := false
				err := x.Transact(s.ctx(), func(tx resources.Tx) error {
					made = false
					found := false
					in := index.Range{From: []byte(name), To: []byte(name + "\x00")}
					if err := tx.Scan(s.ctx(), in, func([]byte, index.Seq) bool { found = true; return false }); err != nil || found {
						return err
					}
					made = true
					return s.writeAll(tx, entered(fmt.Sprintf("r%d-%d", n, i), `1`, name))
				})
				if err != nil {
					t.Errorf("Transact: %v", err)
				}
				if made && err == nil {
					created[i].Add(1)
				}
			}
		})
	}
	group.Wait()
	for i := range created {
		if n := created[i].Load(); n != 1 {
			t.Errorf("name%d was created %d times", i, n)
		}
	}
	s.view(func(r index.Reader) { s.equal("entries", len(s.seqs(r)), names) })
}

// Transactions that move an amount between two resources keep the sum constant for every reader.
func transfers(t *testing.T, s *suite) {
	x := s.transactor()
	const callers, each, sum = 4, 10, 100
	amount := func(r index.Reader, id string) (n int) {
		record := s.find(r, index.WithBody, id)[0]
		if _, err := fmt.Sscan(string(record.Body), &n); err != nil {
			t.Errorf("%s: %q", id, record.Body)
		}
		return n
	}
	s.put(code("a"), fmt.Sprint(sum))
	s.put(code("b"), "0")
	var group sync.WaitGroup
	for n := range callers {
		group.Go(func() {
			for range each {
				err := x.Transact(s.ctx(), func(tx resources.Tx) error {
					a, b := amount(tx, "a"), amount(tx, "b")
					return s.writeAll(tx, resources.Write{Key: code("a"), Render: text(fmt.Sprint(a - 1))},
						resources.Write{Key: code("b"), Render: text(fmt.Sprint(b + 1))})
				})
				if err != nil {
					t.Errorf("Transact: %v", err)
				}
				if n%2 == 0 {
					s.view(func(r index.Reader) {
						if a, b := amount(r, "a"), amount(r, "b"); a+b != sum {
							t.Errorf("a reader sees %d and %d", a, b)
						}
					})
				}
			}
		})
	}
	group.Wait()
	s.view(func(r index.Reader) { s.equal("moved", amount(r, "b"), callers*each) })
}
