package resources_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
)

// shared is a store that several services share. It reports all writes to each of them.
type shared struct {
	*memory.Store
	written chan []resources.Key
}

func (s shared) Watch(ctx context.Context, types []string, fn func([]resources.Key)) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case keys, open := <-s.written:
			if !open {
				return errors.New("connection lost")
			}
			fn(keys)
			s.written <- nil // done
		}
	}
}

// TestMaintainWatches checks that writes of other processes are published here once, and that
// writes of this process are not published again.
func TestMaintainWatches(t *testing.T) {
	store := shared{memory.New(), make(chan []resources.Key)}
	here := &listener{journal: &journal{}, published: map[string]string{}}
	service := resources.NewService(store, here)
	other := resources.NewService(store, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		service.Maintain(ctx)
	}()
	tell := func(ids ...string) []string {
		var keys []resources.Key
		for _, id := range ids {
			keys = append(keys, resources.Key{Type: "CodeSystem", ID: id})
		}
		store.written <- keys
		<-store.written
		return here.take()
	}
	put := func(s *resources.Service, id, status string) {
		t.Helper()
		if _, err := s.Update(t.Context(), "CodeSystem", id, []byte(`{"resourceType":"CodeSystem","id":"`+id+`","status":"`+status+`"}`), resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	put(other, "a", "draft")
	put(service, "b", "draft")
	here.take()
	want := []string{"prepare CodeSystem/a", "publish CodeSystem/a"}
	if diff := cmp.Diff(want, tell("a", "b", "none")); diff != "" {
		t.Errorf("written by another (-want +got):\n%s", diff)
	}
	if got := tell("a"); len(got) > 0 {
		t.Errorf("told again: %v", got)
	}
	put(other, "b", "active")
	if _, err := other.Delete(t.Context(), "CodeSystem", "a", resources.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	want = []string{"prepare CodeSystem/a", "publish CodeSystem/a", "prepare CodeSystem/b", "publish CodeSystem/b"}
	if diff := cmp.Diff(want, tell("a", "b")); diff != "" {
		t.Errorf("changed by another (-want +got):\n%s", diff)
	}
	if len(here.published) != 1 || here.published["CodeSystem/b"] == "" {
		t.Errorf("published %v", here.published)
	}
	cancel()
	<-done
}

// TestPurge checks that the pages of a search last for an hour.
func TestPurge(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		now := time.Now()
		service := resources.NewService(store, nil, resources.WithClock(func() time.Time { return now }))
		for _, family := range []string{"One", "Two", "Three"} {
			if _, err := service.Update(t.Context(), "Patient", "a", patient("a", "1", family), resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			now = now.Add(40 * time.Minute)
		}
		// The first was superseded 80 minutes ago, the second 40.
		if n, err := service.Purge(t.Context()); err != nil || n != 1 {
			t.Errorf("purged %d, %v", n, err)
		}
		if got := found(t, service, "Patient", "family=three"); len(got) != 1 {
			t.Errorf("found %v", got)
		}
	})
}
