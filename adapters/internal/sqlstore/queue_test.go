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

// TestEndedContexts ends the contexts of changes that wait, and of those that are being written. The first
// are not stored. The others may be, as far as their callers know, who do not wait for them.
func TestEndedContexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resources.db")
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		release, held := make(chan struct{}), make(chan struct{})
		write := func(name string) resources.Write {
			return resources.Write{Key: resources.Key{Type: "Basic", ID: name}, Render: func(int64, time.Time) ([]byte, error) {
				if name == "held" {
					<-held
				}
				return []byte(`{}`), nil
			}}
		}
		results := map[string]chan error{}
		start := func(name string, change func(ctx context.Context) error) (end context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			results[name] = make(chan error, 1)
			go func() { results[name] <- change(ctx) }()
			synctest.Wait()
			return cancel
		}
		single := func(name string) context.CancelFunc {
			return start(name, func(ctx context.Context) error { _, err := store.Write(ctx, write(name)); return err })
		}
		transaction := func(name string, wait <-chan struct{}) context.CancelFunc {
			return start(name, func(ctx context.Context) error {
				return store.Transact(ctx, func(tx resources.Tx) error {
					if wait != nil {
						<-wait
					}
					_, err := tx.Write(context.WithoutCancel(ctx), write(name))
					return err
				})
			})
		}
		defer transaction("first", release)()
		ends := []context.CancelFunc{single("waiting"), transaction("waiting too", nil)}
		endHeld := single("held")
		for _, end := range ends {
			end()
		}
		for _, name := range []string{"waiting", "waiting too"} {
			if err := <-results[name]; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		}
		close(release)
		synctest.Wait() // held is being written
		endHeld()
		if err := <-results["held"]; !errors.Is(err, context.Canceled) || err.Error() == context.Canceled.Error() {
			t.Errorf("a change that is being written: %v", err)
		}
		close(held)
		if err := <-results["first"]; err != nil {
			t.Error(err)
		}
		single("last")()
		if err := <-results["last"]; err != nil {
			t.Error(err)
		}
		for name, stored := range map[string]bool{"first": true, "waiting": false, "waiting too": false, "held": false, "last": true} {
			if _, err := store.Read(t.Context(), resources.Key{Type: "Basic", ID: name}); (err == nil) != stored || !stored && !errors.Is(err, resources.ErrNotFound) {
				t.Errorf("%s: %v, want stored: %v", name, err, stored)
			}
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}
