package fhirxml_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/sharedtest"
)

// content returns a file, unpacked if it is compressed.
func content(t testing.TB, path string) []byte {
	t.Helper()
	if strings.HasSuffix(path, ".gz") {
		return sharedtest.Unzipped(t, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// shared returns the files of a folder of test data.
func shared(t testing.TB, folder, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, folder), pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", folder, len(files), err)
	}
	return files
}
