package explain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

func TestFile(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, missing := os.Stat(filepath.Join(folder, "missing"))
	_, within := os.ReadDir(filepath.Join(file, "within"))
	own := errors.New("something else")
	for _, row := range []struct {
		err  error
		want string
	}{
		{missing, "does not exist"},
		{within, "not a folder"},
		{&fs.PathError{Op: "open", Path: file, Err: fs.ErrPermission}, "permission denied"},
		{fmt.Errorf("%s: %w", "no access", fs.ErrPermission), "no access: permission denied"},
		{&fs.PathError{Op: "read", Path: folder, Err: syscall.EISDIR}, "a folder, not a file"},
		{&fs.PathError{Op: "write", Path: file, Err: own}, "something else"},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: own}, "something else"},
		{os.NewSyscallError("flock", own), "something else"},
		{own, "something else"},
		{fmt.Errorf("more: %w", own), "more: something else"},
	} {
		if runtime.GOOS == "windows" && row.want == "not a folder" {
			continue
		}
		got := File(row.err)
		if got.Error() != row.want || !errors.Is(got, row.err) {
			t.Errorf("%v: %q, want %q", row.err, got, row.want)
		}
	}
	if File(nil) != nil {
		t.Error("no error became one")
	}
}
