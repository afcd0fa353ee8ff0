package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestNotices requires that every type that was written is sent at or after its commit, that many commits
// need few notifications, and that closing sends the rest. A notification that fails is not sent again.
func TestNotices(t *testing.T) {
	n := newNotices()
	var mu sync.Mutex
	var sent []string
	n.send = func(_ context.Context, types string) error {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, types)
		return errors.New("the database is down")
	}
	var writers sync.WaitGroup
	for _, typ := range []string{"Patient", "Observation", "CodeSystem"} {
		writers.Go(func() {
			for range 1000 {
				n.add(map[string]bool{typ: true})
			}
		})
	}
	writers.Wait()
	n.add(map[string]bool{"ValueSet": true})
	n.close()
	n.add(map[string]bool{"ConceptMap": true})
	n.close()
	all := slices.Compact(slices.Sorted(strings.SplitSeq(strings.Join(sent, ","), ",")))
	if want := []string{"CodeSystem", "Observation", "Patient", "ValueSet"}; !slices.Equal(all, want) {
		t.Errorf("sent %v, want %v", all, want)
	}
	if len(sent) > 1000 {
		t.Errorf("%d notifications for 3,001 commits", len(sent))
	}
	newNotices().add(map[string]bool{"Patient": true}) // nobody can listen
}
