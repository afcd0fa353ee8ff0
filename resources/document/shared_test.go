package document_test

import (
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
)

// TestExamples parses the examples of R4 and compares them with encoding/json.
func TestExamples(t *testing.T) {
	read := 0
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
		d, err := document.Parse(line, r4.Limits{})
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
	if read < 700 {
		t.Errorf("%d examples", read)
	}
}

// TestBundles parses bundles of patients, which are large documents.
func TestBundles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/synthea"), "*.json.gz"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files[:4] {
		d, err := document.Parse(sharedtest.Unzipped(t, file), r4.Limits{})
		if err != nil || d.ResourceType() != "Bundle" {
			t.Errorf("%s: %v", file, err)
		}
	}
}
