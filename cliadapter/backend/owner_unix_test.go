//go:build unix

package backend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Root leaves no files in a data folder of another user, whose server could not read them.
func TestRootInAnothersFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("run as root")
		}
		t.Skip("only root can write to folders of others")
	}
	const other = 64321 // nobody's number
	data, source, _ := loadLetters(t)
	target := t.TempDir()
	if code, _, errs := cli(t, "backup", target, "--data", data); code != 0 {
		t.Fatal(errs)
	}
	backups, err := filepath.Glob(filepath.Join(target, "roget-*"))
	if err != nil || len(backups) != 1 {
		t.Fatal(backups, err)
	}
	fresh := t.TempDir()
	for _, path := range []string{fresh, filepath.Join(data, packFolder)} {
		if err := os.Chown(path, other, other); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, data)
	for _, line := range []string{
		"load " + source + " --data " + data,
		"load " + source + " --data " + fresh,
		"restore " + backups[0] + " --data " + data + " --replace",
		"restore " + backups[0] + " --data " + fresh,
	} {
		if code, _, errs := cli(t, strings.Fields(line)...); code != 2 || !strings.Contains(errs, "belongs to user 64321") || !strings.Contains(errs, "sudo -u") {
			t.Errorf("%s: exit code %d: %s", line, code, errs)
		}
	}
	if after := tree(t, data) + tree(t, fresh); after != before {
		t.Errorf("the folders have\n%sbefore\n%s", after, before)
	}
	// Reading changes nothing, and a folder that others made for root's server is root's affair.
	if code, _, errs := cli(t, "verify", "--data", data); code != 0 {
		t.Errorf("verify: exit code %d: %s", code, errs)
	}
	if err := os.Chown(filepath.Join(data, packFolder), 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(data, other, other); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := cli(t, "load", source, "--data", data); code != 0 {
		t.Errorf("load into root's packs: exit code %d: %s", code, errs)
	}
}

// tree lists the files below a folder.
func tree(t *testing.T, folder string) string {
	t.Helper()
	var names strings.Builder
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if path != folder {
			names.WriteString(path + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names.String()
}
