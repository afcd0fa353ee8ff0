package search_test

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/search/searchtest"
)

// A meter adds up what reads cost: moving to a place of the index, each entry, and each record.
type meter struct {
	*searchtest.Reader
	cost int
}

func (m *meter) Scan(ctx context.Context, rng index.Range, fn func(entry []byte, seq index.Seq) bool) error {
	m.cost += 16
	return m.Reader.Scan(ctx, rng, func(entry []byte, seq index.Seq) bool { m.cost++; return fn(entry, seq) })
}

func (m *meter) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	m.cost += 12 * len(seqs)
	return m.Reader.Load(ctx, seqs, parts)
}

func (m *meter) Find(ctx context.Context, keys []index.Key, parts index.Parts) ([]index.Record, error) {
	m.cost += 12 * len(keys)
	return m.Reader.Find(ctx, keys, parts)
}

func (m *meter) Versions(ctx context.Context, of index.VersionsRequest) ([]index.Record, error) {
	records, err := m.Reader.Versions(ctx, of)
	m.cost += 12 * len(records)
	return records, err
}

//go:embed testdata/effort.txt
var efforts string

// TestEffort compares what searches read, and their estimated totals, with testdata/effort.txt, which has a line
// for each: as if the store were large, larger and huge without columns, a page, the next one and a count, and
// twice with columns. Who improves a plan writes the file anew with what the test prints.
func TestEffort(t *testing.T) {
	w := newWorld(t)
	for want := range strings.Lines(efforts) {
		text, _, _ := strings.Cut(want, "\t")
		got := text
		run := func(s *search.Searcher, cursor string, more ...search.Param) *search.Page {
			m := &meter{Reader: w.Reader}
			q := query(t, s, text, more...)
			q.Cursor = cursor
			page, err := s.Search(t.Context(), m, q)
			if err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprint("\t", m.cost)
			return page
		}
		for _, tight := range []int{20, 4, 1} {
			s := search.New(definitions.R4(), search.WithLimits(search.Limits{Columns: -1, Total: 30 * tight}))
			s.Tighten(tight)
			page := run(s, "", param("_count", 5))
			got += fmt.Sprint("/", *page.Total)
			run(s, page.Next, param("_count", 5))
			run(s, "", param("_count", 0))
		}
		s := search.New(definitions.R4())
		s.Tighten(2)
		run(s, "", param("_count", 5))
		run(s, "", param("_count", 5))
		if got += "\n"; got != want {
			t.Errorf("reads\n%swant\n%s", got, want)
		}
	}
}

// TestCompartmentOfMany: a member by its id is found besides many by a reference.
func TestCompartmentOfMany(t *testing.T) {
	w := &world{Reader: searchtest.NewReader(definitions.R4()), at: time.UnixMilli(1_700_000_000_000)}
	w.add(t, []byte(`{"resourceType":"Patient","id":"p"}`))
	for n := range 40 {
		w.add(t, fmt.Appendf(nil, `{"resourceType":"Patient","id":"l%d","link":[{"other":{"reference":"Patient/p"},"type":"seealso"}]}`, n))
	}
	for _, tight := range []int{0, 1, 2} {
		s := search.New(definitions.R4(), search.WithLimits(search.Limits{Columns: -1}))
		if tight > 0 {
			s.Tighten(tight)
		}
		q, err := s.Parse("Patient", params("_sort=_lastUpdated&_total=accurate"), search.Options{Compartment: &search.Compartment{Type: "Patient", ID: "p"}})
		if err != nil {
			t.Fatal(err)
		}
		page, err := s.Search(t.Context(), w, q)
		want, _ := search.FullScan(t.Context(), q, search.NewEnv(definitions.R4(), nil, w, w.At()))
		if err != nil || !slices.Equal(names(page.Matches), names(want)) {
			t.Errorf("tight %d: %q, want %q", tight, names(page.Matches), names(want))
		}
	}
}
