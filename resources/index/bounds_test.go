package index_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// codings returns a list of n codings.
func codings(prefix string, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"code":"%s%d"}`, prefix, i)
	}
	return `{"coding":[` + strings.Join(list, ",") + `]}`
}

// TestPairsAreBounded checks that the number of composite entries is limited.
func TestPairsAreBounded(t *testing.T) {
	x := index.NewExtractor(definitions.R4())
	for _, row := range []struct {
		n    int
		want error
	}{{20, nil}, {150, nil}, {4000, index.ErrTooMany}} {
		body := `{"resourceType":"Observation","code":` + codings("a", row.n) + `,"valueCodeableConcept":` + codings("b", row.n) + `}`
		d, err := document.Parse([]byte(body), r4.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		v, err := x.Extract(d)
		if !errors.Is(err, row.want) {
			t.Errorf("%d codings: %v, want %v", row.n, err, row.want)
		}
		if err == nil && len(v.Entries(nil)) < row.n*row.n {
			t.Errorf("%d codings: %d entries", row.n, len(v.Entries(nil)))
		}
	}
}
