package validate_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"iter"
	"os"
	"testing"
)

// content gives the unpacked content of a gzip file.
func content(t testing.TB, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// lines gives the lines of a gzip file.
func lines(t testing.TB, path string) iter.Seq[[]byte] {
	t.Helper()
	return bytes.Lines(bytes.TrimSpace(content(t, path)))
}
