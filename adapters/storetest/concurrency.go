package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

func writersOfOneKey(t *testing.T, s *suite) {
	const writers, each = 8, 5
	var mu sync.Mutex
	var got []int64
	var group sync.WaitGroup
	for n := range writers {
		group.Go(func() {
			for i := range each {
				v, err := s.store.Write(s.ctx(), resources.Write{Key: code("a"), Render: func(id int64, _ time.Time) ([]byte, error) {
					return fmt.Appendf(nil, `%d by %d.%d`, id, n, i), nil
				}})
				if err != nil {
					t.Errorf("Write: %v", err)
					return
				}
				mu.Lock()
				got = append(got, v.VersionID)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	slices.Sort(got)
	want := make([]int64, writers*each)
	for i := range want {
		want[i] = int64(i + 1)
	}
	s.equal("versions given", got, want)
	last := s.read(code("a"))
	var id int64
	if _, err := fmt.Sscanf(string(last.Body), "%d by", &id); err != nil || id != last.VersionID {
		t.Errorf("version %d has the body %q", last.VersionID, last.Body)
	}
}

func expectingWriters(t *testing.T, s *suite) {
	const writers, goal = 6, 12
	var group sync.WaitGroup
	var mu sync.Mutex
	won := map[int64]int{}
	for n := range writers {
		group.Go(func() {
			var expected int64
			for expected < goal {
				v, err := s.store.Write(s.ctx(), resources.Write{Key: code("a"), IfVersion: &expected, JustRead: n%2 > 0, Render: text(`1`)})
				switch {
				case err == nil:
					mu.Lock()
					won[v.VersionID]++
					mu.Unlock()
					expected = v.VersionID
				case errors.Is(err, resources.ErrConflict):
					current, err := s.store.Read(s.ctx(), code("a"))
					if err != nil {
						t.Errorf("Read: %v", err)
						return
					}
					expected = current.VersionID
				default:
					t.Errorf("Write: %v", err)
					return
				}
			}
		})
	}
	group.Wait()
	for id := int64(1); id <= goal; id++ {
		if won[id] != 1 {
			t.Errorf("version %d was won %d times", id, won[id])
		}
	}
}

func writersOfManyKeys(t *testing.T, s *suite) {
	const writers, each = 8, 10
	var group sync.WaitGroup
	for n := range writers {
		group.Go(func() {
			for i := range each {
				key := code(fmt.Sprintf("w%d-%d", n, i))
				if _, err := s.store.Write(s.ctx(), resources.Write{Key: key, Render: text(key.ID)}); err != nil {
					t.Errorf("Write: %v", err)
				}
			}
		})
	}
	group.Wait()
	all := s.each("CodeSystem")
	if len(all) != writers*each {
		t.Fatalf("%d resources, want %d", len(all), writers*each)
	}
	for _, v := range all {
		if v.VersionID != 1 || string(v.Body) != v.ID {
			t.Errorf("%s version %d: %s", v.Key, v.VersionID, v.Body)
		}
	}
}

func readersBesideWriter(t *testing.T, s *suite) {
	s.put(code("a"), `1`)
	done := make(chan struct{})
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			var last int64
			for {
				select {
				case <-done:
					return
				default:
				}
				v, err := s.store.Read(s.ctx(), code("a"))
				if err != nil {
					t.Errorf("Read: %v", err)
					return
				}
				if v.VersionID < last || string(v.Body) != fmt.Sprint(v.VersionID) {
					t.Errorf("version %d after %d with the body %q", v.VersionID, last, v.Body)
				}
				last = v.VersionID
			}
		})
	}
	for range 30 {
		v := s.write(resources.Write{Key: code("a"), Render: func(id int64, _ time.Time) ([]byte, error) {
			return fmt.Append(nil, id), nil
		}})
		if got := s.read(code("a")); got.VersionID != v.VersionID {
			t.Errorf("read version %d after writing %d", got.VersionID, v.VersionID)
		}
	}
	close(done)
	group.Wait()
}

func cancelled(t *testing.T, s *suite) {
	s.put(code("a"), `1`)
	ctx, cancel := context.WithCancel(s.ctx())
	cancel()
	calls := map[string]func() error{
		"Read": func() error { _, err := s.store.Read(ctx, code("a")); return err },
		"Write": func() error {
			_, err := s.store.Write(ctx, resources.Write{Key: code("a"), Render: text(`2`)})
			return err
		},
		"Each": func() error { return s.store.Each(ctx, "CodeSystem", func(resources.Version) error { return nil }) },
	}
	if h, ok := s.store.(resources.Historian); ok {
		calls["ReadVersion"] = func() error { _, err := h.ReadVersion(ctx, code("a"), 1); return err }
		calls["History"] = func() error { _, err := h.History(ctx, code("a")); return err }
	}
	if x, ok := s.store.(resources.Indexed); ok {
		calls["View"] = func() error { return x.View(ctx, func(index.Reader) error { return nil }) }
		calls["Purge"] = func() error { _, err := x.Purge(ctx, time.Now()); return err }
	}
	if x, ok := s.store.(resources.Transactor); ok {
		calls["Transact"] = func() error { return x.Transact(ctx, func(resources.Tx) error { return nil }) }
	}
	if x, ok := s.store.(resources.Marker); ok {
		calls["Mark"] = func() error { _, err := x.Mark(ctx, "a"); return err }
		calls["SetMark"] = func() error { return x.SetMark(ctx, "a", "1") }
		calls["SwapMark"] = func() error { _, err := x.SwapMark(ctx, "a", "1", "2"); return err }
	}
	if x, ok := s.store.(resources.Journaler); ok {
		calls["Journal"] = func() error { _, err := x.Journal(ctx, "a", 0); return err }
		calls["AppendJournal"] = func() error { _, err := x.AppendJournal(ctx, resources.JournalAppend{Name: "a"}); return err }
	}
	if x, ok := s.store.(resources.Reindexer); ok {
		calls["Reindex"] = func() error { return x.Reindex(ctx, nil) }
	}
	if x, ok := s.store.(resources.Forgetter); ok {
		calls["Forget"] = func() error { _, err := x.Forget(ctx, "CodeSystem", time.Now()); return err }
	}
	check := func(calls map[string]func() error) {
		t.Helper()
		for name, call := range calls {
			if err := call(); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v, want %v", name, err, context.Canceled)
			}
		}
	}
	check(calls)
	if x, ok := s.store.(resources.Indexed); ok {
		err := x.View(s.ctx(), func(r index.Reader) error {
			calls := map[string]func() error{
				"Scan":     func() error { return r.Scan(ctx, index.Range{}, func([]byte, index.Seq) bool { return true }) },
				"Load":     func() error { _, err := r.Load(ctx, []index.Seq{r.At()}, index.WithBody); return err },
				"Find":     func() error { _, err := r.Find(ctx, []resources.Key{code("a")}, 0); return err },
				"Versions": func() error { _, err := r.Versions(ctx, index.VersionsRequest{}); return err },
			}
			if c, ok := r.(index.Counter); ok {
				calls["Count"] = func() error { _, err := c.Count(ctx, "CodeSystem"); return err }
			}
			check(calls)
			return nil
		})
		if err != nil {
			t.Errorf("View: %v", err)
		}
	}
	s.equal("nothing was written", s.read(code("a")).VersionID, int64(1))
}

func closed(t *testing.T, s *suite) {
	s.put(code("a"), `1`)
	if err := s.store.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	if err := s.store.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
	calls := map[string]func() error{
		"Read":  func() error { _, err := s.store.Read(s.ctx(), code("a")); return err },
		"Write": func() error { _, err := s.store.Write(s.ctx(), resources.Write{Key: code("a")}); return err },
		"Each":  func() error { return s.store.Each(s.ctx(), "CodeSystem", func(resources.Version) error { return nil }) },
	}
	if h, ok := s.store.(resources.Historian); ok {
		calls["ReadVersion"] = func() error { _, err := h.ReadVersion(s.ctx(), code("a"), 1); return err }
		calls["History"] = func() error { _, err := h.History(s.ctx(), code("a")); return err }
	}
	if x, ok := s.store.(resources.Indexed); ok {
		calls["View"] = func() error { return x.View(s.ctx(), func(index.Reader) error { return nil }) }
		calls["Purge"] = func() error { _, err := x.Purge(s.ctx(), time.Now()); return err }
	}
	if x, ok := s.store.(resources.Transactor); ok {
		calls["Transact"] = func() error { return x.Transact(s.ctx(), func(resources.Tx) error { return nil }) }
	}
	if x, ok := s.store.(resources.Marker); ok {
		calls["Mark"] = func() error { _, err := x.Mark(s.ctx(), "a"); return err }
		calls["SetMark"] = func() error { return x.SetMark(s.ctx(), "a", "1") }
		calls["SwapMark"] = func() error { _, err := x.SwapMark(s.ctx(), "a", "1", "2"); return err }
	}
	for name, call := range calls {
		s.fails(name, call(), resources.ErrClosed, "store is closed")
	}
}
