//go:build unix

package sqlite_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// nobody is by convention the user and group without permissions on Unix systems.
const nobody = 65534

// asNobody runs the calling test again in a process of a user who is subject to permissions.
func asNobody(t *testing.T) {
	t.Helper()
	folder, err := os.MkdirTemp("", "sqlite-nobody-") // not t.TempDir, which only its owner may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "test")
	if err := os.WriteFile(program, self, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, program} {
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "TMPDIR="+folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("as user %d: %v\n%s", nobody, err, out)
	}
}
