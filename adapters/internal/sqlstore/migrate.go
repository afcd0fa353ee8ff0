package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

// Errors of opening a database.
var (
	// ErrNewerSchema is returned when a later version of the program has changed the tables.
	ErrNewerSchema = errors.New("the database was written by a newer version of roget")
	// ErrOlderSchema is returned when the tables must be changed first, but the database is opened for reading only.
	ErrOlderSchema = errors.New("the database has an older schema; open it for writing once")
)

// versionTable is where the migration library notes what was done.
const versionTable = "goose_db_version"

// Migrate brings the tables of db to the version of this program. It gives
// ErrNewerSchema, and changes nothing, when they are ahead of it.
func Migrate(ctx context.Context, db *sql.DB, dialect Dialect) error {
	files, latest, err := migrationsOf(dialect)
	if err != nil {
		return err
	}
	// The usual case first: asking is much quicker than preparing to migrate.
	if current, err := schemaVersion(ctx, db); err == nil && current == latest {
		return nil
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if dialect.locker != nil {
		locker, err := dialect.locker()
		if err != nil {
			return err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(dialect.goose, db, files, options...)
	if err != nil {
		return fmt.Errorf("migrate %s: %w", dialect.name, err)
	}
	current, err := provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("migrate %s: %w", dialect.name, err)
	}
	if current > latest {
		return newer(current, latest)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate %s: %w", dialect.name, err)
	}
	return nil
}

// CheckSchema reports a database that this program cannot read as it is.
func CheckSchema(ctx context.Context, db *sql.DB, dialect Dialect) error {
	_, latest, err := migrationsOf(dialect)
	if err != nil {
		return err
	}
	current, err := schemaVersion(ctx, db)
	switch {
	case err != nil:
		return fmt.Errorf("schema version: %w", err)
	case current > latest:
		return newer(current, latest)
	case current < latest:
		return fmt.Errorf("%w: version %d, need %d", ErrOlderSchema, current, latest)
	}
	return nil
}

// migrationsOf returns the migrations of a dialect and the version they lead to.
func migrationsOf(dialect Dialect) (files fs.FS, latest int64, err error) {
	if files, err = fs.Sub(migrations, "migrations/"+dialect.name); err != nil {
		return nil, 0, err
	}
	latest, err = latestMigration(files)
	return files, latest, err
}

func newer(current, latest int64) error {
	return fmt.Errorf("%w: schema version %d, this one knows %d", ErrNewerSchema, current, latest)
}

func schemaVersion(ctx context.Context, db *sql.DB) (int64, error) {
	var version sql.NullInt64
	err := db.QueryRowContext(ctx, "SELECT max(version_id) FROM "+versionTable).Scan(&version)
	return version.Int64, err
}

// latestMigration returns the highest number that a migration file begins with.
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
