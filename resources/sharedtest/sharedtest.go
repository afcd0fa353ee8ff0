// Package sharedtest locates test data that is not part of the project, in the folder "shared"
// beside the checkout.
package sharedtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"iter"
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file or folder below ../shared, independent of the calling package. If
// it does not exist, the test is skipped, or fails if CI=true.
func Path(t testing.TB, name string) string {
	t.Helper()
	root, err := project()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(root), "shared", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("test data is required if CI=true: %v", err)
		}
		t.Skipf("test data is missing: %v", err)
	}
	return path
}

// project returns the folder of go.mod, as tests run in the folder of their package.
func project() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		up := filepath.Dir(folder)
		if up == folder {
			return "", os.ErrNotExist
		}
		folder = up
	}
}

// Unzipped returns the content of a gzip file.
func Unzipped(t testing.TB, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return content
}

// Lines returns the lines of a gzip file without line ends. The caller owns them.
func Lines(t testing.TB, path string) iter.Seq[[]byte] {
	t.Helper()
	content := Unzipped(t, path)
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(content) {
			if !yield(bytes.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}
