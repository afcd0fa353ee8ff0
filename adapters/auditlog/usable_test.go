package auditlog_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/adapters/auditlog"
)

func TestUsable(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(folder, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	for path, usable := range map[string]bool{
		folder: true, filepath.Join(folder, "new", "log"): true, file: false, filepath.Join(file, "log"): false,
		filepath.Join(locked, "log"): os.Geteuid() == 0, // nothing is locked for root
	} {
		if err := auditlog.Usable(path); (err == nil) != usable {
			t.Errorf("%s: %v", path, err)
		}
	}
	l := open(t, folder, auditlog.Options{})
	if err := auditlog.Usable(folder); err != nil {
		t.Errorf("in use: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
