package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/postgres/pgtest"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

var server pgtest.Server

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

// Tables of the first version of the program are migrated to the present ones and back, with all
// their content.
func TestMigrations(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "resources.db")
		migrations(t, "sqlite", path, goose.DialectSQLite3, func(ctx context.Context) (store, error) { return sqlite.Open(ctx, path) })
	})
	t.Run("postgres", func(t *testing.T) {
		address := server.Schema(t)
		migrations(t, "pgx", address, goose.DialectPostgres, func(ctx context.Context) (store, error) { return postgres.Open(ctx, address) })
	})
}

type store interface {
	resources.Store
	resources.Historian
	resources.Indexed
}

func migrations(t *testing.T, driver, address string, dialect goose.Dialect, open func(context.Context) (store, error)) {
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	folder := map[string]string{"sqlite": "migrations/sqlite", "pgx": "migrations/postgres"}[driver]
	files, err := fs.Sub(os.DirFS("."), folder)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(dialect, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	// Two resources of the same millisecond, one of them deleted later. The times of different
	// resources are not in order.
	old := []string{
		"CodeSystem a 1 1714979289123 0", "CodeSystem a 2 1714979289123 0", "CodeSystem a 3 1714979289124 0",
		"CodeSystem b 1 1714979289123 0", "CodeSystem b 2 1714979289999 1", "ValueSet a 1 1614979289123 0",
	}
	for _, row := range old {
		f := strings.Fields(row)
		body := any([]byte(row))
		if f[4] == "1" {
			body = nil
		}
		insert(t, db, `INSERT INTO resource_version (type, id, version_id, last_updated, deleted, body) VALUES ($1, $2, $3, $4, $5, $6)`,
			f[0], f[1], f[2], f[3], f[4], body)
	}
	for _, row := range []string{old[2], old[4], old[5]} {
		f := strings.Fields(row)
		insert(t, db, `INSERT INTO resource (type, id, version_id, last_updated, deleted) VALUES ($1, $2, $3, $4, $5)`, f[0], f[1], f[2], f[3], f[4])
	}
	want := []string{old[0], old[1], old[2], old[3], old[4], old[5]}
	for range 2 {
		s, err := open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		checkMigrated(t, s, want)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := provider.DownTo(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := db.QueryRow(`SELECT count(*) FROM resource_version`).Scan(&n); err != nil || n != len(old) {
			t.Fatalf("%d versions after going back, %v", n, err)
		}
	}
}

func insert(t *testing.T, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// checkMigrated compares the histories of a store with rows in the format of the first migration.
func checkMigrated(t *testing.T, s store, want []string) {
	t.Helper()
	have := map[string]bool{}
	for _, key := range []resources.Key{{Type: "CodeSystem", ID: "a"}, {Type: "CodeSystem", ID: "b"}, {Type: "ValueSet", ID: "a"}} {
		history, err := s.History(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range history {
			deleted := 0
			if v.Deleted {
				deleted = 1
			}
			row := fmt.Sprintf("%s %s %d %d %d", v.Type, v.ID, v.VersionID, v.LastUpdated.UnixMilli(), deleted)
			have[row] = true
			if !v.Deleted && string(v.Body) != row {
				t.Errorf("%s has the body %q", row, v.Body)
			}
		}
	}
	for _, row := range want {
		if !have[row] {
			t.Errorf("%s is lost", row)
		}
	}
	if len(have) != len(want) {
		t.Errorf("%d versions, want %d", len(have), len(want))
	}
	if v, err := s.Read(t.Context(), resources.Key{Type: "CodeSystem", ID: "a"}); err != nil || v.VersionID != 3 {
		t.Errorf("current version %d, %v; want 3", v.VersionID, err)
	}
	err := s.View(t.Context(), func(r index.Reader) error {
		records, err := r.Versions(t.Context(), index.VersionsRequest{})
		for i, record := range records {
			if i > 0 && record.Seq >= records[i-1].Seq {
				t.Errorf("Seq %d after %d", record.Seq, records[i-1].Seq)
			}
			if current := record.Until == index.Current; current != (record.ID == "a" && record.VersionID == 3 || record.ID == "b" && record.VersionID == 2 || record.Type == "ValueSet") {
				t.Errorf("%s/%s/%d: Until is %d", record.Type, record.ID, record.VersionID, record.Until)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAwaitSchema waits for a schema that another process makes meanwhile.
func TestAwaitSchema(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "resources.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	dialect := sqlstore.SQLite()
	await := func(ctx context.Context, most time.Duration) error {
		return sqlstore.AwaitSchema(ctx, db, dialect, most)
	}
	if err := await(t.Context(), 0); !errors.Is(err, sqlstore.ErrStandbySchema) {
		t.Errorf("no schema: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() { waiting <- await(ctx, time.Hour) }()
	if cancel(); !errors.Is(<-waiting, context.Canceled) {
		t.Error("the wait goes on without its caller")
	}
	go func() { waiting <- await(t.Context(), time.Hour) }()
	if err := sqlstore.Migrate(t.Context(), db, dialect); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err != nil {
		t.Errorf("with the schema: %v", err)
	}
	for change, want := range map[string]error{
		"UPDATE goose_db_version SET version_id = version_id - 1 WHERE version_id = (SELECT max(version_id) FROM goose_db_version)":   sqlstore.ErrStandbySchema,
		"UPDATE goose_db_version SET version_id = version_id + 100 WHERE version_id = (SELECT max(version_id) FROM goose_db_version)": sqlstore.ErrNewerSchema,
	} {
		insert(t, db, change)
		if err := await(t.Context(), 0); !errors.Is(err, want) {
			t.Errorf("%s: %v", change, err)
		}
		insert(t, db, "DELETE FROM goose_db_version")
		latest, err := sqlstore.Latest(dialect)
		if err != nil {
			t.Fatal(err)
		}
		insert(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, true)", latest)
	}
}
