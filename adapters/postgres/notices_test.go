package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestNoticePause measures the time between notifications, and for one: a tenth of a second, and a second.
func TestNoticePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotices()
		began := time.Now()
		var sent []string
		n.send = func(ctx context.Context, types string) error {
			sent = append(sent, types+" "+time.Since(began).String())
			if types == "A" {
				<-ctx.Done()
			}
			return ctx.Err()
		}
		for _, typ := range []string{"A", "C", "B"} {
			n.add(map[string]bool{typ: true})
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		n.add(map[string]bool{"D": true})
		synctest.Wait()
		n.add(map[string]bool{"E": true})
		n.close() // does not wait
		if want := []string{"A 0s", "B,C 1.1s", "D 1m0s", "E 1m0s"}; !slices.Equal(sent, want) || n.sending {
			t.Errorf("sent %q, want %q", sent, want)
		}
	})
}

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
