package backend

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/cliadapter"
)

// A data folder whose store is missing or empty is refused by the server and by every command that
// would miss it, until a backup is restored or the user wants an empty store.
func TestLostStore(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"missing": os.Remove,
		"empty":   func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			data, _, _ := loadLetters(t)
			openPatients(t, data, 2).Close()
			target := t.TempDir()
			if code, _, errs := cli(t, "backup", target, "--data", data); code != 0 {
				t.Fatal(errs)
			}
			if err := spoil(filepath.Join(data, storeFile)); err != nil {
				t.Fatal(err)
			}
			starts := func() error {
				svc, err := Open(t.Context(), cliadapter.ServeOptions{Data: data, Logger: slog.New(slog.DiscardHandler)}, silent{})
				if err == nil {
					svc.Close()
				}
				return err
			}
			if err := starts(); err == nil || !strings.Contains(err.Error(), "roget restore") || strings.Contains(err.Error(), "memory:") {
				t.Errorf("the server starts, or names another remedy: %v", err)
			}
			for _, line := range []string{
				"verify", "read Patient/p1", "backup --keep 1 " + target, "lookup a --system http://example.org/letters",
				"import ../../examples/samples",
			} {
				if code, out, errs := cli(t, append(strings.Fields(line), "--data", data)...); code != 3 || !strings.Contains(errs, sqlite.ErrLost.Error()) {
					t.Errorf("%s: exit code %d: %s%s", line, code, out, errs)
				}
			}
			backups, err := filepath.Glob(filepath.Join(target, "*"))
			if err != nil || len(backups) != 1 {
				t.Fatal(backups, err)
			}
			if code, _, errs := cli(t, "restore", backups[0], "--data", data, "--replace"); code != 0 {
				t.Fatalf("restore: exit code %d: %s", code, errs)
			}
			svc := openService(t, data)
			if status, text := send(svc, "GET", "/Patient/p1", ""); status != 200 {
				t.Errorf("restored: status %d: %s", status, text)
			}
			svc.Close()
			if err := spoil(filepath.Join(data, storeFile)); err != nil {
				t.Fatal(err)
			}
			if err := starts(); err == nil {
				t.Error("the server starts without the restored store")
			}
			remove(t, filepath.Join(data, storeFile+".marker"))
			if err := starts(); err != nil {
				t.Errorf("the marker is removed: %v", err)
			}
		})
	}
}

// A backup of a store that is named and is not there is no backup.
func TestBackupOfNoStore(t *testing.T) {
	data, _, _ := loadLetters(t)
	if code, _, errs := cli(t, "backup", t.TempDir(), "--data", data, "--store", "sqlite:"+filepath.Join(data, "other.db")); code != 3 || !strings.Contains(errs, "other.db") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if code, out, errs := cli(t, "backup", t.TempDir(), "--data", data); code != 0 { // nothing was stored yet
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}
