package codesystem

import (
	"context"
	"errors"
	"testing"

	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/resources/r4"
)

// Filters that look at every concept hear of the end of the context on their way.
func TestFilterHearsTheContext(t *testing.T) {
	b := NewBuilder(&r4.CodeSystem{})
	for i := range 3 * pageOfMatches {
		if _, err := b.Add(&Concept{
			Code: string(rune('a' + i)), Display: "d", Definition: "d", Parent: -1,
			Properties: []Property{{Code: "retired", Value: r4.Boolean(true)}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []r4.Filter{
		{Property: "display", Op: "exists", Value: "true"},
		{Property: "definition", Op: "exists", Value: "false"},
		{Property: "display", Op: "=", Value: "d"},
		{Property: "code", Op: "regex", Value: ".*"},
		{Property: "status", Op: "=", Value: "retired"},
	} {
		if _, err := x.Filter(contexttest.After(t.Context(), 2), f); !errors.Is(err, context.Canceled) {
			t.Errorf("%s %s %s: %v, want %v", f.Property, f.Op, f.Value, err, context.Canceled)
		}
		if set, err := x.Filter(t.Context(), f); err != nil || set == nil {
			t.Errorf("%s %s %s: %v", f.Property, f.Op, f.Value, err)
		}
	}
}
