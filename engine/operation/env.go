package operation

import (
	"context"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// Env is what an operation works on.
type Env struct {
	// Engine answers questions about codes. In the Run of a row it follows the rules of the
	// request, and includes the resources that came with it.
	Engine *engine.Engine
	// Resources are the stored resources; nil if nothing is stored.
	Resources Resources
	// Closures keep closure tables; nil if nothing is stored.
	Closures Closures
	// Shared is what the validations of a batch have in common; nil for other calls.
	Shared *engine.SharedValidation
	// Caches keep resources for later requests; nil if there are no later requests. The Runner
	// sets them.
	Caches Caches
}

// Resources is the part of *resources.Service that operations use; see there for methods and
// errors.
type Resources interface {
	Read(ctx context.Context, typ, id string) (resources.Version, error)
	Load(ctx context.Context, items []resources.LoadItem) ([]resources.LoadResult, error)
	Uses(ctx context.Context, system string, asked func(code string) bool, first int) ([]r4.CodeUse, error)
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
