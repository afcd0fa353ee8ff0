// Package sqlite is a resources.Store in a single SQLite file, without cgo. It stores all
// versions. An acknowledged write survives kill -9 and power loss: the write-ahead log is synced
// before Write returns (synchronous=FULL).
//
// One connection writes and several read, so readers never wait for a writer. Waiting writes are
// committed together. Several processes may open one file on a local disk. A file on a network
// share must not be shared.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/roget-health/roget/adapters/internal/explain"
	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/internal/durable"
)

var (
	// ErrNewerSchema is returned for a file whose schema a later version of the program has
	// changed.
	ErrNewerSchema = sqlstore.ErrNewerSchema
	// ErrOlderSchema is returned by OpenReadOnly for a file that must be migrated first.
	ErrOlderSchema = sqlstore.ErrOlderSchema
)

// busyTimeout is how long a connection waits for the lock of another process, in milliseconds.
const busyTimeout = "10000"

// An Option changes how Open opens a store.
type Option func(*database)

// WithCacheBytes sets the memory for the pages that all connections cache, which lies outside of Go's
// heap. The connection that writes has half of it, at most 64 MiB; those that read share the rest, at
// most 8 MiB each. There are fewer of them where each would have less than 1 MiB. The default is what
// the most takes.
func WithCacheBytes(n int64) Option { return func(d *database) { d.plan(n) } }

// Open opens the store in the file at path and creates the file if needed. The error wraps ErrLost if
// the file is missing or empty and there was a store.
func Open(ctx context.Context, path string, options ...Option) (*Store, error) {
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, errors.New("the SQLite store needs the path of a file, for example sqlite:roget.db; memory: keeps resources in memory")
	}
	exists, err := Exists(path)
	if err != nil {
		return nil, err
	}
	if !exists {
		if err := createPrivate(path); err != nil {
			return nil, failed(path, err)
		}
	}
	if err := migrate(ctx, path); err != nil {
		return nil, failed(path, err)
	}
	// A store that an earlier program made has no marker, and its disk may be full.
	if err := mark(path); err != nil && !exists {
		return nil, failed(path, err)
	}
	address, err := fileAddress(path, "rw")
	if err != nil {
		return nil, failed(path, err)
	}
	return newStore(ctx, path, address, false, options...)
}

// createPrivate creates an empty file that only its owner may read, durably. SQLite gives the same
// permissions to the files beside it. Another process may have been faster, and a folder that does not
// exist is reported by SQLite.
func createPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return durable.SyncFolder(filepath.Dir(path))
}

// failed names the file in an error, and the reason in words for users.
func failed(path string, err error) error {
	return fmt.Errorf("SQLite store %s: %w", path, explained(err))
}

// explanations are the texts for result codes that have a cause outside of the program.
func explanations() map[int]string {
	return map[int]string{
		sqlite3.SQLITE_CANTOPEN: "the file cannot be opened or created",
		sqlite3.SQLITE_READONLY: "the file or its folder is read-only",
		sqlite3.SQLITE_PERM:     "permission denied",
		sqlite3.SQLITE_BUSY:     "locked by another process; try again when it has finished",
		sqlite3.SQLITE_FULL:     "the disk is full",
		sqlite3.SQLITE_NOTADB:   "the file is not a database",
		sqlite3.SQLITE_CORRUPT:  "the database is corrupted; restore it from a backup",
	}
}

// explained returns an error with the same chain and a text for users, if there is a better one.
func explained(err error) error {
	if text, ok := explanations()[code(err)]; ok {
		return explain.With(text, err)
	}
	return explain.File(err)
}

// migrate creates the file if needed and migrates its schema to the version of this program.
func migrate(ctx context.Context, path string) error {
	db, err := openSQL(path, "rwc", url.Values{"_pragma": {"journal_mode(wal)", "synchronous(full)"}})
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	err = sqlstore.Migrate(ctx, db, sqlstore.SQLite())
	return errors.Join(err, db.Close())
}

// OpenReadOnly opens the store in an existing file for reading, even while another process writes
// it. Writes fail. If there is no store, the error wraps fs.ErrNotExist, and if there was one, ErrLost.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	switch exists, err := Exists(path); {
	case err != nil:
		return nil, err
	case !exists:
		return nil, failed(path, fs.ErrNotExist)
	}
	var parameters url.Values
	err := checkSchema(ctx, path, parameters)
	if c := code(err); c == sqlite3.SQLITE_CANTOPEN || c == sqlite3.SQLITE_READONLY {
		// In a read-only folder SQLite cannot create the index of the write-ahead log. If there
		// is no log, reading the file alone misses nothing.
		if info, statErr := os.Stat(path + "-wal"); statErr != nil || info.Size() == 0 {
			parameters = url.Values{"immutable": {"1"}}
			err = checkSchema(ctx, path, parameters)
		}
	}
	if err != nil {
		return nil, failed(path, err)
	}
	address, err := fileAddress(path, "ro", parameters)
	if err != nil {
		return nil, failed(path, err)
	}
	return newStore(ctx, path, address, true)
}

func checkSchema(ctx context.Context, path string, parameters url.Values) error {
	db, err := openSQL(path, "ro", parameters)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return sqlstore.CheckSchema(ctx, db, sqlstore.SQLite())
}

// openSQL opens a file for migrations, through the driver.
func openSQL(path, mode string, parameters url.Values) (*sql.DB, error) {
	address, err := fileAddress(path, mode, parameters, url.Values{
		"_txlock": {"immediate"}, "_pragma": {"busy_timeout(" + busyTimeout + ")"},
	})
	if err != nil {
		return nil, err
	}
	return sql.Open("sqlite", address)
}

// fileAddress returns the URI filename of SQLite for a path.
func fileAddress(path, mode string, parameters ...url.Values) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	query := url.Values{"mode": {mode}}
	for _, p := range parameters {
		for name, values := range p {
			query[name] = append(query[name], values...)
		}
	}
	slashed := filepath.ToSlash(absolute)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a Windows path begins with its drive
	}
	address := url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}
	return address.String(), nil
}
