package postgres

// Connections returns how many connections are in use, how many are open but idle, and how many
// there may be.
func (s *Store) Connections() (used, idle, limit int) {
	stat := s.db.pool.Stat()
	return int(stat.AcquiredConns()), int(stat.IdleConns()), int(stat.MaxConns())
}
