package catalog

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine/issue"
)

// TestReadCodeSystem reads a document with one code system and nothing else, in any order.
func TestReadCodeSystem(t *testing.T) {
	const system, other = `{"resourceType":"CodeSystem","url":"http://s","status":"active","content":"complete"}`, `{"resourceType":"ValueSet","url":"http://v","status":"active"}`
	bundle := func(list ...string) string {
		return `{"resourceType":"Bundle","type":"collection","entry":[{"resource":` + strings.Join(list, `},{"resource":`) + `}]}`
	}
	for doc, want := range map[string]bool{
		system: true, other: false, `{`: false, bundle(system): true, bundle(system, other): false, bundle(other, system): false, bundle(system, system): false, bundle(other): false,
	} {
		x, err := ReadCodeSystem(t.Context(), "doc", []byte(doc))
		if (err == nil) != want || want && x.URL() != "http://s" || !want && !errors.Is(err, issue.ErrInvalidResource) {
			t.Errorf("%s: %v", doc, err)
		}
	}
}
