package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Errors of opening a database.
var (
	// ErrNewerSchema is returned for a database whose schema a later version of the program has
	// changed.
	ErrNewerSchema = errors.New("the database was written by a newer version of roget; use that version, or restore a backup made before the upgrade")
	// ErrOlderSchema is returned for a database that must be migrated first but is opened
	// read-only.
	ErrOlderSchema = errors.New("the database has an older schema; run roget serve on it once, which migrates it")
	// ErrStandbySchema is returned for a standby that does not get the schema of this program from its primary.
	ErrStandbySchema = errors.New("the database only reads and has an older schema; start this version of roget with its primary first, which migrates both")
)

//go:embed migrations
var migrations embed.FS

// Dialect is the kind of database that migrations are for.
type Dialect struct {
	name  string // folder of the migrations
	goose goose.Dialect
	// locker prevents concurrent migrations by two processes. It is nil if transactions of the
	// database do so.
	locker func() (lock.Locker, error)
}

// SQLite is the dialect for SQLite, whose transactions are exclusive from their beginning. The
// address must contain _txlock=immediate.
func SQLite() Dialect { return Dialect{name: "sqlite", goose: goose.DialectSQLite3} }

// Postgres is the dialect for PostgreSQL. Migrations hold a row of the table goose_lock, a lease that
// they renew, and no lock of a session, which a pooler in transaction mode would lose.
func Postgres() Dialect {
	return Dialect{
		name:  "postgres",
		goose: goose.DialectPostgres,
		locker: func() (lock.Locker, error) {
			return lock.NewPostgresTableLocker(lock.WithTableLockTimeout(250*time.Millisecond, 480), lock.WithTableLogger(slog.New(slog.DiscardHandler)))
		},
	}
}

// versionTable is the table in which the migration library records the schema version.
const versionTable = "goose_db_version"

// Migrate migrates the schema of db to the version of this program. If the schema is newer, it
// changes nothing and returns ErrNewerSchema.
func Migrate(ctx context.Context, db *sql.DB, dialect Dialect) error {
	files, latest, err := migrationsOf(dialect)
	if err != nil {
		return err
	}
	// Check the usual case first, which is much faster than preparing a migration.
	if current, err := schemaVersion(ctx, db); err == nil && current == latest {
		return nil
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if dialect.locker != nil {
		locker, err := dialect.locker()
		if err != nil {
			return err
		}
		options = append(options, goose.WithLocker(locker))
	}
	provider, err := goose.NewProvider(dialect.goose, db, files, options...)
	if err != nil {
		return fmt.Errorf("cannot migrate the schema: %w", err)
	}
	current, err := provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("cannot migrate the schema: %w", err)
	}
	if current > latest {
		return newerSchemaError(current, latest)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("cannot migrate the schema: %w", err)
	}
	return nil
}

// schemaPause is the time between two looks at the schema of a database that only reads.
const schemaPause = 100 * time.Millisecond

// AwaitSchema waits until a database that only reads has the schema of this program, to which another process
// migrates the database that it follows. It gives up after some time.
func AwaitSchema(ctx context.Context, db *sql.DB, dialect Dialect, most time.Duration) error {
	_, latest, err := migrationsOf(dialect)
	if err != nil {
		return err
	}
	for end := time.Now().Add(most); ; {
		current, err := schemaVersion(ctx, db)
		switch {
		case err == nil && current == latest:
			return nil
		case err == nil && current > latest:
			return newerSchemaError(current, latest)
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Now().After(end):
			return fmt.Errorf("%w (schema version %d, this version needs %d)", ErrStandbySchema, current, latest)
		}
		select {
		case <-ctx.Done():
		case <-time.After(schemaPause):
		}
	}
}

// CheckSchema returns an error if this program cannot read the database without a migration.
func CheckSchema(ctx context.Context, db *sql.DB, dialect Dialect) error {
	_, latest, err := migrationsOf(dialect)
	if err != nil {
		return err
	}
	current, err := schemaVersion(ctx, db)
	switch {
	case err != nil:
		return fmt.Errorf("cannot read the schema version: %w", err)
	case current > latest:
		return newerSchemaError(current, latest)
	case current < latest:
		return fmt.Errorf("%w (schema version %d, this version needs %d)", ErrOlderSchema, current, latest)
	}
	return nil
}

// Latest returns the schema version of this program.
func Latest(dialect Dialect) (int64, error) {
	_, latest, err := migrationsOf(dialect)
	return latest, err
}

// migrationsOf returns the migrations of a dialect and the schema version they lead to.
func migrationsOf(dialect Dialect) (files fs.FS, latest int64, err error) {
	if files, err = fs.Sub(migrations, "migrations/"+dialect.name); err != nil {
		return nil, 0, err
	}
	latest, err = latestMigration(files)
	return files, latest, err
}

func newerSchemaError(current, latest int64) error {
	return fmt.Errorf("%w (schema version %d, this version supports %d)", ErrNewerSchema, current, latest)
}

func schemaVersion(ctx context.Context, db *sql.DB) (int64, error) {
	var version sql.NullInt64
	err := db.QueryRowContext(ctx, "SELECT max(version_id) FROM "+versionTable).Scan(&version)
	return version.Int64, err
}

// latestMigration returns the highest number in the names of migration files.
func latestMigration(files fs.FS) (latest int64, err error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("migration %s: %w", e.Name(), err)
		}
		latest = max(latest, n)
	}
	return latest, nil
}
