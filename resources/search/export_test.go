package search

// Tighten makes a Searcher plan as if everything were large, so that few resources cover all its
// code paths.
func (s *Searcher) Tighten(n int) {
	s.bounds = bounds{
		probe: n, ranges: 2 * n, union: 2, gather: 16 * n, patience: n, looked: 4 * n,
		inner: 2 * n, followed: n, sorted: n, minBatch: 1, maxBatch: n, minChunk: 1, maxChunk: n,
	}
}

// ForgetTotals empties the cache of totals.
func (s *Searcher) ForgetTotals() { s.totals.clear() }

// ColumnBytes returns the memory of all columns.
func (s *Searcher) ColumnBytes() (n int64) {
	for _, t := range s.columns.tables {
		n += t.bytes.Load()
	}
	return n
}
