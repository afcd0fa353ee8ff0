package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// behind is a store with 300 Observations, and a searcher that has built the columns of a search of them.
type behind struct {
	*shelf
	searcher *search.Searcher
	query    *search.Query
	gate     chan struct{} // Build waits here for each view
}

func newBehind(t *testing.T) *behind {
	b := &behind{shelf: &shelf{TB: t, Store: memory.New(), extractor: index.NewExtractor(definitions.R4())}, gate: make(chan struct{}, 1000)}
	b.searcher = search.New(definitions.R4())
	b.searcher.Tighten(1)
	b.searcher.Share(50, 20)
	b.searcher.Wear(100, 100)
	b.write(0, 300)
	var err error
	b.query, err = b.searcher.Parse("Observation", []search.Param{param("status", "final"), param("_sort", "-code"), param("_count", "1000")}, search.Options{Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(builds(t, b.shelf, b.searcher, func() error { <-b.gate; return nil }))
	t.Cleanup(func() { close(b.gate) })
	b.let(1000)
	for b.search() != byColumns {
	}
	for len(b.gate) > 0 {
		<-b.gate
	}
	return b
}

// let lets Build read n times.
func (b *behind) let(n int) {
	for range n {
		select {
		case b.gate <- struct{}{}:
		default:
		}
	}
}

// write stores versions of Observations.
func (b *behind) write(from, to int) {
	var bodies []string
	for i := from; i < to; i++ {
		bodies = append(bodies, fmt.Sprintf(`{"resourceType":"Observation","id":"o%d","status":%q,"code":{"coding":[{"code":"c%d"}]}}`, i, []string{"final", "amended"}[i%2], i%17))
	}
	b.put(bodies...)
}

const byColumns, byEntries = "by columns", "by entries"

// search compares the search with a full scan, and returns how it was answered.
func (b *behind) search() (how string) {
	b.view(func(r index.Reader) error {
		want, err := search.FullScan(b.Context(), b.query, search.NewEnv(definitions.R4(), nil, r, r.At()))
		if err != nil {
			return err
		}
		page, err := b.searcher.Search(b.Context(), r, b.query)
		if err != nil {
			return err
		}
		if !slices.Equal(names(page.Matches), names(want)) || *page.Total != len(want) {
			b.Errorf("%d matches of %d", *page.Total, len(want))
		}
		if how = byEntries; slices.ContainsFunc(page.Steps, func(s search.Step) bool { return strings.HasPrefix(s.What, "columns") }) {
			how = byColumns
		}
		return nil
	})
	return how
}

// TestFarBehind writes more than a search reads. One search at a time is answered by entries until Build has
// brought the columns up to date, and others wait for it, a little.
func TestFarBehind(t *testing.T) {
	b := newBehind(t)
	b.write(300, 340) // few enough for a search
	if how := b.search(); how != byColumns {
		t.Errorf("few new versions: %s", how)
	}
	size := b.searcher.ColumnBytes()
	b.write(340, 600)
	for range 2 { // the second begins when the first has ended
		if how := b.search(); how != byEntries {
			t.Errorf("while Build is held up: %s", how)
		}
	}
	if n := b.searcher.ColumnBytes(); n < size {
		t.Errorf("the table was emptied: %d bytes of %d", n, size)
	}
	b.searcher.TakeTurn(time.Millisecond)
	if how := b.search(); how != byEntries {
		t.Errorf("a search that has waited long enough: %s", how)
	}
	b.searcher.EndTurn()
	b.searcher.TakeTurn(time.Minute)
	answered := make(chan string)
	go func() { answered <- b.search() }()
	b.let(1000)
	if how := <-answered; how != byColumns {
		t.Errorf("a search that waits: %s", how)
	}
	b.searcher.EndTurn()
}

// TestWorn supersedes most rows of a table. It answers until another has taken its place.
func TestWorn(t *testing.T) {
	b := newBehind(t)
	for n := range 16 {
		b.write(25*(n%4), 25*(n%4)+25)
		if how := b.search(); how != byColumns {
			t.Fatalf("after %d versions: %s", 25*(n+1), how)
		}
	}
	worn := b.searcher.ColumnBytes()
	for n := 0; b.searcher.Wants() > 0 && n < 1000; n++ {
		b.write(n%300, n%300+1)
		b.let(1)
		if how := b.search(); how != byColumns {
			t.Fatalf("while the other is made: %s", how)
		}
	}
	if n := b.searcher.ColumnBytes(); n == 0 || n >= worn || b.searcher.Wants() > 0 {
		t.Errorf("%d bytes, and %d of the worn table", n, worn)
	}
}

// TestBuildFails lets one read fail in each view of Build. It tells of each, and the columns lack nothing.
func TestBuildFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &behind{shelf: &shelf{TB: t, Store: memory.New(), extractor: index.NewExtractor(definitions.R4())}, searcher: search.New(definitions.R4())}
		b.searcher.Tighten(1)
		b.searcher.Share(10, 15)
		b.searcher.Wear(20, 1000)
		ctx, cancel := context.WithCancel(t.Context())
		views, failed, told, done := 0, 0, 0, make(chan bool)
		go func() {
			b.searcher.Build(ctx, func(ctx context.Context, fn func(index.Reader) error) error {
				return b.Store.(resources.Indexed).View(ctx, func(r index.Reader) error {
					views++
					once := &broken{r, views % 7}
					err := fn(once)
					if once.left < 0 {
						failed++
					}
					return err
				})
			}, func(string, error) { told++ })
			close(done)
		}()
		for from, sort := range []string{"_lastUpdated", "-code", "status"} {
			b.write(60*from, 60*from+200)
			b.query, _ = b.searcher.Parse("Observation", []search.Param{param("status", "final"), param("_sort", sort), param("_count", "1000")}, search.Options{Explain: true})
			for n := 0; n < 200 && (b.search() != byColumns || b.searcher.Wants() > 0); n++ {
				time.Sleep(time.Minute)
			}
			if how := b.search(); how != byColumns {
				t.Errorf("sorted by %s: %s", sort, how)
			}
		}
		cancel()
		if <-done; failed < 9 || told != failed {
			t.Errorf("told of %d failures of %d", told, failed)
		}
	})
}
