package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// RunShared tests several stores that have the same storage open, as several processes would.
// start returns a function that opens the storage, which is empty at first.
func RunShared(t *testing.T, start func(t *testing.T) (open func() resources.Store)) {
	t.Helper()
	for _, row := range []struct {
		name string
		test func(t *testing.T, a, b *suite)
	}{
		{"versions", sharedVersions},
		{"conditional creates", sharedCreates},
		{"journals", sharedJournals},
		{"watch", watch},
	} {
		t.Run(row.name, func(t *testing.T) {
			open := start(t)
			a, b := open(), open()
			t.Cleanup(func() { _, _ = a.Close(), b.Close() })
			row.test(t, &suite{t: t, store: a}, &suite{t: t, store: b})
		})
	}
}

// Both see each other's writes immediately and in one order.
func sharedVersions(t *testing.T, a, b *suite) {
	a.indexed()
	for i := range 5 {
		a.put(code("x"), fmt.Sprint(2*i+1))
		a.equal("read by the other", string(b.read(code("x")).Body), fmt.Sprint(2*i+1))
		b.put(code("x"), fmt.Sprint(2*i+2))
		a.equal("read by the one", string(a.read(code("x")).Body), fmt.Sprint(2*i+2))
	}
	var group sync.WaitGroup
	for _, s := range []*suite{a, b} {
		for range 3 {
			group.Go(func() {
				for range 10 {
					if _, err := s.store.Write(s.ctx(), entered("x", `1`, "e")); err != nil {
						t.Errorf("Write: %v", err)
					}
				}
			})
		}
		group.Go(func() {
			var last index.Seq
			for range 20 {
				s.view(func(r index.Reader) {
					if r.At() < last || s.find(r, 0, "x")[0].Seq > r.At() {
						t.Errorf("a state at %d, after one at %d", r.At(), last)
					}
					last = r.At()
				})
			}
		})
	}
	group.Wait()
	a.equal("versions", a.read(code("x")).VersionID, int64(70))
	b.view(func(r index.Reader) { b.equal("entries", len(b.seqs(r)), 60) })
}

func sharedCreates(t *testing.T, a, b *suite) {
	const callers, names = 3, 5
	var mu sync.Mutex
	created := map[string]int{}
	var group sync.WaitGroup
	for n, s := range []*suite{a, b} {
		x := s.transactor()
		for c := range callers {
			group.Go(func() {
				for i := range names {
					name := fmt.Sprintf("name%d", i)
					var made bool
					err := x.Transact(s.ctx(), func(tx resources.Tx) error {
						made = len(s.scan(tx, index.Range{From: []byte(name), To: []byte(name + "\x00")})) == 0
						if !made {
							return nil
						}
						return s.writeAll(tx, entered(fmt.Sprintf("r%d-%d-%d", n, c, i), `1`, name))
					})
					if err != nil {
						t.Errorf("Transact: %v", err)
					}
					if made {
						mu.Lock()
						created[name]++
						mu.Unlock()
					}
				}
			})
		}
	}
	group.Wait()
	for i := range names {
		if n := created[fmt.Sprintf("name%d", i)]; n != 1 {
			t.Errorf("name%d was created %d times", i, n)
		}
	}
}

func watch(t *testing.T, a, b *suite) {
	watcher, ok := b.store.(resources.Watcher)
	if !ok {
		t.Skip("the store does not tell of writes of others")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	notified := make(chan resources.Key, 100)
	ended := make(chan error, 1)
	go func() {
		ended <- watcher.Watch(ctx, []string{"CodeSystem", "ValueSet"}, func(keys []resources.Key) {
			for _, key := range keys {
				notified <- key
			}
		})
	}()
	expect := func(want resources.Key) {
		t.Helper()
		select {
		case got := <-notified:
			a.equal("told", got, want)
		case <-time.After(time.Minute):
			t.Fatalf("nothing was told of %s", want)
		}
	}
	a.put(code("a"), `1`) // before or after it listens
	expect(code("a"))
	valueSet := resources.Key{Type: "ValueSet", ID: "v"}
	a.put(resources.Key{Type: "ConceptMap", ID: "not watched"}, `1`)
	a.put(valueSet, `1`)
	expect(valueSet)
	a.write(resources.Write{Key: code("a")})
	expect(code("a"))
	a.put(valueSet, `2`)
	expect(valueSet)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Watch: %v, want %v", err, context.Canceled)
	}
}
