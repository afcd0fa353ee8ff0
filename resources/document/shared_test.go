package document_test

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
)

// unzip opens a gzip file.
func unzip(t *testing.T, path string) io.Reader {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestExamples reads the examples of R4 and compares them with encoding/json.
func TestExamples(t *testing.T) {
	lines := bufio.NewScanner(unzip(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")))
	lines.Buffer(nil, 64<<20)
	read := 0
	for lines.Scan() {
		d, err := document.Parse(lines.Bytes(), r4.Limits{})
		if err != nil {
			t.Fatalf("line %d: %v", read+1, err)
		}
		if d.ResourceType() == "" {
			t.Errorf("line %d has no resourceType", read+1)
		}
		if d.Size() < 2000 { // a few are of megabytes
			check(t, d)
		}
		read++
	}
	if read < 700 || lines.Err() != nil {
		t.Errorf("%d examples, %v", read, lines.Err())
	}
}

// TestBundles reads the bundles of patients, the largest documents there are.
func TestBundles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/synthea"), "*.json.gz"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files[:4] {
		data, err := io.ReadAll(unzip(t, file))
		if err != nil {
			t.Fatal(err)
		}
		d, err := document.Parse(data, r4.Limits{})
		if err != nil || d.ResourceType() != "Bundle" {
			t.Errorf("%s: %v", file, err)
		}
	}
}
