// Package sqlite is a resources.Store in one SQLite file, without cgo. It keeps all
// versions. An acknowledged write survives kill -9 and power loss: the write-ahead log is
// on the medium before Write returns (synchronous=FULL).
//
// One connection writes and several read, so readers never wait for a writer. Several
// processes may open one file on a local disk; a file on a network share must not be
// shared.
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
	"runtime"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
)

// Store is a resources.Store and resources.Historian.
type Store = sqlstore.Store

// Errors of Open.
var (
	// ErrNewerSchema is returned for a file that a later version of the program has changed.
	ErrNewerSchema = sqlstore.ErrNewerSchema
	// ErrOlderSchema is returned by OpenReadOnly for a file that has to be migrated first.
	ErrOlderSchema = sqlstore.ErrOlderSchema
)

// busyTimeout is how long a connection waits for another process, in milliseconds.
const busyTimeout = "10000"

// Open opens the store in the file at path, which is made when it is not there.
func Open(ctx context.Context, path string) (*Store, error) {
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, errors.New("sqlite: need the path of a file; for a store in memory take adapters/memory")
	}
	_, err := os.Stat(path)
	created := errors.Is(err, fs.ErrNotExist)
	dialect := sqlstore.SQLite(busy)
	write, err := open(path, "rwc", "journal_mode(wal)", "synchronous(full)")
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	if err := sqlstore.Migrate(ctx, write, dialect); err != nil {
		_ = write.Close()
		return nil, fmt.Errorf("sqlite %s: %w", path, err)
	}
	if created {
		if err := syncFolder(filepath.Dir(path)); err != nil {
			_ = write.Close()
			return nil, fmt.Errorf("sqlite %s: %w", path, err)
		}
	}
	read, err := open(path, "rw", "query_only(1)")
	if err != nil {
		_ = write.Close()
		return nil, err
	}
	pool(read)
	return sqlstore.New(write, read, dialect), nil
}

// OpenReadOnly opens the store in an existing file for reading, also while another
// process writes it. Writing gives an error. A file that is not there is fs.ErrNotExist.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	dialect := sqlstore.SQLite(busy)
	db, err := open(path, "ro", "query_only(1)")
	if err != nil {
		return nil, err
	}
	err = sqlstore.CheckSchema(ctx, db, dialect)
	if c := code(err); c == sqlite3.SQLITE_CANTOPEN || c == sqlite3.SQLITE_READONLY {
		// A folder that cannot be written has no place for the index of the write-ahead
		// log. Without a log nothing is missed by reading the file alone.
		if info, statErr := os.Stat(path + "-wal"); statErr != nil || info.Size() == 0 {
			_ = db.Close()
			if db, err = open(path, "ro", "query_only(1)", "immutable"); err != nil {
				return nil, err
			}
			err = sqlstore.CheckSchema(ctx, db, dialect)
		}
	}
	if err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("sqlite %s: %w", path, err)
	}
	pool(db)
	return sqlstore.New(db, db, dialect), nil
}

func pool(db *sql.DB) {
	n := max(4, runtime.GOMAXPROCS(0))
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
}

// open makes a pool for a file; nothing is opened yet.
func open(path, mode string, pragmas ...string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	query := url.Values{
		"mode":    {mode},
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(" + busyTimeout + ")", "foreign_keys(1)"},
	}
	for _, p := range pragmas {
		if p == "immutable" {
			query.Set(p, "1")
			continue
		}
		query.Add("_pragma", p)
	}
	slashed := filepath.ToSlash(absolute)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a Windows path begins with its drive
	}
	address := url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, fmt.Errorf("sqlite %s: %w", path, err)
	}
	return db, nil
}

// busy reports that another process holds the write lock.
func busy(err error) bool { return code(err) == sqlite3.SQLITE_BUSY }

// code gives the primary result code of an SQLite error, -1 for another error.
func code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return -1
	}
	return e.Code() & 0xff
}

// syncFolder makes the name of a new file durable.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
