package search

import (
	"context"
	"time"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// Tighten makes a Searcher plan as if everything were large, so that few resources cover all its
// code paths.
func (s *Searcher) Tighten(n int) {
	s.bounds = bounds{
		probe: n, ranges: 2 * n, union: 2, gather: 16 * n, patience: n, looked: 4 * n,
		inner: 2 * n, followed: n, tried: 1_024, many: 1 << 16, exact: n, sorted: n, minBatch: 1, maxBatch: n, minChunk: 1, maxChunk: n,
	}
}

// Exact looks codes up in columns of more different values than n.
func (s *Searcher) Exact(n int) { s.columns.distinct = n }

// Know reads the tokens in use of a parameter.
func (s *Searcher) Know(ctx context.Context, r index.Reader, p *definitions.SearchParam) error {
	run := s.newRun(r, &Query{}, r.At())
	return s.used.get(p.Number).refresh(ctx, run, run.field(p))
}

// Try sets how many values of columns are compared before the index is asked, and how many rows are many.
func (s *Searcher) Try(values, rows int) { s.bounds.tried, s.bounds.many = values, rows }

// Share sets how many versions a search and a step of Build read for columns.
func (s *Searcher) Share(search, step int) { s.columns.share, s.columns.step = search, step }

// Wear sets how many new versions are too many for a search, and how many superseded rows for a table.
func (s *Searcher) Wear(far, worn int) { s.columns.far, s.columns.minWorn = far, worn }

// TakeTurn takes the turn of the search that need not wait for a table. The others wait for some time.
func (s *Searcher) TakeTurn(others time.Duration) {
	s.columns.await = others
	s.columns.turn <- struct{}{}
}

// EndTurn ends the turn.
func (s *Searcher) EndTurn() { <-s.columns.turn }

// Wants returns how many tables Build has to build.
func (s *Searcher) Wants() int {
	s.columns.mu.Lock()
	defer s.columns.mu.Unlock()
	return len(s.columns.wants)
}

// ForgetTotals empties the cache of totals.
func (s *Searcher) ForgetTotals() { s.totals.clear() }

// ColumnBytes returns the memory of all columns.
func (s *Searcher) ColumnBytes() (n int64) {
	s.columns.mu.Lock()
	defer s.columns.mu.Unlock()
	for _, t := range s.columns.tables {
		n += t.bytes.Load()
	}
	return n
}
