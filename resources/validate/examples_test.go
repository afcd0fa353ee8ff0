package validate_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
	"github.com/roget-health/roget/resources/validate"
)

// TestExamples holds the validator to the examples of the specification: no rule may be
// stricter than they are.
func TestExamples(t *testing.T) {
	v := validate.New(definitions.R4())
	n := 0
	for line := range lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
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
	n := 0
	for _, file := range files {
		if !strings.Contains(file, ".json") {
			continue
		}
		n++
		expectValid(t, v, content(t, file))
	}
	if n != 22 {
		t.Errorf("%d files", n)
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
