package sharedtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"iter"
	"os"
	"testing"
)

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

// Lines returns the lines of a gzip file, without their ends. Each is the caller's to keep.
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
