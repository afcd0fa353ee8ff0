package backend

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
)

// A store with the schema of any earlier program is backed up as it is, and the trial of the backup
// migrates a copy. Commands that only read name the remedy. Then the server migrates the store, and
// nothing is lost.
func TestBackupBeforeUpgrade(t *testing.T) {
	migrations, err := filepath.Glob("../../adapters/internal/sqlstore/migrations/sqlite/*.sql")
	if err != nil || len(migrations) < 4 {
		t.Fatal(migrations, err)
	}
	for schema := 1; schema < len(migrations); schema++ {
		data, _, _ := loadLetters(t)
		openPatients(t, data, 3).Close()
		goBack(t, data, int64(schema))
		for _, line := range []string{"verify", "read Patient/p1"} {
			if code, _, errs := cli(t, append(strings.Fields(line), "--data", data)...); code != 3 || !strings.Contains(errs, "roget serve") {
				t.Errorf("schema %d: %s: exit code %d: %s", schema, line, code, errs)
			}
		}
		target, restored := t.TempDir(), filepath.Join(t.TempDir(), "restored")
		if code, out, errs := cli(t, "backup", t.TempDir(), "--data", data); code != 0 {
			t.Errorf("schema %d: backup without a trial: exit code %d: %s%s", schema, code, out, errs)
		}
		if code, out, errs := cli(t, "backup", target, "--data", data, "--verify"); code != 0 {
			t.Fatalf("schema %d: backup: exit code %d: %s%s", schema, code, out, errs)
		}
		backups, err := filepath.Glob(filepath.Join(target, "roget-*"))
		if err != nil || len(backups) != 1 {
			t.Fatal(backups, err)
		}
		if code, _, errs := cli(t, "restore", backups[0], "--data", restored); code != 0 {
			t.Fatalf("schema %d: restore: exit code %d: %s", schema, code, errs)
		}
		for _, folder := range []string{data, restored} {
			if have := schemaOf(t, folder); have != int64(schema) {
				t.Errorf("%s has schema %d, want %d", folder, have, schema)
			}
			svc := openService(t, folder)
			svc.reindex(t.Context())
			for path, want := range map[string]string{"/Patient/p1/_history/1": "Given0", "/Patient/p1": "Given1", "/Patient?family=Family2&_total=accurate": `"total":1`} {
				if status, text := send(svc, "GET", path, ""); status != 200 || !strings.Contains(text, want) {
					t.Errorf("schema %d: %s: status %d: %s", schema, path, status, text)
				}
			}
			svc.Close()
			if code, out, errs := cli(t, "verify", "--data", folder, "--index"); code != 0 || !strings.Contains(out, "6 versions") {
				t.Errorf("schema %d: verify: exit code %d: %s%s", schema, code, out, errs)
			}
		}
	}
}

// goBack gives the store of a data folder an earlier schema.
func goBack(t *testing.T, data string, schema int64) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(data, storeFile))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("../../adapters/internal/sqlstore/migrations/sqlite"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
}

// schemaOf returns the schema of the store of a data folder.
func schemaOf(t *testing.T, data string) (schema int64) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(data, storeFile))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), `SELECT max(version_id) FROM goose_db_version`).Scan(&schema); err != nil {
		t.Fatal(err)
	}
	return schema
}
