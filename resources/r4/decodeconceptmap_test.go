package r4

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConceptMapOfR5 checks that a map with the names of R5 equals the same map with those of R4.
func TestConceptMapOfR5(t *testing.T) {
	const inR5 = `{"resourceType":"ConceptMap","url":"http://m","versionAlgorithmString":"natural","sourceScopeCanonical":"http://vs/a","targetScopeUri":"http://vs/b","property":[{"code":"p"}],"group":[{"source":"http://a","target":"http://b",
		"element":[{"code":"1","target":[{"code":"x","relationship":"source-is-narrower-than-target"},{"code":"y","relationship":"source-is-broader-than-target"},{"code":"z","relationship":"equivalent"},
		{"code":"r","relationship":"related-to"},{"code":"d","relationship":"not-related-to"}]},{"code":"2","noMap":true}],"unmapped":{"mode":"other-map","otherMap":"http://n"}},{"unmapped":{"mode":"use-source-code"}}]}`
	const inR4 = `{"resourceType":"ConceptMap","url":"http://m","sourceCanonical":"http://vs/a","targetUri":"http://vs/b","group":[{"source":"http://a","target":"http://b",
		"element":[{"code":"1","target":[{"code":"x","equivalence":"wider"},{"code":"y","equivalence":"narrower"},{"code":"z","equivalence":"equivalent"},
		{"code":"r","equivalence":"relatedto"},{"code":"d","equivalence":"disjoint"}]},{"code":"2","target":[{"equivalence":"unmatched"}]}],"unmapped":{"mode":"other-map","url":"http://n"}},{"unmapped":{"mode":"provided"}}]}`
	got, err := DecodeConceptMap([]byte(inR5))
	if err != nil {
		t.Fatal(err)
	}
	want, err := DecodeConceptMap([]byte(inR4))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
