package operation

import (
	"context"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// Env is what an operation works on.
type Env struct {
	// Engine answers what codes mean. In a row's Run it is the one with what the request
	// brought along.
	Engine *engine.Engine
	// Resources are the stored ones; nil where nothing is stored.
	Resources Resources
}

// Resources are stored resources, as operations need them. A *resources.Service is one,
// and its documentation says what the methods do and which errors they give.
type Resources interface {
	Read(ctx context.Context, typ, id string) (resources.Version, error)
	Load(ctx context.Context, items []resources.LoadItem) ([]resources.LoadResult, error)
}

// read returns the document of a stored resource.
func (env Env) read(ctx context.Context, typ, id string) ([]byte, error) {
	if env.Resources == nil {
		return nil, resources.NotFound(resources.Key{Type: typ, ID: id})
	}
	v, err := env.Resources.Read(ctx, typ, id)
	return v.Body, err
}

var _ Resources = (*resources.Service)(nil)
