package resolve

import (
	"testing"

	"github.com/roget-health/roget/resources/r4"
)

// TestPrecoordinated: only the filter expressions = false excludes expressions.
func TestPrecoordinated(t *testing.T) {
	for f, want := range map[r4.Filter]bool{
		{Property: "expressions", Op: "=", Value: "false"}:  true,
		{Property: "expressions", Op: "=", Value: "true"}:   false,
		{Property: "expressions", Op: "in", Value: "false"}: false,
		{Property: "inactive", Op: "=", Value: "false"}:     false,
	} {
		if precoordinated(f) != want {
			t.Errorf("%+v: %v", f, !want)
		}
	}
}
