package synth_test

import (
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/synth"
	"github.com/roget-health/roget/resources/validate"
)

// Chosen codes are drawn exclusively, and the resources are valid, even if the codes have no
// display.
func TestChosenCodes(t *testing.T) {
	t.Parallel()
	v := validate.New(definitions.R4())
	for _, typ := range synth.Types() {
		for _, path := range typ.Codes {
			_, element, _ := strings.Cut(path, ".")
			counts := map[string]int{}
			chosen := []synth.Coding{{System: "https://example.org/s", Code: "one", Display: "One \"1\""}, {System: "https://example.org/s", Code: "two"}}
			each(t, typ.Name, synth.Options{Seed: 6, Codes: map[string][]synth.Coding{path: chosen}}, 300, func(n int, body []byte) {
				doc, err := document.Parse(body, r4.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				codesOf(doc.Root(), element, func(code string) { counts[code]++ })
				for _, issue := range v.Validate(doc) {
					if strings.HasPrefix(issue.Text, "dom-6: ") {
						continue // they have no narrative
					}
					t.Errorf("%s %d: %s: %s", path, n, issue.Expression, issue.Text)
				}
			})
			if counts["one"] == 0 || counts["two"] == 0 || len(counts) != 2 {
				t.Errorf("%s: %v", path, counts)
			}
		}
	}
}
