// Package sqlite is a resources.Store in one SQLite file, without cgo. It keeps all
// versions. An acknowledged write survives kill -9 and power loss: the write-ahead log is
// on the medium before Write returns (synchronous=FULL).
//
// One connection writes and several read, so readers never wait for a writer; writers that
// wait for their turn are made durable together. Several processes may open one file on a local disk; a file on a network share must not be
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

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
)

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
	if err := migrate(ctx, path); err != nil {
		return nil, fmt.Errorf("sqlite %s: %w", path, err)
	}
	if created {
		if err := syncFolder(filepath.Dir(path)); err != nil {
			return nil, fmt.Errorf("sqlite %s: %w", path, err)
		}
	}
	address, err := fileAddress(path, "rw")
	if err != nil {
		return nil, fmt.Errorf("sqlite %s: %w", path, err)
	}
	return newStore(ctx, address, false)
}

// migrate makes the file, and brings its tables to the version of this program.
func migrate(ctx context.Context, path string) error {
	db, err := openSQL(path, "rwc", url.Values{"_pragma": {"journal_mode(wal)", "synchronous(full)"}})
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	err = sqlstore.Migrate(ctx, db, sqlstore.SQLite())
	return errors.Join(err, db.Close())
}

// OpenReadOnly opens the store in an existing file for reading, also while another
// process writes it. Writing gives an error. A file that is not there is fs.ErrNotExist.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	var more url.Values
	err := checkSchema(ctx, path, more)
	if c := code(err); c == sqlite3.SQLITE_CANTOPEN || c == sqlite3.SQLITE_READONLY {
		// A folder that cannot be written has no place for the index of the write-ahead
		// log. Without a log nothing is missed by reading the file alone.
		if info, statErr := os.Stat(path + "-wal"); statErr != nil || info.Size() == 0 {
			more = url.Values{"immutable": {"1"}}
			err = checkSchema(ctx, path, more)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("sqlite %s: %w", path, err)
	}
	address, err := fileAddress(path, "ro", more)
	if err != nil {
		return nil, fmt.Errorf("sqlite %s: %w", path, err)
	}
	return newStore(ctx, address, true)
}

func checkSchema(ctx context.Context, path string, more url.Values) error {
	db, err := openSQL(path, "ro", more)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return sqlstore.CheckSchema(ctx, db, sqlstore.SQLite())
}

// readers is how many connections read at once.
func readers() int { return max(4, 2*runtime.GOMAXPROCS(0)) }

// openSQL opens a file for migrations, through the driver.
func openSQL(path, mode string, more url.Values) (*sql.DB, error) {
	address, err := fileAddress(path, mode, more, url.Values{
		"_txlock": {"immediate"}, "_pragma": {"busy_timeout(" + busyTimeout + ")"},
	})
	if err != nil {
		return nil, err
	}
	return sql.Open("sqlite", address)
}

// fileAddress returns the address of a file (SQLite, URI filenames).
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
