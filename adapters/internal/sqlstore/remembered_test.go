package sqlstore

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/resources"
)

// TestRememberedIsBounded fills the memory to its bound with documents of random lengths, and one byte beyond.
func TestRememberedIsBounded(t *testing.T) {
	var r remembered
	add := func(n, size int) {
		r.add(resources.Version{Key: basic(fmt.Sprint(n)), VersionID: 1, Body: make([]byte, size)})
	}
	has := func(n int) bool {
		_, known := r.get(basic(fmt.Sprint(n)))
		return known
	}
	r.clear()
	for n := range 2 * maxRememberedBytes / maxRememberedBody {
		add(n/2, 1+rand.IntN(maxRememberedBody)) // each twice, and the second counts
	}
	r.clear()
	const all = maxRememberedBytes / maxRememberedBody
	for n := range all {
		add(n, maxRememberedBody)
	}
	if r.bytes != maxRememberedBytes || !has(0) || !has(all-1) { // and 0 is now younger than 1
		t.Errorf("%d bytes of %d, or one is forgotten", r.bytes, maxRememberedBytes)
	}
	add(all, 1)
	if has(1) || !has(0) || !has(2) || r.bytes != maxRememberedBytes-maxRememberedBody+1 {
		t.Errorf("one byte more: %d bytes", r.bytes)
	}
	if add(0, maxRememberedBody+1); has(0) || r.bytes != maxRememberedBytes-2*maxRememberedBody+1 {
		t.Errorf("a document that is too long: %d bytes", r.bytes)
	}
	if r.add(resources.Version{Key: basic("2"), Deleted: true}); has(2) {
		t.Error("a deletion is remembered")
	}
	r.clear()
	for n := range maxRemembered + 1 {
		add(n, 1)
	}
	if r.bytes != maxRemembered || has(0) || !has(1) {
		t.Errorf("%d documents of %d", r.bytes, maxRemembered)
	}
}

// TestRemembered lets two processes write at random. What one of them remembers it has written, and it is the
// newest version unless the other has written after its last group began.
func TestRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := newFake()
		stores := [2]*Store{New(f), New(f)}
		defer stores[0].Close()
		defer stores[1].Close()
		newest := func(id string) (resources.Version, bool) {
			x := f.now.Load().current(basic(id))
			return version(&x.Record), x.VersionID > 0 && !x.Deleted
		}
		var last [2]int        // the last step in which each has written
		var alone [2]time.Time // since when the other has not been met
		times := 0
		rng := rand.New(rand.NewPCG(1, 2))
		for step := 1; step <= 3000; step++ {
			of := 0
			if rng.IntN(30) == 0 {
				of = 1
			}
			s, id, body := stores[of], fmt.Sprint(rng.IntN(3)), fmt.Sprint(step)
			began, now := time.Now(), f.now.Load().current(basic(id)).VersionID
			var err error
			switch rng.IntN(12) {
			case 0:
				time.Sleep(time.Duration(rng.IntN(3)) * aloneTime)
				continue
			case 1:
				err = s.Transact(ctx, func(tx resources.Tx) error { return writeAll(ctx, tx, put(id, body)) })
			case 2:
				err = s.TransactLarge(ctx, 10, func(tx resources.Tx) error { return writeAll(ctx, tx, put(id, body)) })
			case 3:
				if _, there := newest(id); !there {
					continue
				}
				_, err = s.Write(ctx, resources.Write{Key: basic(id)})
			default:
				_, err = s.Write(ctx, after(now, id, body))
			}
			if err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
			if last[1-of] > last[of] {
				alone[of] = began
			}
			last[of] = step
			for of, s := range stores {
				for _, id := range []string{"0", "1", "2"} {
					v, known := s.Remembered(basic(id))
					want, there := newest(id)
					switch current := last[of] > last[1-of]; {
					case !known:
					case time.Since(alone[of]) < aloneTime:
						t.Fatalf("step %d: remembered beside another process", step)
					case current && (!there || v.VersionID != want.VersionID || !bytes.Equal(v.Body, want.Body)):
						t.Fatalf("step %d: %d %s is remembered in place of %d %s", step, v.VersionID, v.Body, want.VersionID, want.Body)
					default:
						times++
					}
				}
			}
		}
		if times < 1000 {
			t.Errorf("remembered %d times", times)
		}
	})
}

// TestConflictForgets requires that a version that is not the newest is forgotten when that is found out.
func TestConflictForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		mine, other := New(f), New(f)
		defer mine.Close()
		defer other.Close()
		write := func(s *Store, w resources.Write) error {
			_, err := s.Write(context.Background(), w)
			return err
		}
		for n, err := range []error{write(mine, after(0, "a", "1")), write(other, put("a", "2"))} {
			if err != nil {
				t.Fatal(n, err)
			}
		}
		if v, known := mine.Remembered(basic("a")); !known || v.VersionID != 1 {
			t.Errorf("before: %v, %v", v, known)
		}
		if err := write(mine, after(1, "a", "3")); err == nil {
			t.Error("no conflict")
		}
		time.Sleep(2 * max(doubtTime, aloneTime))
		if v, known := mine.Remembered(basic("a")); known {
			t.Errorf("after: %v", v)
		}
	})
}
