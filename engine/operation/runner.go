package operation

import (
	"context"

	"github.com/roget-health/roget/engine"
)

// The parameters for resources that come with a request.
const (
	paramResources = "tx-resource"
	paramCacheID   = "cache-id"
)

// A Runner runs operations, each under the rules of its request and with the resources that came
// with it. Only the Runner reads tx-resource and cache-id. It is safe for concurrent use.
type Runner struct {
	env      Env
	overlays *engine.Overlays
}

// NewRunner returns a Runner. Zero limits mean the defaults.
func NewRunner(env Env, limits engine.OverlayLimits) *Runner {
	return &Runner{env: env, overlays: engine.NewOverlays(env.Engine, limits)}
}

// Run runs the operation of in.
func (r *Runner) Run(ctx context.Context, in *Input) (Result, error) {
	env := r.env
	if in.Has(paramResources) || in.Has(paramCacheID) {
		var err error
		env.Engine, err = r.overlays.For(paramResources, in.String(paramCacheID), in.Resources(paramResources))
		if err != nil {
			return nil, err
		}
	}
	env.Engine = env.Engine.Under(in.Rules)
	return in.Op.Run(ctx, env, in)
}

// Limits returns the limits for resources that come with a request.
func (r *Runner) Limits() engine.OverlayLimits { return r.overlays.Limits() }
