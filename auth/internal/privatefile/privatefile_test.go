package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteAndRead(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "a", "b", "file"), filepath.Join(folder, "link")
	if _, err := Read(path, 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, text := range []string{"0123456789", "short"} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(path, 10); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Read(path, 4); err == nil {
		t.Error("a file that is too long is read")
	}
	var at *fs.PathError
	if err := Write(filepath.Join(path, "below", "file"), nil); !errors.As(err, &at) || at.Path != path {
		t.Errorf("below a file: %v", err)
	}
	if err := Write(filepath.Join(folder, strings.Repeat("x", 300)), nil); !errors.As(err, &at) {
		t.Errorf("a name that is too long: %v", err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("through")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info, err)
	}
	if got, err := Read(path, 10); err != nil || string(got) != "through" {
		t.Errorf("%q, %v", got, err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "a", "b", ".*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := Write(filepath.Join(path, "below a file"), nil); err == nil {
		t.Error("a file is taken for a folder")
	}
}
