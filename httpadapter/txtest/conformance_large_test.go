package txtest_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/httpadapter/txtest"
	"github.com/roget-health/roget/resources/sharedtest"
)

// TestCompareWithLargeSystems runs the cases of $compare against a server with large code systems:
// ICD-10-CM, and one with the url of SNOMED CT that has the concepts the cases name. HL7 expects
// "indeterminate" for a branch of more than 10,000 codes.
func TestCompareWithLargeSystems(t *testing.T) {
	cases, err := txtest.Open(sharedtest.Path(t, "conformance/tests"))
	if err != nil {
		t.Fatal(err)
	}
	handler := backendtest.Handler(t, serving(t, "--load", largeSystem(t), "--load", sharedtest.Path(t, "data/icd10cm/CodeSystem-icd-10-cm.json.gz"))...)
	n := 0
	for _, suite := range cases.Suites() {
		if suite.Name != "compare" && suite.Name != "related2" {
			continue
		}
		for _, c := range suite.Cases {
			runner := txtest.Runner{Handler: handler, Base: "/r4", Modes: modes(suite)}
			if skip := c.Skip(runner.Modes); skip != "" {
				continue
			}
			n++
			result, err := runner.Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if !result.Passed() {
				t.Errorf("%s: %s", c.ID, result.Difference)
			}
		}
	}
	if n < 50 {
		t.Errorf("%d cases", n)
	}
}

// largeSystem writes a code system with 12,000 concepts below 404684003, some of them with two
// parents.
func largeSystem(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "large.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprint(w, `{"resourceType":"CodeSystem","url":"http://snomed.info/sct","version":"http://snomed.info/sct/900000000000207008/version/20250101",`+
		`"status":"active","content":"complete","hierarchyMeaning":"is-a","property":[{"code":"parent","type":"code"}],"concept":[`+
		`{"code":"138875005"},{"code":"404684003","property":[{"code":"parent","valueCode":"138875005"}]},`+
		`{"code":"900000000000442005","property":[{"code":"parent","valueCode":"138875005"}]}`)
	for i := range 12_000 {
		fmt.Fprintf(w, `,{"code":"%d","property":[{"code":"parent","valueCode":"404684003"}`, 10_000_000+i)
		if i%100 == 0 {
			fmt.Fprint(w, `,{"code":"parent","valueCode":"900000000000442005"}`)
		}
		fmt.Fprint(w, `]}`)
	}
	fmt.Fprint(w, `]}`)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
