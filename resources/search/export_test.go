package search

import "time"

// Tighten makes a Searcher plan as if everything were large, so that few resources cover all its
// code paths.
func (s *Searcher) Tighten(n int) {
	s.bounds = bounds{
		probe: n, ranges: 2 * n, union: 2, gather: 16 * n, patience: n, looked: 4 * n,
		inner: 2 * n, followed: n, exact: n, sorted: n, minBatch: 1, maxBatch: n, minChunk: 1, maxChunk: n,
	}
}

// Exact looks codes up in columns of more different values than n.
func (s *Searcher) Exact(n int) { s.columns.distinct = n }

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
