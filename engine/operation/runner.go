package operation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// The parameters for resources that come with a request.
const (
	paramResources = "tx-resource"
	paramCacheID   = "cache-id"
)

// A Runner runs operations, each under the rules of its request, with the resources that came with
// it and those of the cache it names. Only the Runner reads tx-resource and cache-id. It is safe for
// concurrent use.
type Runner struct {
	env      Env
	overlays *engine.Overlays
}

// NewRunner returns a Runner. Zero limits mean the defaults.
func NewRunner(env Env, limits engine.OverlayLimits) *Runner {
	r := &Runner{env: env, overlays: engine.NewOverlays(env.Engine, limits)}
	r.env.Caches = r.overlays
	return r
}

// Run runs the operation of in.
func (r *Runner) Run(ctx context.Context, in *Input) (Result, error) {
	if err := r.permit(ctx, in); err != nil {
		return nil, err
	}
	env := r.env
	if in.CacheID != "" || in.Has(paramResources) || in.Has(paramCacheID) {
		var err error
		if env.Engine, err = r.engine(in); err != nil {
			return nil, err
		}
	}
	env.Engine = env.Engine.Under(in.Rules)
	return in.Op.Run(ctx, env, in)
}

// engine returns the engine for an operation that comes with resources or names a cache.
func (r *Runner) engine(in *Input) (*engine.Engine, error) {
	if in.Op.Name == cacheControl.Name && in.Op.Type == cacheControl.Type {
		return r.env.Engine, nil // it does not use a cache, but manages it
	}
	key, err := in.cache()
	if err != nil {
		return nil, err
	}
	resources := in.Resources(paramResources)
	if key.ID == "" {
		return r.overlays.For(paramResources, resources)
	}
	var more []json.RawMessage
	if r.overlays.CacheGrows(key) {
		more = in.supplied()
	}
	return r.overlays.Cached(key, paramResources, resources, more)
}

// Limits returns the limits for resources that come with a request.
func (r *Runner) Limits() engine.OverlayLimits { return r.overlays.Limits() }

// cache returns the cache that a request names, in its header or in a parameter.
func (in *Input) cache() (engine.CacheKey, error) {
	key := engine.CacheKey{Endpoint: in.Endpoint, ID: in.CacheID}
	own := in.String(paramCacheID)
	switch {
	case own == "" || own == key.ID:
	case key.ID == "":
		key.ID = own
	default:
		return engine.CacheKey{}, &Problem{
			Class: invalidClass, Exit: ExitUsage, Code: "invalid", Detail: "cache-id-duplicate",
			Text: "the request names two caches: one in the header " + headerCacheID + ", another one in the parameter " + paramCacheID,
		}
	}
	return key, nil
}

// suppliedParams are the parameters besides tx-resource whose resources a growing cache keeps.
var suppliedParams = [...]string{"valueSet", "codeSystem"}

// supplied returns the resources that a growing cache keeps besides the tx-resources of the
// request: the value sets and code systems that it asks about, and all resources of the
// validations of a batch. Of these, what cannot be read is left out: its validation reports that.
func (in *Input) supplied() []json.RawMessage {
	var list []json.RawMessage
	for _, name := range suppliedParams {
		list = append(list, in.Resources(name)...)
	}
	for _, body := range in.Resources(paramValidation) {
		validation, err := r4.DecodeParameters(body)
		if err != nil {
			continue
		}
		for i := range validation.Parameter {
			if p := &validation.Parameter[i]; p.Resource != nil && (p.Name == paramResources || p.Name == suppliedParams[0] || p.Name == suppliedParams[1]) {
				list = append(list, p.Resource)
			}
		}
	}
	return list
}

// cacheOfBatch reports an error if a validation of a batch names another cache than the batch.
func (in *Input) cacheOfBatch(batch *Input) error {
	own := in.String(paramCacheID)
	of, err := batch.cache()
	if err != nil || own == "" || own == of.ID {
		return err
	}
	return Invalid(paramCacheID, fmt.Sprintf("a batch has one cache, which its header %s names", headerCacheID))
}
