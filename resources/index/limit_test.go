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

// TestMaxEntries checks that a resource with too many values is refused with a text that names the
// element and the limit, and that one with repeated values is not.
func TestMaxEntries(t *testing.T) {
	x := index.NewExtractor(definitions.R4())
	patient := func(n, distinct int) string {
		var b strings.Builder
		b.WriteString(`{"resourceType":"Patient","identifier":[{"value":"x"}`)
		for i := range n {
			fmt.Fprintf(&b, `,{"value":"%d"}`, i%distinct)
		}
		return b.String() + `]}`
	}
	var all strings.Builder
	all.WriteString(`{"resourceType":"CodeSystem","status":"active","content":"complete","concept":[{"code":"x"}`)
	for i := range index.MaxEntries {
		fmt.Fprintf(&all, `,{"code":"%d"}`, i)
	}
	for _, row := range []struct {
		name, text string
		refused    bool
	}{
		{"few", patient(100, 100), false},
		{"many", patient(index.MaxEntries/2-100, index.MaxEntries), false},
		{"too many", patient(index.MaxEntries, index.MaxEntries), true},
		{"many times the same", patient(4*index.MaxEntries, 100), false},
		{"a code system", all.String() + `]}`, false},
	} {
		doc, err := document.Parse([]byte(row.text), r4.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.Extract(doc)
		if errors.Is(err, index.ErrTooManyValues) != row.refused || !row.refused && err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if row.refused && (!strings.Contains(err.Error(), "Patient.identifier") || !strings.Contains(err.Error(), "50000")) {
			t.Errorf("%s: the text names neither the element nor the limit: %v", row.name, err)
		}
	}
}
