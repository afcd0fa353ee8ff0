package validate_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
	"github.com/roget-health/roget/resources/validate"
)

// TestExamples validates the examples of the specification, which no rule may refuse.
func TestExamples(t *testing.T) {
	v := validate.New(definitions.R4())
	n := 0
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
		n++
		expectValid(t, v, line)
	}
	if n != 712 {
		t.Errorf("%d examples", n)
	}
}

func TestSynthea(t *testing.T) {
	v := validate.New(definitions.R4())
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/synthea"), "*"))
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return !strings.HasSuffix(f, ".json.gz") })
	if len(files) != 22 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files[:8] { // hospitals, practitioners, six patients
		expectValid(t, v, sharedtest.Unzipped(t, file))
	}
}

func expectValid(t *testing.T, v *validate.Validator, data []byte) {
	t.Helper()
	d, err := document.Parse(data, r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, issue := range v.Validate(d) {
		if issue.Severity != validate.Error {
			continue
		}
		t.Errorf("%s %s: %s", d.ResourceType(), d.Root().Get("id").Text(), issue)
	}
}
