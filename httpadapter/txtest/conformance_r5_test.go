package txtest_test

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/httpadapter/txtest"
	"github.com/roget-health/roget/resources/sharedtest"
)

// failingR5 are the cases that fail in R5. They ask for core content of R5, and that of R4 is built in.
var failingR5 = []string{
	"exclude/exclude-combo", "exclude/exclude-gender", "exclude/exclude-gender2", "exclude/include-combo", "UCUM/expand-ucum-all-5",
}

// TestConformanceR5 sends HL7's terminology cases as they are, in R5, to the base of R5, and compares
// the answers as they are. Nothing converts them in between.
func TestConformanceR5(t *testing.T) {
	cases, err := txtest.Open(sharedtest.Path(t, "conformance/tests"))
	if err != nil {
		t.Fatal(err)
	}
	handler := backendtest.Handler(t, serving(t)...)
	var ran, passed atomic.Int32
	t.Run("cases", func(t *testing.T) {
		for _, suite := range cases.Suites() {
			runner := txtest.Runner{Handler: handler, Base: "/r5", Modes: modes(suite), FHIR: txtest.R5}
			for _, c := range suite.Cases {
				if runner.Skip(c) != "" {
					continue
				}
				t.Run(c.ID, func(t *testing.T) {
					t.Parallel()
					ran.Add(1)
					result, err := runner.Run(t.Context(), c)
					switch {
					case err != nil:
						t.Error(err)
					case slices.Contains(failingR5, c.ID):
						if result.Passed() {
							t.Error("the case passes now; remove it from failingR5")
						}
					case !result.Passed():
						t.Errorf("%s\nrequest %s", result.Difference, result.Request)
					default:
						passed.Add(1)
					}
				})
			}
		}
	})
	if ran.Load() < 500 {
		t.Errorf("only %d cases apply to R5", ran.Load())
	}
	t.Logf("%d of %d cases passed in R5", passed.Load(), ran.Load())
}
