package operation

import (
	"context"

	"github.com/roget-health/roget/engine"
)

// The parameters of what a request brings along.
const (
	paramResources = "tx-resource"
	paramCacheID   = "cache-id"
)

// Runner runs operations on an engine, each with the resources its request brings along:
// the one place that knows of tx-resource and cache-id. It is safe for concurrent use.
type Runner struct {
	engine   *engine.Engine
	overlays *engine.Overlays
}

// NewRunner makes a Runner. Zero limits mean the defaults.
func NewRunner(e *engine.Engine, limits engine.OverlayLimits) *Runner {
	return &Runner{engine: e, overlays: engine.NewOverlays(e, limits)}
}

// Run runs the operation that in belongs to.
func (r *Runner) Run(ctx context.Context, in *Input) (Result, error) {
	e := r.engine
	if in.Has(paramResources) || in.Has(paramCacheID) {
		var err error
		e, err = r.overlays.For(paramResources, in.String(paramCacheID), in.Resources(paramResources))
		if err != nil {
			return nil, err
		}
	}
	return in.Op.Run(ctx, e, in)
}

// Limits gives the limits of what a request may bring along.
func (r *Runner) Limits() engine.OverlayLimits { return r.overlays.Limits() }
