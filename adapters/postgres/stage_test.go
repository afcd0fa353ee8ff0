package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

func patientKey(id string) resources.Key { return resources.Key{Type: "Patient", ID: id} }

// holding is a write of a patient that holds a number.
func holding(id string, n int) resources.Write {
	return resources.Write{Key: patientKey(id), Entries: [][]byte{[]byte(id)}, Terms: [][]byte{[]byte("term " + id)}, Render: func(int64, time.Time) ([]byte, error) { return []byte(strconv.Itoa(n)), nil }}
}

func write(tx resources.Tx, writes ...resources.Write) error {
	for _, w := range writes {
		if _, err := tx.Write(context.Background(), w); err != nil {
			return err
		}
	}
	return nil
}

// TestStagedBesideSmall checks that nobody waits for the function of a large change, and what becomes of it
// when others are faster.
func TestStagedBesideSmall(t *testing.T) {
	t.Parallel()
	const fast, late = 1000, -10_000_000 // entries: numbered ahead, and long ago
	for _, c := range []struct {
		name    string
		entries int
		fn      func(tx resources.Tx, other func(id string)) error
		calls   int               // two without the lock at most
		want    map[string]string // what is read in the end, and the versions
	}{
		{"others", fast, func(tx resources.Tx, other func(string)) error {
			other("c")
			return write(tx, holding("a", 2), holding("b", 2))
		}, 1, map[string]string{"a": "2 v2", "b": "2 v1", "c": "7 v1"}},
		{"changes what was read", fast, func(tx resources.Tx, other func(string)) error {
			_, err := tx.Find(context.Background(), []resources.Key{patientKey("a")}, index.WithBody)
			other("a")
			return errors.Join(err, write(tx, holding("a", 2)))
		}, 3, map[string]string{"a": "2 v4"}},
		{"faster than the clock", late, func(tx resources.Tx, other func(string)) error {
			other("c")
			return write(tx, holding("b", 2))
		}, 3, map[string]string{"b": "2 v1", "c": "7 v2"}},
		{"needs the lock to search", fast, func(tx resources.Tx, other func(string)) error {
			other("c")
			n := 0
			err := tx.Scan(context.Background(), index.Range{}, func([]byte, index.Seq) bool { n++; return true })
			return errors.Join(err, write(tx, holding("b", n)))
		}, 3, map[string]string{"b": "5 v1", "c": "7 v2"}},
		{"needs the lock to read what it wrote", fast, func(tx resources.Tx, _ func(string)) error {
			err := write(tx, holding("b", 2))
			found, err2 := tx.Find(context.Background(), []resources.Key{patientKey("b")}, index.WithBody)
			if err2 == nil && string(found[0].Body) != "2" {
				err2 = fmt.Errorf("it reads %q", found[0].Body)
			}
			return errors.Join(err, err2)
		}, 3, map[string]string{"b": "2 v1"}},
		{"reads twice", fast, func(tx resources.Tx, other func(string)) error {
			_, err := tx.Find(context.Background(), []resources.Key{patientKey("a")}, 0)
			other("a")
			_, err2 := tx.Find(context.Background(), []resources.Key{patientKey("a")}, 0)
			return errors.Join(err, err2, write(tx, holding("a", 2)))
		}, 3, map[string]string{"a": "2 v4"}},
		{"has a time of its own", late, func(tx resources.Tx, other func(string)) error {
			err := write(tx, holding("b", 2))
			other("c")
			d := holding("d", 2)
			d.At = time.Now()
			return errors.Join(err, write(tx, d))
		}, 3, map[string]string{"b": "2 v1", "c": "7 v2", "d": "2 v1"}},
		{"is long", fast, func(tx resources.Tx, _ func(string)) error {
			for i := range 4200 {
				if err := write(tx, holding(strconv.Itoa(i), i)); err != nil {
					return err
				}
			}
			return nil
		}, 1, map[string]string{"0": "0 v1", "4199": "4199 v1"}},
		{"ignores an error", fast, func(tx resources.Tx, _ func(string)) error {
			_ = write(tx, resources.Write{Key: patientKey("z")})
			return write(tx, holding("b", 2))
		}, 1, map[string]string{"b": ""}},
		{"refuses", fast, func(tx resources.Tx, _ func(string)) error {
			return errors.Join(write(tx, holding("b", 2)), errRefused)
		}, 1, map[string]string{"b": ""}},
		{"a condition that does not hold", fast, func(tx resources.Tx, _ func(string)) error {
			w, five := holding("a", 2), int64(5)
			w.IfVersion = &five
			return write(tx, holding("b", 2), w)
		}, 1, map[string]string{"a": "1 v1", "b": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			address := server.Schema(t)
			large, small := open(t, address), open(t, address)
			if _, err := small.Write(t.Context(), holding("a", 1)); err != nil {
				t.Fatal(err)
			}
			calls := 0
			err := large.TransactLarge(t.Context(), c.entries, func(tx resources.Tx) error {
				calls++
				return c.fn(tx, func(id string) {
					if calls > 2 {
						return // it has the lock
					}
					if _, err := []*postgres.Store{small, large}[calls-1].Write(t.Context(), holding(id, 7)); err != nil {
						t.Errorf("a small write beside it: %v", err)
					}
				})
			})
			if calls != c.calls {
				t.Errorf("the function was called %d times, want %d: %v", calls, c.calls, err)
			}
			for id, want := range c.want {
				got := ""
				if v, err := small.Read(t.Context(), patientKey(id)); err == nil {
					got = fmt.Sprintf("%s v%d", v.Body, v.VersionID)
				} else if !errors.Is(err, resources.ErrNotFound) {
					t.Error(err)
				}
				if got != want {
					t.Errorf("%s is %q, want %q", id, got, want)
				}
			}
		})
	}
}

var errRefused = errors.New("refused")

// TestStagedLaw lets large and small changes add to the same counters in two processes. No addition is
// lost, both counters of a large change are read as one, and a feed misses and repeats nothing.
func TestStagedLaw(t *testing.T) {
	t.Parallel()
	address := server.Schema(t)
	stores := []*postgres.Store{open(t, address), open(t, address)}
	ctx := t.Context()
	// Some are numbered ahead too little, so others are faster.
	add := func(tx resources.Tx, ids ...string) error {
		for _, id := range ids {
			found, err := tx.Find(ctx, []resources.Key{patientKey(id)}, index.WithBody)
			if err != nil {
				return err
			}
			n, _ := strconv.Atoi(string(found[0].Body))
			if _, err := tx.Write(ctx, holding(id, n+1)); err != nil {
				return err
			}
		}
		return nil
	}
	var group sync.WaitGroup
	var added [3]atomic.Int64
	for n := range 8 {
		group.Go(func() {
			store := stores[n%2]
			for i := range 25 {
				var err error
				if large := (n+i)%3 == 0; large {
					err = store.TransactLarge(ctx, 3000*(i%5-2), func(tx resources.Tx) error { return add(tx, "x", "y") })
					added[0].Add(1)
					added[1].Add(1)
				} else {
					err = store.Transact(ctx, func(tx resources.Tx) error { return add(tx, "z") })
					added[2].Add(1)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	var feed []index.Seq
	follow := func() {
		err := stores[1].View(ctx, func(r index.Reader) error {
			since := index.Seq(1)
			if len(feed) > 0 {
				since = feed[len(feed)-1] + 1
			}
			records, err := r.Versions(ctx, index.VersionsRequest{Since: since})
			for i := range slices.Backward(records) {
				feed = append(feed, records[i].Seq)
			}
			found, err2 := r.Find(ctx, []resources.Key{patientKey("x"), patientKey("y")}, index.WithBody)
			if err2 == nil && string(found[0].Body) != string(found[1].Body) {
				t.Errorf("half of a change is seen: %s and %s", found[0].Body, found[1].Body)
			}
			return errors.Join(err, err2)
		})
		if err != nil {
			t.Error(err)
		}
	}
	for busy := true; busy; {
		select {
		case <-done:
			busy = false
		default:
		}
		follow()
	}
	for i, id := range []string{"x", "y", "z"} {
		v, err := stores[0].Read(ctx, patientKey(id))
		if want := strconv.FormatInt(added[i].Load(), 10); err != nil || string(v.Body) != want || strconv.FormatInt(v.VersionID, 10) != want {
			t.Errorf("%s is %s in version %d, want %s: %v", id, v.Body, v.VersionID, want, err)
		}
	}
	if all := int(added[0].Load() + added[1].Load() + added[2].Load()); len(feed) != all || !slices.IsSorted(feed) {
		t.Errorf("the feed had %d versions of %d", len(feed), all)
	}
}
