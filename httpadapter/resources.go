package httpadapter

import (
	"context"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/validate"
)

// Resources stores the resources that clients create, search, update and delete.
// *resources.Service implements it, and documents what each method does and which errors it
// returns. Implementations must be safe for concurrent use. Callers share what they return and
// must not modify it.
type Resources interface {
	// Types returns the resource types that are stored.
	Types() []string

	operation.Resources // Read and Load
	ReadVersion(ctx context.Context, typ, id string, versionID int64) (resources.Version, error)
	History(ctx context.Context, r resources.HistoryRequest) (resources.HistoryPage, error)
	Search(ctx context.Context, r resources.SearchRequest) (resources.SearchResult, error)
	Everything(ctx context.Context, r resources.EverythingRequest) (resources.EverythingPage, error)

	Create(ctx context.Context, typ string, body []byte, o resources.CreateOptions) (resources.Outcome, error)
	Update(ctx context.Context, typ, id string, body []byte, o resources.UpdateOptions) (resources.Outcome, error)
	UpdateWhere(ctx context.Context, typ string, query []search.Param, body []byte, o resources.UpdateOptions) (resources.Outcome, error)
	Patch(ctx context.Context, typ, id string, p resources.Patch, o resources.UpdateOptions) (resources.Outcome, error)
	PatchWhere(ctx context.Context, typ string, query []search.Param, p resources.Patch, o resources.UpdateOptions) (resources.Outcome, error)
	Delete(ctx context.Context, typ, id string, o resources.UpdateOptions) (resources.Outcome, error)
	DeleteWhere(ctx context.Context, typ string, query []search.Param, many bool, o resources.UpdateOptions) ([]resources.Outcome, error)
	Transaction(ctx context.Context, b *resources.Bundle, o resources.TransactionOptions) ([]resources.Outcome, error)

	Validate(ctx context.Context, typ, id, mode string, body []byte, profiles ...string) ([]validate.Issue, error)

	// Covers reports whether the grant of a context covers actions for some resources of a type, and
	// whether it does for all of them.
	Covers(ctx context.Context, typ string, actions access.Actions) (some, all bool, err error)
	// Permitted reports whether the grant of a context permits one of the actions for each resource.
	Permitted(ctx context.Context, actions access.Actions, keys []resources.Key) ([]bool, error)

	// KeepsHistory reports whether former versions are kept, Searches whether searches are
	// supported, and Transacts whether transactions and conditional interactions are supported.
	KeepsHistory() bool
	// ReadsOnly reports whether writes are refused for now with resources.ErrReadOnly.
	ReadsOnly() bool
	Searches() bool
	Transacts() bool
	// AppendOnly reports whether resources of a type can be created but not changed or deleted.
	AppendOnly(typ string) bool
}

// nothingStored is the Resources of a read-only server.
type nothingStored struct{ Resources }

func (nothingStored) Covers(ctx context.Context, typ string, actions access.Actions) (some, all bool, err error) {
	grant := access.GrantOf(ctx)
	return grant == nil || grant.Covers(typ, actions), grant == nil || grant.CoversAll(typ, actions), nil
}

func (nothingStored) Permitted(_ context.Context, _ access.Actions, keys []resources.Key) ([]bool, error) {
	return make([]bool, len(keys)), nil
}

func (nothingStored) Types() []string    { return nil }
func (nothingStored) KeepsHistory() bool { return false }
func (nothingStored) ReadsOnly() bool    { return false }
func (nothingStored) Searches() bool     { return false }
func (nothingStored) Transacts() bool    { return false }

func (nothingStored) AppendOnly(string) bool { return false }

var _ Resources = (*resources.Service)(nil)
