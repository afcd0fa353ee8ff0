package sqlstore_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/resources"
)

// TestLargeJobsAreAlone queues small and large changes while another one runs. Nobody waits for the
// commit of a large one but itself and those that come after it. If they shared a commit, this test
// would come to a standstill.
func TestLargeJobsAreAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resources.db")
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		release, done := make(chan struct{}), map[string]chan struct{}{}
		put := func(name string, entries int) resources.Write {
			w := resources.Write{
				Key:    resources.Key{Type: "Basic", ID: name},
				Render: func(int64, time.Time) ([]byte, error) { return []byte(`{}`), nil },
			}
			for i := range entries {
				w.Entries = append(w.Entries, []byte{byte(i >> 16), byte(i >> 8), byte(i)})
			}
			return w
		}
		queue := func(name string, change func() error) {
			done[name] = make(chan struct{})
			go func() {
				defer close(done[name])
				if err := change(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}()
			synctest.Wait() // it is in the queue
		}
		// after is a transaction that writes once another change is known to be stored.
		after := func(ctx context.Context, name string, other <-chan struct{}) func(resources.Tx) error {
			return func(tx resources.Tx) error {
				<-other
				_, err := tx.Write(ctx, put(name, 1))
				return err
			}
		}
		ctx := t.Context()
		queue("first", func() error { return store.Transact(ctx, after(ctx, "first", release)) })
		queue("small", func() error { _, err := store.Write(ctx, put("small", 1)); return err })
		queue("large", func() error { return store.TransactLarge(ctx, 1, after(ctx, "large", done["small"])) })
		queue("next", func() error { return store.Transact(ctx, after(ctx, "next", done["large"])) })
		queue("large single", func() error { _, err := store.Write(ctx, put("single", resources.LargeEntries+1)); return err })
		queue("last", func() error { return store.Transact(ctx, after(ctx, "last", done["large single"])) })
		close(release)
		for _, ended := range done {
			<-ended
		}
		for _, name := range []string{"first", "small", "large", "next", "single", "last"} {
			if v, err := store.Read(ctx, resources.Key{Type: "Basic", ID: name}); err != nil || v.VersionID != 1 {
				t.Errorf("%s: version %d, %v", name, v.VersionID, err)
			}
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestCloseWithLargeJobs closes a store in which jobs wait that were already taken from its queue.
func TestCloseWithLargeJobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resources.db")
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		release, results := make(chan struct{}), make(chan error, 8)
		for range 4 {
			go func() {
				results <- store.TransactLarge(t.Context(), 1, func(resources.Tx) error { <-release; return nil })
			}()
			synctest.Wait()
		}
		go func() { results <- store.Close() }()
		synctest.Wait()
		close(release)
		closed := 0
		for range 5 {
			switch err := <-results; {
			case errors.Is(err, resources.ErrClosed):
				closed++
			case err != nil:
				t.Error(err)
			}
		}
		if closed != 3 {
			t.Errorf("%d of the jobs that waited know that the store is closed", closed)
		}
	})
}

// TestEndedContexts ends the context of a change that is being written, and of one that waits. Only the first
// may be stored, as far as its caller knows.
func TestEndedContexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resources.db")
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan struct{})
		write := func(ctx context.Context, name string) <-chan error {
			result := make(chan error, 1)
			go func() {
				_, err := store.Write(ctx, resources.Write{
					Key:    resources.Key{Type: "Basic", ID: name},
					Render: func(int64, time.Time) ([]byte, error) { <-release; return []byte(`{}`), nil },
				})
				result <- err
			}()
			synctest.Wait()
			return result
		}
		ctx, end := context.WithCancel(t.Context())
		written, waiting := write(ctx, "written"), write(ctx, "waiting")
		end()
		if err := <-waiting; err == nil || err.Error() != context.Canceled.Error() {
			t.Errorf("waiting: %v", err)
		}
		if err := <-written; !errors.Is(err, context.Canceled) || err.Error() == context.Canceled.Error() {
			t.Errorf("being written: %v", err)
		}
		close(release)
		if err := <-write(t.Context(), "last"); err != nil {
			t.Error(err)
		}
		if _, err := store.Read(t.Context(), resources.Key{Type: "Basic", ID: "waiting"}); !errors.Is(err, resources.ErrNotFound) {
			t.Errorf("waiting is stored: %v", err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}
