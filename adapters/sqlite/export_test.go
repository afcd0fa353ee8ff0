package sqlite

// WithRecent sets how many entries may be outside of the table, and how many a commit moves to it at least.
func WithRecent(most, least int) Option {
	return func(d *database) { d.maxRecent, d.minSettled = most, least }
}

// Unsettled returns how many entries a store keeps in memory.
func (s *Store) Unsettled() int {
	if state := s.database.recent.state.Load(); state != nil {
		return state.entries()
	}
	return 0
}
