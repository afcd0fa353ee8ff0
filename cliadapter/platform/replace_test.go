package platform

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestReplaceFile: what happens to an existing file.
func TestReplaceFile(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	put := func(path, text string) error {
		return replaceFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	has := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	for _, text := range []string{"one", "another"} {
		if err := put(file, text); err != nil {
			t.Fatal(err)
		}
		has(text)
	}
	failed := errors.New("half way")
	if err := replaceFile(file, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return failed
	}); !errors.Is(err, failed) {
		t.Error(err)
	}
	has("another")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := put(link, "through"); err != nil {
		t.Fatal(err)
	}
	has("through")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if err := put(folder, "x"); err == nil || err.Error() != "write "+folder+": it is a folder; name a file in it" {
		t.Error(err)
	}
	// A named device stands for /dev/null, which nothing may replace.
	if info, err := os.Stat(os.DevNull); err == nil && info.Mode()&fs.ModeDevice != 0 {
		device := filepath.Join(folder, "device")
		if err := os.Symlink(os.DevNull, device); err != nil {
			t.Fatal(err)
		}
		if err := put(device, "x"); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(device); err != nil || info.Mode()&fs.ModeDevice == 0 {
			t.Errorf("the device is %v, %v", info, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
