package operation

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/access"
)

// permit returns an error if the grant of a context does not permit an operation.
//
// Published terminology is knowledge for everybody who may use its type: an operation of a type of
// terminology needs a scope that covers reading or searching the type, and answers from all
// resources of the engine. An operation on one stored resource needs that the resource may be read.
// Other operations read and write stored resources through Env.Resources only, which decides itself.
func (r *Runner) permit(ctx context.Context, in *Input) error {
	grant := access.GrantOf(ctx)
	if grant == nil {
		return nil
	}
	typ := in.Op.Type
	switch typ {
	case "CodeSystem", "ValueSet", "ConceptMap":
	default:
		return nil
	}
	if !grant.Covers(typ, access.Read|access.Search) {
		return fmt.Errorf("%w: no scope of this request covers read or search of %s", access.ErrForbidden, typ)
	}
	if in.ID == "" {
		return nil
	}
	if e, found := r.env.Engine.Entry(typ, in.ID); found && e.Stored {
		_, err := r.env.read(ctx, typ, in.ID)
		return err
	}
	return nil
}
