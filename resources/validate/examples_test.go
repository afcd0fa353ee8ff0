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

// blank are the examples of the specification whose narrative has no text, which txt-2 refuses.
var blank = []string{"blood-tubes-supply", "heart-valve-replacement", "example", "zika-virus-exposure-assessment"}

// TestExamples validates the examples of the specification. No other rule may refuse them.
func TestExamples(t *testing.T) {
	v := validate.New(definitions.R4())
	n, refused := 0, []string(nil)
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
		n++
		d, err := document.Parse(line, r4.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, issue := range v.Validate(d) {
			if strings.HasPrefix(issue.Text, "txt-2: ") {
				refused = append(refused, d.Root().Get("id").Text())
			} else if issue.Severity == validate.Error {
				t.Errorf("%s %s: %s", d.ResourceType(), d.Root().Get("id").Text(), issue)
			}
		}
	}
	if !slices.Equal(refused, blank) {
		t.Errorf("refused: %q", refused)
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
