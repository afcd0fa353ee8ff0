package backend

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBackup makes backups of a data folder in use, and restores one.
func TestBackup(t *testing.T) {
	data, _, _ := loadLetters(t)
	svc := openPatients(t, data, 5)
	target, restored := filepath.Join(t.TempDir(), "backups"), filepath.Join(t.TempDir(), "restored")
	if err := os.MkdirAll(filepath.Join(target, "roget-20200101T000000Z"), 0o700); err != nil { // not complete
		t.Fatal(err)
	}
	for range 3 {
		if code, out, errs := cli(t, "backup", target, "--data", data, "--verify", "--keep", "2"); code != 0 || !strings.Contains(out, "backed up 3 files") {
			t.Fatalf("backup: exit code %d: %s%s", code, out, errs)
		}
	}
	folders, err := os.ReadDir(target)
	if err != nil || len(folders) != 3 || folders[0].Name() != "roget-20200101T000000Z" {
		t.Fatalf("%v, %v", folders, err)
	}
	backup := filepath.Join(target, folders[2].Name())
	svc.Close()
	if code, out, errs := cli(t, "restore", backup, "--data", restored); code != 0 {
		t.Fatalf("restore: exit code %d: %s%s", code, out, errs)
	}
	if code, out, errs := cli(t, "verify", "--data", restored, "--index"); code != 0 || !strings.Contains(out, "1 pack,") || !strings.Contains(out, "10 versions") {
		t.Errorf("verify: exit code %d: %s%s", code, out, errs)
	}
	again := openService(t, restored)
	for path, want := range map[string]string{
		"/Patient/p3/_history/1": "Given0",
		"/CodeSystem/$lookup?system=http://example.org/letters&code=a": "Alpha",
	} {
		if status, text := send(again, "GET", path, ""); status != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d: %s", path, status, text)
		}
	}
	again.Close()

	// A folder with content is kept, and moved aside if the user wants that.
	if code, _, errs := cli(t, "restore", backup, "--data", restored); code != 3 || !strings.Contains(errs, "--replace") {
		t.Errorf("restore into a folder with content: exit code %d: %s", code, errs)
	}
	if code, out, errs := cli(t, "restore", backup, "--data", restored, "--replace"); code != 0 || !strings.Contains(out, "replaced-") {
		t.Errorf("restore with --replace: exit code %d: %s%s", code, out, errs)
	}
	if aside, err := filepath.Glob(filepath.Join(restored, "replaced-*", storeFile)); err != nil || len(aside) != 1 {
		t.Errorf("the former content: %v, %v", aside, err)
	}

	// An interrupted restore is not taken for a data folder, and can be repeated.
	if err := os.Mkdir(filepath.Join(restored, restoringFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := cli(t, "verify", "--data", restored); code != 3 || !strings.Contains(errs, "roget restore") {
		t.Errorf("verify of half a folder: exit code %d: %s", code, errs)
	}
	if code, _, errs := cli(t, "restore", backup, "--data", restored, "--replace"); code != 0 {
		t.Errorf("restore again: exit code %d: %s", code, errs)
	}
	if code, _, errs := cli(t, "verify", "--data", restored); code != 0 {
		t.Errorf("verify: exit code %d: %s", code, errs)
	}
}

// A backup with a fault is refused, and the data folder stays as it is.
func TestDamagedBackup(t *testing.T) {
	data, _, _ := loadLetters(t)
	openPatients(t, data, 2).Close()
	for _, row := range []struct {
		name  string
		spoil func(t *testing.T, backup string)
		errs  string
	}{
		{"a byte of the store", func(t *testing.T, backup string) { flip(t, filepath.Join(backup, storeFile), 9000) }, "checksum"},
		{"a byte of a pack", func(t *testing.T, backup string) { flip(t, filepath.Join(backup, packFolder, "0000000001.pack"), 5000) }, "checksum"},
		{"a missing file", func(t *testing.T, backup string) { remove(t, filepath.Join(backup, storeFile)) }, storeFile},
		{"no manifest", func(t *testing.T, backup string) { remove(t, filepath.Join(backup, manifestName)) }, "not a complete backup"},
		{"a path that leads out", func(t *testing.T, backup string) {
			replaceText(t, filepath.Join(backup, manifestName), `"roget.db"`, `"packs/../../roget.pack"`)
		}, "does not belong"},
		{"a later format", func(t *testing.T, backup string) {
			replaceText(t, filepath.Join(backup, manifestName), `"format": 1`, `"format": 2`)
		}, "newer version"},
	} {
		t.Run(row.name, func(t *testing.T) {
			target, restored := t.TempDir(), filepath.Join(t.TempDir(), "restored")
			if code, _, errs := cli(t, "backup", target, "--data", data); code != 0 {
				t.Fatalf("backup: exit code %d: %s", code, errs)
			}
			folders, err := filepath.Glob(filepath.Join(target, "roget-*"))
			if err != nil || len(folders) != 1 {
				t.Fatal(folders, err)
			}
			row.spoil(t, folders[0])
			if code, _, errs := cli(t, "restore", folders[0], "--data", restored); code != 3 || !strings.Contains(errs, row.errs) {
				t.Errorf("exit code %d: %s", code, errs)
			}
			if _, err := os.Stat(restored); !os.IsNotExist(err) {
				t.Errorf("a data folder was made: %v", err)
			}
		})
	}
	alter(t, data, `UPDATE document SET body = CAST(replace(CAST(body AS text), 'Family1', 'Family2') AS blob) WHERE seq = (SELECT max(seq) FROM version)`)
	target := t.TempDir()
	if code, _, errs := cli(t, "backup", target, "--data", data, "--verify"); code != 3 || !strings.Contains(errs, "Patient/p1") {
		t.Errorf("backup of a damaged store: exit code %d: %s", code, errs)
	}
	if left, _ := os.ReadDir(target); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	for line, want := range map[string]string{
		"backup " + t.TempDir() + " --store postgres://h/x":           "pg_dump",
		"backup " + filepath.Join(data, "in") + " --data " + data:     "inside",
		"backup " + t.TempDir() + " --data " + data + "/nowhere":      "does not exist",
		"backup " + t.TempDir() + " --data " + data + " --keep minus": "--keep",
	} {
		if code, _, errs := cli(t, strings.Fields(line)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d: %s", line, code, errs)
		}
	}
}

// A copy that is not sound is no backup: the command fails, names what is damaged, and leaves older
// backups, whatever --keep says.
func TestUnsoundBackup(t *testing.T) {
	for _, row := range []struct {
		name  string
		spoil func(t *testing.T, data, pack string)
		errs  string
	}{
		{"a body", func(t *testing.T, data, _ string) {
			alter(t, data, `UPDATE document SET body = CAST(replace(CAST(body AS text), 'Family1', 'Family2') AS blob) WHERE seq = (SELECT max(seq) FROM version)`)
		}, "Patient/p1 version 2"},
		{"no body", func(t *testing.T, data, _ string) {
			alter(t, data, `DELETE FROM document WHERE seq = (SELECT max(seq) FROM version)`)
		}, "Patient/p1 version 2"},
		{"no checksum", func(t *testing.T, data, _ string) {
			alter(t, data, `UPDATE version SET body_sum = NULL WHERE seq = (SELECT max(seq) FROM version)`)
		}, "Patient/p1 version 2"},
		{"pages", func(t *testing.T, data, _ string) {
			path := filepath.Join(data, storeFile)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			for at := 4096; at < int(info.Size()); at += 4096 { // the kind of each page
				flip(t, path, at)
			}
		}, storeFile},
		{"a pack", func(t *testing.T, _, pack string) { spoil(t, pack) }, "http://example.org/letters"},
		{"half of a pack", func(t *testing.T, _, pack string) {
			if err := os.Truncate(pack, 5000); err != nil {
				t.Fatal(err)
			}
		}, "0000000001.pack"},
	} {
		t.Run(row.name, func(t *testing.T) {
			data, _, pack := loadLetters(t)
			openPatients(t, data, 2).Close()
			target := filepath.Join(t.TempDir(), "backups")
			backup := func(more ...string) (code int, errs string, kept []string) {
				t.Helper()
				code, _, errs = cli(t, append([]string{"backup", target, "--data", data, "--keep", "1"}, more...)...)
				entries, err := os.ReadDir(target)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					kept = append(kept, e.Name())
				}
				return code, errs, kept
			}
			code, errs, good := backup()
			if code != 0 || len(good) != 1 {
				t.Fatalf("exit code %d: %s, %v", code, errs, good)
			}
			row.spoil(t, data, pack)
			for _, more := range [][]string{nil, {"--verify"}} {
				if code, errs, kept := backup(more...); code != 3 || !strings.Contains(errs, row.errs) ||
					!strings.Contains(errs, "older ones are kept") || !slices.Equal(kept, good) {
					t.Errorf("%v: exit code %d: %s; kept %v of %v", more, code, errs, kept, good)
				}
			}
			restored := filepath.Join(t.TempDir(), "restored")
			if code, _, errs := cli(t, "restore", filepath.Join(target, good[0]), "--data", restored); code != 0 {
				t.Errorf("restore: exit code %d: %s", code, errs)
			}
		})
	}
}

func flip(t *testing.T, path string, at int) {
	t.Helper()
	bytes, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bytes[min(at, len(bytes)-1)] ^= 1
	if err := os.WriteFile(path, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func replaceText(t *testing.T, path, text, with string) {
	t.Helper()
	bytes, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(bytes), text) {
		t.Fatalf("%s: %v", bytes, err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(bytes), text, with)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// FuzzManifest reads any bytes as the manifest of a backup. What is accepted names each file once, and
// none outside the folder, on any system.
func FuzzManifest(f *testing.F) {
	for _, seed := range []string{
		`{"format":1,"files":[{"name":"roget.db","size":1,"sha256":"00"},{"name":"packs/a.pack","size":2}]}`,
		`{"format":1,"files":[{"name":"packs/../../x.pack"}]}`, `{"format":1,"files":[{"name":"packs/a.pack"},{"name":"packs/A.pack"},{"name":"packs/a.pack"}]}`,
		`{"format":1,"files":[{"name":"roget.db","size":-1},{"name":"packs/a.pack","size":9223372036854775807},{"name":"packs/b.pack","size":9223372036854775807}]}`,
		`{"format":1,"files":[{"name":"packs/\u0000.pack"}]}`, `{"format":1,"files":[{"name":"packs/a.pack","size":9223372036854775807},{"name":"packs/b.pack","size":1}]}`,
		`{"format":2}`, `{"format":1,"files":[null]}`, `[]`, ``, `{"format":1,"files":[{"name":"packs/\u0000.pack"},{"name":"packs/C:x.pack"},{"name":"packs/con.json"}]}`,
	} {
		f.Add([]byte(seed))
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(folder, manifestName), data, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := readManifest(folder)
		if err != nil {
			if !strings.Contains(err.Error(), folder) {
				t.Errorf("the error names no file: %v", err)
			}
			return
		}
		seen := map[string]bool{}
		total := 0.0
		for _, file := range m.Files {
			if !filepath.IsLocal(filepath.FromSlash(file.Name)) || strings.ContainsAny(file.Name, "\\:\x00") || strings.Count(file.Name, "/") > 1 || seen[file.Name] || file.Size < 0 {
				t.Errorf("%q of %d bytes", file.Name, file.Size)
			}
			seen[file.Name] = true
			total += float64(file.Size)
		}
		if size := m.size(); size < 0 || math.Abs(float64(size)-total) > 1e-9*total {
			t.Errorf("%d bytes, want %g", size, total)
		}
	})
}
