package engine

import (
	"context"

	"github.com/roget-health/roget/engine/expansion"
)

// ExpandRequest is the request of Expand (ValueSet/$expand).
type ExpandRequest = expansion.Request

// ExpandResult is a page of an expansion.
type ExpandResult = expansion.Result

// Expand returns a page of the codes of a value set. Errors: ErrUnknownValueSet, ErrUnknownID,
// ErrUnknownSystem and ErrUnknownVersion for a code system that the value set needs,
// ErrVersionCheck, ErrMissingParameter, ErrInvalidParameter, ErrNotSupported, ErrTooCostly,
// ErrEndless, ErrUnknownSupplement and those of valueset.Compile. Errors of the value set are
// OutcomeErrors.
func (e *Engine) Expand(ctx context.Context, req *ExpandRequest) (*ExpandResult, error) {
	ctx, span := e.observe(ctx, "expand", req.URL)
	r, err := expansion.Expand(ctx, e.source(), &e.family.settings, req)
	span.finish(ctx, err)
	return r, err
}
