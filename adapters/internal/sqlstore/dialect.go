package sqlstore

import (
	"embed"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// Dialect is the kind of database that migrations are for.
type Dialect struct {
	name  string // folder of the migrations
	goose goose.Dialect
	// locker prevents concurrent migrations by two processes. It is nil if transactions of the
	// database do so.
	locker func() (lock.SessionLocker, error)
}

// SQLite is the dialect for SQLite, whose transactions are exclusive from their beginning. The
// address must contain _txlock=immediate.
func SQLite() Dialect { return Dialect{name: "sqlite", goose: goose.DialectSQLite3} }

// Postgres is the dialect for PostgreSQL. Migrations hold a session lock.
func Postgres() Dialect {
	return Dialect{
		name:  "postgres",
		goose: goose.DialectPostgres,
		locker: func() (lock.SessionLocker, error) {
			// retry every second for two minutes
			return lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
		},
	}
}
