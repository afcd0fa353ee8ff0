package synth_test

import (
	"slices"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/synth"
)

// inOrder checks that the members of a value, at all depths, have the order of the type's
// definition. For a choice, only the order of its element counts.
func inOrder(t *testing.T, v document.Value, typ *definitions.Type) {
	t.Helper()
	last := -1
	for m := range v.Members() {
		e := typ.Element(m.Name())
		if e == nil {
			if m.Name() != "resourceType" {
				t.Errorf("%s has no %s", typ.Name, m.Name())
			}
			continue
		}
		i := slices.Index(typ.Elements, e)
		if i <= last {
			t.Errorf("%s: %s comes after %s", typ.Name, m.Name(), typ.Elements[last].JSON)
		}
		last = i
		if m.Kind() != document.Array {
			inOrder(t, m, e.Type)
		}
		for item := range m.Items() {
			inOrder(t, item, e.Type)
		}
	}
}

// Members have the order of the definitions.
func TestOrder(t *testing.T) {
	t.Parallel()
	defs := definitions.R4()
	for _, typ := range synth.TypeNames() {
		each(t, typ, synth.Options{Seed: 4}, many(300), func(_ int, body []byte) {
			if inOrder(t, parse(t, body), defs.Type(typ)); t.Failed() {
				t.Fatalf("%s", body)
			}
		})
	}
}
