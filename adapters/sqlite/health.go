package sqlite

import (
	"context"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/roget-health/roget/resources"
)

// Failure adds the class of an error.
func (d *database) Failure(err error) error {
	if errors.Is(err, resources.ErrUnavailable) || errors.Is(err, resources.ErrDamaged) {
		return err
	}
	class := resources.ErrUnavailable
	switch code(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_BUSY,
		sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOLFS, sqlite3.SQLITE_NOMEM:
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		class = resources.ErrDamaged
	default:
		return err
	}
	return fmt.Errorf("%w: %w", class, explained(err))
}

// Ping reads a mark.
func (d *database) Ping(ctx context.Context) error {
	_, err := d.Mark(ctx, "index")
	return err
}

// leastRoom is the number of free bytes on the disk below which Writable doubts.
const leastRoom = 1 << 20

// ReadsOnly, Lag and Source are about standbys, which SQLite has not.
func (d *database) ReadsOnly() bool { return false }
func (d *database) Lag() error      { return nil }
func (d *database) Source() error   { return nil }

// Writable asks the system whether the file may be written and its disk has room.
func (d *database) Writable() error {
	if d.readOnly {
		return nil
	}
	return writable(d.path, leastRoom)
}
