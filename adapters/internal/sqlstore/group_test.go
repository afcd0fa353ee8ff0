package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// jobs are changes by several callers at the same time. The first holds up the others.
var jobs = []struct {
	name string
	do   func(ctx context.Context, s *Store, hold <-chan struct{}) error
}{
	{"hold", func(ctx context.Context, s *Store, hold <-chan struct{}) error {
		return s.Transact(ctx, func(tx resources.Tx) error { <-hold; return writeAll(ctx, tx, put("hold", "1")) })
	}},
	{"x", func(ctx context.Context, s *Store, _ <-chan struct{}) error {
		return written(s.Write(ctx, put("x", "1")))
	}},
	{"y", func(ctx context.Context, s *Store, _ <-chan struct{}) error {
		return written(s.Write(ctx, after(1, "y", "1")))
	}},
	{"journal", func(ctx context.Context, s *Store, _ <-chan struct{}) error {
		_, err := s.AppendJournal(ctx, resources.JournalAppend{Name: "j", Restart: true, MaxNames: 1})
		return err
	}},
	{"conflict", func(ctx context.Context, s *Store, _ <-chan struct{}) error {
		w := put("conflict", "1")
		w.IfVersion = new(int64)
		*w.IfVersion = 9
		return written(s.Write(ctx, w))
	}},
	{"panics", func(ctx context.Context, s *Store, _ <-chan struct{}) (err error) {
		defer func() { err = fmt.Errorf("panic: %v", recover()) }()
		w := put("panics", "1")
		w.Render = func(int64, time.Time) ([]byte, error) { panic("no document") }
		return written(s.Write(ctx, w))
	}},
	{"panics late", func(ctx context.Context, s *Store, _ <-chan struct{}) (err error) {
		defer func() { err = fmt.Errorf("panic: %v", recover()) }()
		return s.Transact(ctx, func(tx resources.Tx) error {
			_ = writeAll(ctx, tx, put("panics late", "1"))
			panic("late")
		})
	}},
	{"reads", func(ctx context.Context, s *Store, _ <-chan struct{}) error {
		return s.Transact(ctx, func(tx resources.Tx) error {
			err := writeAll(ctx, tx, put("reads", "1"))
			_, err1 := readAll(ctx, tx)
			return errors.Join(err, err1)
		})
	}},
	{"refuses", func(ctx context.Context, s *Store, _ <-chan struct{}) error {
		return s.Transact(ctx, func(tx resources.Tx) error {
			err := writeAll(ctx, tx, put("refuses", "1"))
			_, err1 := readAll(ctx, tx)
			return errors.Join(err, err1, errors.New("refused"))
		})
	}},
	{"again", func(ctx context.Context, s *Store, _ <-chan struct{}) error {
		return written(s.Write(ctx, put("hold", "2")))
	}},
	{"mark", func(ctx context.Context, s *Store, _ <-chan struct{}) error { return s.SetMark(ctx, "mark", "1") }},
	{"fresh", func(ctx context.Context, s *Store, _ <-chan struct{}) error {
		return written(s.Write(ctx, fresh("fresh", "1")))
	}},
	{"last", func(ctx context.Context, s *Store, _ <-chan struct{}) error {
		return s.Transact(ctx, func(tx resources.Tx) error { return writeAll(ctx, tx, put("last", "1")) })
	}},
}

func written(_ resources.Version, err error) error { return err }

// together runs the jobs at the same time, and returns their errors. fail may end the context of one.
func together(t *testing.T, fail func(n int, cancel []context.CancelFunc) error) (results []error, f *fake) {
	t.Helper()
	f = newFake()
	s := New(f)
	if _, err := s.Write(t.Context(), put("y", "0")); err != nil {
		t.Fatal(err)
	}
	f.forget()
	hold, ctxs, cancel := make(chan struct{}), make([]context.Context, len(jobs)), make([]context.CancelFunc, len(jobs))
	for i := range jobs {
		ctxs[i], cancel[i] = context.WithCancel(t.Context())
	}
	f.fail = func(_ context.Context, n int, _ string) error { return fail(n, cancel) }
	results = make([]error, len(jobs))
	var group sync.WaitGroup
	for i, job := range jobs {
		group.Go(func() { results[i] = job.do(ctxs[i], s, hold) })
		synctest.Wait() // it is in the queue
	}
	close(hold)
	group.Wait()
	for i, job := range jobs {
		cancel[i]()
		id, body := job.name, "1"
		if id == "again" {
			id, body = "hold", "2"
		}
		stored := slices.ContainsFunc(f.now.Load().rows, func(r Row) bool { return r.ID == id && string(r.Body) == body })
		switch job.name {
		case "journal":
			stored = len(f.now.Load().journal) == 1
		case "mark":
			stored = f.now.Load().marks["mark"] == "1"
		}
		if stored != (results[i] == nil) {
			t.Errorf("%s: %v, but stored: %v", job.name, results[i], stored)
		}
	}
	if err := s.Close(); err != nil || f.open.Load() != 0 {
		t.Errorf("closed with %d open transactions: %v", f.open.Load(), err)
	}
	return results, f
}

// TestGroups lets each step fail while callers share a transaction, or one of them go away. What is stored is
// what callers were told, and one who goes away changes nothing for the others.
func TestGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want, clean := together(t, func(int, []context.CancelFunc) error { return nil })
		const steps = "w.begin w.find w.find w.last w.names w.insert w.save w.insert journal w.find w.find w.save w.insert w.scan w.scan w.find w.find w.versions w.load " +
			"w.find w.save w.insert w.scan w.scan w.find w.versions w.load w.undo w.insert w.save w.set mark w.find w.insert w.commit"
		if got := strings.Join(clean.steps, " "); got != steps {
			t.Errorf("steps %s", got)
		}
		var texts []string
		for i, err := range want {
			if err != nil {
				texts = append(texts, jobs[i].name+": "+err.Error())
			}
		}
		if got := strings.Join(texts, "\n"); got != "conflict: Basic/conflict: version conflict: expected version 9, but it does not exist\npanics: panic: no document\npanics late: panic: late\nrefuses: refused" {
			t.Errorf("without a failure: %s", got)
		}
		for n := range clean.steps {
			for _, failure := range []error{errFake, errFaster} {
				got, f := together(t, func(i int, _ []context.CancelFunc) error {
					if i == n {
						return failure
					}
					return nil
				})
				if next := append(f.taken(), "w.begin")[n+1]; next != "w.begin" {
					t.Errorf("after %s fails the transaction goes on with %s", clean.steps[n], next)
				}
				for i := range got {
					if errors.Is(failure, errFaster) && fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
						t.Errorf("after a conflict in step %d, %s: %s: %v, want %v", n, clean.steps[n], jobs[i].name, got[i], want[i])
					}
				}
			}
			for away := range jobs {
				if !slices.Contains([]string{"x", "journal", "reads", "mark"}, jobs[away].name) {
					continue
				}
				got, f := together(t, func(i int, cancel []context.CancelFunc) error {
					if i == n {
						cancel[away]()
					}
					return nil
				})
				if begun := strings.Count(strings.Join(f.taken(), " "), "w.begin"); begun != 1 {
					t.Errorf("%s goes away in step %d, and the others begin %d times", jobs[away].name, n, begun)
				}
				for i := range got {
					if i != away && fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
						t.Errorf("%s goes away in step %d, %s: %s: %v, want %v", jobs[away].name, n, clean.steps[n], jobs[i].name, got[i], want[i])
					}
				}
			}
		}
	})
}

// TestPatience measures how long callers wait for a database that conflicts for ever, or does not answer.
func TestPatience(t *testing.T) {
	for _, c := range []struct {
		name    string
		limit   time.Duration // of the caller
		blocks  bool
		want    string
		waited  time.Duration
		commits int
	}{
		{"conflicts", time.Hour, false, "gave up after 20 attempts: another process was faster", 2470 * time.Millisecond, 21},
		{"conflicts for an hour", time.Second, false, "context deadline exceeded", time.Second, 15},
		{"blocks", time.Second, true, "the store has not confirmed the change in time; it may be stored or not: context deadline exceeded", 1200 * time.Millisecond, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			f.fail = func(_ context.Context, _ int, step string) error {
				switch {
				case step != "w.commit":
					return nil
				case c.blocks:
					time.Sleep(time.Minute)
				}
				return errFaster
			}
			s := New(f)
			ctx, cancel := context.WithTimeout(t.Context(), c.limit)
			defer cancel()
			began := time.Now()
			_, err := s.Write(ctx, put("a", "1"))
			if waited := time.Since(began); waited != c.waited || err == nil || err.Error() != c.want {
				t.Errorf("%s: %v after %s, want %s after %s", c.name, err, waited, c.want, c.waited)
			}
			_ = s.Close()
			if n := strings.Count(strings.Join(f.taken(), " "), "commit"); n != c.commits {
				t.Errorf("%s: %d commits, want %d", c.name, n, c.commits)
			}
		})
	}
}

// TestDoubt counts how often former versions are looked for: after a conflict, also before the writes of the
// next second.
func TestDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		s := New(f)
		version := int64(0)
		finds := func() (n int) {
			f.forget()
			if _, err := s.Write(t.Context(), after(version, "a", "1")); err != nil {
				t.Fatal(err)
			}
			version++
			return strings.Count(strings.Join(f.taken(), " "), "find")
		}
		got := []int{finds(), finds()}
		f.fail = func(_ context.Context, n int, _ string) error { return map[int]error{1: errFaster}[n] }
		got = append(got, finds(), finds())
		f.fail = nil
		got = append(got, finds())
		time.Sleep(time.Second)
		if got = append(got, finds()); !slices.Equal(got, []int{0, 0, 1, 2, 1, 0}) {
			t.Errorf("%v", got)
		}
		_ = s.Close()
	})
}

// TestStaged lets others write while a large change is made. Where that matters it is made again, the third
// time with the lock.
func TestStaged(t *testing.T) {
	find := func(tx resources.Tx, id string) error {
		_, err := tx.Find(context.Background(), []resources.Key{basic(id)}, 0)
		return err
	}
	large := strings.Repeat("x", 3<<20)
	for _, c := range []struct {
		name    string
		entries int
		change  func(ctx context.Context, tx resources.Tx, other func(id string)) error
		calls   int
		stages  int
	}{
		{"another key", 1, func(ctx context.Context, tx resources.Tx, other func(string)) error {
			other("b")
			return writeAll(ctx, tx, put("a", "1"))
		}, 1, 1},
		{"the same key", 1, func(ctx context.Context, tx resources.Tx, other func(string)) error {
			err := writeAll(ctx, tx, put("a", "1"))
			other("a")
			return err
		}, 3, 2},
		{"between two reads", 1, func(ctx context.Context, tx resources.Tx, other func(string)) error {
			err := find(tx, "a")
			other("a")
			return errors.Join(err, find(tx, "a"))
		}, 3, 0},
		{"after the first number", -1 << 20, func(ctx context.Context, tx resources.Tx, other func(string)) error {
			time.Sleep(time.Second)
			other("b")
			return writeAll(ctx, tx, put("a", "1"))
		}, 3, 2},
		{"a key twice", 1, func(ctx context.Context, tx resources.Tx, _ func(string)) error {
			return writeAll(ctx, tx, fresh("a", "1"), put("a", "2"))
		}, 3, 0},
		{"what it wrote", 1, func(ctx context.Context, tx resources.Tx, _ func(string)) error {
			return errors.Join(writeAll(ctx, tx, put("a", "1")), find(tx, "a"))
		}, 3, 0},
		{"much", 1, func(ctx context.Context, tx resources.Tx, _ func(string)) error {
			return writeAll(ctx, tx, put("a", large), put("b", large), put("c", "1"))
		}, 1, 2},
		{"a failure that is ignored", 1, func(ctx context.Context, tx resources.Tx, _ func(string)) error {
			if writeAll(ctx, tx, after(9, "a", "1")) == nil {
				return errors.New("a conflict was not reported")
			}
			return writeAll(ctx, tx, put("b", "1"))
		}, 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			s := New(f)
			calls := 0
			var kept resources.Tx
			err := s.TransactLarge(t.Context(), c.entries, func(tx resources.Tx) error {
				calls++
				kept = tx
				return c.change(t.Context(), tx, func(id string) {
					if calls < 3 { // then it has the lock
						if _, err := s.Write(t.Context(), put(id, "other")); err != nil {
							t.Error(err)
						}
					}
				})
			})
			if failed := strings.HasPrefix(c.name, "a failure"); failed != errors.Is(err, resources.ErrConflict) || !failed && err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if n := strings.Count(strings.Join(f.taken(), " "), "s.stage"); calls != c.calls || n != c.stages {
				t.Errorf("%s: %d calls, %d inserts before the lock, want %d and %d: %q", c.name, calls, n, c.calls, c.stages, f.taken())
			}
			if err := find(kept, "z"); !errors.Is(err, errEnded) {
				t.Errorf("%s: read after the end: %v", c.name, err)
			}
			f.forget()
			if c.name == "much" {
				err := s.Transact(t.Context(), func(tx resources.Tx) error { return c.change(t.Context(), tx, nil) })
				if n := strings.Count(strings.Join(f.taken(), " "), "insert"); err == nil && n != 2 {
					t.Errorf("%d inserts with the lock, want 2", n)
				}
			}
			ended, end := context.WithCancel(t.Context())
			end()
			f.forget()
			for range 10 {
				if _, err := s.Write(ended, put("z", "1")); !errors.Is(err, context.Canceled) || len(f.taken()) > 0 {
					t.Errorf("a caller who has left: %v, steps %q", err, f.taken())
				}
			}
			if last := f.now.Load().at(); err == nil && len(f.now.Load().rows) > 0 && s.Written() != last {
				t.Errorf("%s: written to %d, want %d", c.name, s.Written(), last)
			}
			_ = s.Close()
		})
	}
}

// TestFollow follows a database that fails at first: what was written is reported once, in its order, after a
// pause of two seconds.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		s := New(f)
		for _, id := range []string{"a", "b", "c"} {
			if _, err := s.Write(t.Context(), put(id, "1")); err != nil {
				t.Fatal(err)
			}
		}
		f.forget()
		f.fail = func(_ context.Context, n int, _ string) error { return map[int]error{1: errFake}[n] }
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		var got []string
		reads := 0
		err := s.Follow(ctx, []string{"Basic", "Patient"}, f.now.Load().rows[0].Seq, func(context.Context) error {
			if reads++; reads == 3 {
				cancel()
			}
			return nil
		}, func(keys []resources.Key) {
			for _, k := range keys {
				got = append(got, k.ID)
			}
		})
		if waited := time.Since(began); !errors.Is(err, context.Canceled) || waited != 2*time.Second || !slices.Equal(got, []string{"b", "c"}) {
			t.Errorf("%v after %s: %v", got, waited, err)
		}
		_ = s.Close()
	})
}

// TestSumsStay requires the checksums that stores have of what earlier versions of the program wrote.
func TestSumsStay(t *testing.T) {
	r := index.Record{Type: "Basic", ID: "a", VersionID: 2, Seq: 3, Body: []byte("x")}
	gone := r
	gone.Body, gone.Deleted = nil, true
	if got := [...]int64{DocumentSum(&r), DocumentSum(&gone), ValuesSum(3, []byte("x"))}; got != [...]int64{8976582424296972179, 7913140886811181056, 5044517097187336083} {
		t.Errorf("%d", got)
	}
}
