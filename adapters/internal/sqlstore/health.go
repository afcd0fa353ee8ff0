package sqlstore

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/roget-health/roget/resources"
)

// health is what a store has observed about its database.
type health struct {
	write  atomic.Pointer[error] // of the last write, if it failed; nil after a success
	damage atomic.Pointer[error] // of the first damaged data that was read
	report atomic.Pointer[func(error)]
}

// OnDamage sets the function that is called with damage.
func (s *Store) OnDamage(fn func(err error)) { s.health.report.Store(&fn) }

// failure adds the class of a database error to it, and records damage.
func (s *Store) failure(err error) error {
	if err == nil {
		return nil
	}
	err = s.db.Failure(err)
	if errors.Is(err, resources.ErrDamaged) {
		s.health.damage.CompareAndSwap(nil, &err)
		if report := s.health.report.Load(); report != nil {
			(*report)(err)
		}
	}
	return err
}

// observe records whether the database can be written.
func (s *Store) observe(err error) {
	if err == nil {
		if s.health.write.Load() != nil {
			s.health.write.Store(nil)
		}
		return
	}
	if err = s.failure(err); errors.Is(err, resources.ErrUnavailable) || errors.Is(err, resources.ErrDamaged) {
		s.health.write.Store(&err)
	}
}

// probeMark is the mark that Probe writes, with a value that needs room on the disk.
const (
	probeMark  = "probe"
	probeBytes = 256 << 10
)

// ReadsOnly reports whether the database is a standby.
func (s *Store) ReadsOnly() bool { return s.db.ReadsOnly() }

// Probe reads a little. It writes if the last write failed, or the next one may, unless the database
// is a standby.
func (s *Store) Probe(ctx context.Context) (h resources.Health) {
	h.Reads = s.failure(s.db.Ping(ctx))
	var failed error
	if h.Reads == nil && s.db.ReadsOnly() {
		s.health.write.Store(nil)
		h.Lag, h.Source = s.db.Lag(), s.db.Source()
	} else if last := s.health.write.Load(); last != nil {
		failed = *last
	} else {
		failed = s.db.Writable()
	}
	if failed != nil {
		h.Writes = failed
		if h.Reads == nil && s.SetMark(ctx, probeMark, strings.Repeat(" ", probeBytes)) == nil {
			h.Writes = s.SetMark(ctx, probeMark, "")
		}
	}
	if damage := s.health.damage.Load(); damage != nil {
		h.Data = *damage
	}
	return h
}
