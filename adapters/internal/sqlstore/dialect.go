package sqlstore

import (
	"embed"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// Dialect is what differs between the databases; the statements themselves are shared.
type Dialect struct {
	// Name is the folder of the migrations, and the name of the database in errors.
	Name string
	// goose is the name that the migration library has for it.
	goose goose.Dialect
	// locker keeps two processes from migrating at once; nil where the database does.
	locker func() (lock.SessionLocker, error)
	// ForUpdate ends the statement that reads what a transaction is about to replace.
	ForUpdate string
	// Retry reports an error that goes away when the transaction is run again: another
	// writer was faster.
	Retry func(error) bool
}

// SQLite writes in transactions that are exclusive from their beginning (the address must
// say _txlock=immediate), so nothing is locked by row.
func SQLite(retry func(error) bool) Dialect {
	return Dialect{Name: "sqlite", goose: goose.DialectSQLite3, Retry: retry}
}

// Postgres locks the row of the resource that is written.
func Postgres(retry func(error) bool) Dialect {
	return Dialect{
		Name:  "postgres",
		goose: goose.DialectPostgres,
		locker: func() (lock.SessionLocker, error) {
			// Tried every second, for two minutes.
			return lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
		},
		ForUpdate: " FOR UPDATE",
		Retry:     retry,
	}
}
