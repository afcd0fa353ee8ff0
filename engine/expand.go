package engine

import (
	"context"

	"github.com/roget-health/roget/engine/expansion"
)

// ExpandRequest asks for a page of the codes of a value set (ValueSet/$expand).
type ExpandRequest = expansion.Request

// ExpandResult is a page of an expansion.
type ExpandResult = expansion.Result

// Expand returns a page of the codes of a value set. Errors: ErrUnknownValueSet,
// ErrUnknownID, ErrUnknownSystem and ErrUnknownVersion for a system the value set
// needs, ErrVersionCheck, ErrMissingParameter, ErrInvalidParameter, ErrNotSupported,
// ErrTooCostly, ErrEndless, ErrUnknownSupplement and those of valueset.Compile. Those of the value set
// are an OutcomeError.
func (e *Engine) Expand(ctx context.Context, req *ExpandRequest) (*ExpandResult, error) {
	ctx, span := e.observe(ctx, "expand", req.URL)
	r, err := expansion.Expand(ctx, e.source.Load(), &e.settings, req)
	span.finish(ctx, err)
	return r, err
}
