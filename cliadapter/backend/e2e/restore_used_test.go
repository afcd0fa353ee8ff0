package e2e_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestRestoreUnderServer shows that a restore does not take packs and store from a running server, which
// would go on to acknowledge writes to the file that was moved aside.
func TestRestoreUnderServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not move open files")
	}
	for name, flags := range map[string][]string{
		"SQLite in the data folder": nil,
		"memory":                    {"--store", "memory:"},
		"SQLite elsewhere":          {"--store", "sqlite:" + filepath.Join(t.TempDir(), "other.db")},
	} {
		t.Run(name, func(t *testing.T) {
			data, target := t.TempDir(), t.TempDir()
			first := backendtest.Serve(t, backendtest.Tested, "--data", data, "--no-samples", "--no-base")
			first.Do(t, "PUT", "/Basic/a", `{"resourceType":"Basic","id":"a","code":{"text":"a"}}`)
			if out, err := tested(t, "backup", target, "--data", data); err != nil {
				t.Fatalf("backup: %v: %s", err, out)
			}
			backups, err := filepath.Glob(filepath.Join(target, "roget-*"))
			if err != nil || len(backups) != 1 {
				t.Fatal(backups, err)
			}
			first.Kill()
			server := backendtest.Serve(t, backendtest.Tested, append([]string{"--data", data, "--no-samples", "--no-base"}, flags...)...)
			out, err := tested(t, "restore", backups[0], "--data", data, "--replace")
			if err == nil || !strings.Contains(out, "stop it first") {
				t.Errorf("restore under a server: %v: %s", err, out)
			}
			if aside, _ := filepath.Glob(filepath.Join(data, "replaced-*")); len(aside) > 0 {
				t.Errorf("the store was moved to %s", aside)
			}
			server.Kill()
			if out, err := tested(t, "restore", backups[0], "--data", data, "--replace"); err != nil {
				t.Errorf("restore without a server: %v: %s", err, out)
			}
		})
	}
}
