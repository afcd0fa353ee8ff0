package sqlstore

import (
	"embed"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// Dialect is the kind of a database, for its migrations.
type Dialect struct {
	name  string // the folder of the migrations, and the name of the database in errors
	goose goose.Dialect
	// locker keeps two processes from migrating at once; nil where the database does.
	locker func() (lock.SessionLocker, error)
}

// SQLite has transactions that are exclusive from their beginning (the address must say
// _txlock=immediate).
func SQLite() Dialect { return Dialect{name: "sqlite", goose: goose.DialectSQLite3} }

// Postgres locks the database, as far as others migrate it too.
func Postgres() Dialect {
	return Dialect{
		name:  "postgres",
		goose: goose.DialectPostgres,
		locker: func() (lock.SessionLocker, error) {
			// Tried every second, for two minutes.
			return lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
		},
	}
}
