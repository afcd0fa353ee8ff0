package e2e_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// TestFeed has three servers on one PostgreSQL write many small resources, in transactions of many sizes,
// while a fourth follows: it must see each version once, in the order of their numbers. ROGET_FEED says
// how many (30,000), and ROGET_FEED_POSTGRES is the address of an empty database to use.
func TestFeed(t *testing.T) {
	total := 30_000
	if n, err := strconv.Atoi(os.Getenv("ROGET_FEED")); err == nil {
		total = n
	}
	address := os.Getenv("ROGET_FEED_POSTGRES")
	if address == "" {
		address = postgresServer.Schema(t)
	}
	open := func() *postgres.Store {
		s, err := postgres.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	var next atomic.Int64
	follower, f := open(), feedReader{seen: make([]bool, total)}
	f.follow(t, follower, func() {
		var group sync.WaitGroup
		for of := range 3 {
			store := open()
			group.Go(func() {
				again := -1 // the first of a transaction to repeat
				for round := of; t.Context().Err() == nil; round++ {
					size := []int{max(2_000, total/500), 1, 300, 20}[round%4]
					from := again
					if again = -1; from < 0 {
						from = int(next.Add(int64(size))) - size
					}
					if from >= total {
						return
					}
					err := store.Transact(t.Context(), func(tx resources.Tx) error {
						var keys []resources.Key
						for n := from; n < min(from+size, total); n++ {
							keys = append(keys, resources.Key{Type: "Basic", ID: fmt.Sprintf("b%d", n)})
						}
						_, err := tx.Find(t.Context(), keys, 0) // all at once
						for i := 0; i < len(keys) && err == nil; i++ {
							body := fmt.Appendf(nil, `{"resourceType":"Basic","id":%q}`, keys[i].ID)
							_, err = tx.Write(t.Context(), resources.Write{Key: keys[i], Render: func(int64, time.Time) ([]byte, error) { return body, nil }})
						}
						return err
					})
					if err != nil { // such as a commit that was not confirmed in time
						t.Logf("write: %v", err)
						round, again = round-1, from
						_, err = store.Read(t.Context(), resources.Key{Type: "Basic", ID: fmt.Sprintf("b%d", from)})
						if err == nil { // it was written
							again = -1
						}
					}
				}
			})
		}
		group.Wait()
	})
}

// feedReader follows the versions of a store, whose ids end with their numbers.
type feedReader struct {
	last  index.Seq // read so far
	seen  []bool
	count int
}

// follow reads while write runs, and what there is after it. All versions must have been seen then.
func (f *feedReader) follow(t *testing.T, store scaleStore, write func()) {
	t.Helper()
	start := time.Now()
	done := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for ended := false; !ended; {
			select {
			case <-done:
				ended = true // the state after the last write is read, too
			case <-time.After(100 * time.Millisecond):
			}
			if err := store.View(t.Context(), func(r index.Reader) error { return f.read(t.Context(), r) }); err != nil {
				t.Errorf("feed: %v", err)
				return
			}
		}
	})
	write()
	close(done)
	reader.Wait()
	if f.count != len(f.seen) {
		t.Fatalf("the feed has %d versions of %d", f.count, len(f.seen))
	}
	t.Logf("%d versions in %v, each once in the feed", f.count, time.Since(start).Round(time.Millisecond))
}

// read reads the versions between the last state and that of a reader.
func (f *feedReader) read(ctx context.Context, r index.Reader) error {
	q := index.VersionsRequest{Since: f.last + 1, Before: r.At() + 1, Limit: 1000}
	for {
		records, err := r.Versions(ctx, q)
		if err != nil {
			return err
		}
		for i := range records {
			rec := &records[i]
			n, err := strconv.Atoi(rec.ID[1:])
			if err != nil || n >= len(f.seen) || f.seen[n] || rec.Seq >= q.Before || rec.Seq <= f.last {
				return fmt.Errorf("%s/%s, number %d, is not what comes before %d", rec.Type, rec.ID, rec.Seq, q.Before)
			}
			f.seen[n] = true
			f.count++
			q.Before = rec.Seq
		}
		if len(records) < q.Limit {
			f.last = r.At()
			return nil
		}
	}
}
