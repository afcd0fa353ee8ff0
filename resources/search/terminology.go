package search

import (
	"context"

	"github.com/roget-health/roget/resources/r4"
)

// Terminology answers what the token modifiers :below, :above, :in, :not-in and :ecl need
// to know. engine.Engine is one. Implementations are safe for concurrent use.
//
// The errors are those of the implementation; a search that gets one fails.
type Terminology interface {
	// CodesBelow returns a code and all its descendants (below true), or itself and all its
	// ancestors.
	CodesBelow(ctx context.Context, system, code string, below bool) (r4.Codes, error)
	// CodesIn returns the codes of a value set, named by its canonical (url or url|version),
	// implicit ones too, or by where it is: ValueSet/id.
	CodesIn(ctx context.Context, valueSet string) (r4.Codes, error)
	// CodesOf returns the codes that an ECL expression selects in a code system.
	CodesOf(ctx context.Context, system, expression string) (r4.Codes, error)
	// Generation changes whenever an answer may have changed.
	Generation() uint64
}
