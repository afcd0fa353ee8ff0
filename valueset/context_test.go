package valueset

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/resources/r4"
)

// Work on many codes that produces no entry yet also stops when the context ends.
func TestLongWorkHearsTheContext(t *testing.T) {
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://x"}})
	for i := range 4 * checkEvery {
		if _, err := b.Add(&codesystem.Concept{Code: fmt.Sprint(i), Parent: min(i-1, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plantForest(contexttest.After(t.Context(), 2), x, x.All(), x.Len()); !errors.Is(err, context.Canceled) {
		t.Errorf("nested listing: %v, want %v", err, context.Canceled)
	}
	stored := make([]r4.ExpansionContains, 4*checkEvery)
	for i := range stored {
		stored[i] = r4.ExpansionContains{System: "http://x", Code: fmt.Sprint(i)}
	}
	vs := &r4.ValueSet{Expansion: &r4.Expansion{Contains: stored}}
	if _, err := Compile(contexttest.After(t.Context(), 2), absent{}, vs, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stored expansion: %v, want %v", err, context.Canceled)
	}
	if set, err := Compile(t.Context(), absent{}, vs, nil); err != nil || set.Len() != len(stored) {
		t.Errorf("stored expansion: %v", err)
	}
}

// absent is an empty Source.
type absent struct{}

func (absent) CodeSystem(context.Context, string, string) (*codesystem.Index, error) {
	return nil, ErrUnknownSystem
}

func (absent) ValueSet(context.Context, string, []string) (*Set, error) {
	return nil, ErrUnknownValueSet
}
