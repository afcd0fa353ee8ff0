package resources

import "context"

// Everything gives a resource and its compartment. ErrNotFound, ErrGone, ErrUnknownType for
// a type that has no compartment, ErrBadCursor, ErrNotSearchable, search.ErrParameter for
// Start and End.
func (s *Service) Everything(ctx context.Context, r EverythingRequest) (EverythingPage, error) {
	return EverythingPage{}, ErrNotSearchable
}

// Reindex brings what the store keeps for searches to the present format: after an upgrade,
// of all resources; else it does nothing. progress, when not nil, is told how many versions
// are done. Nothing is found by a search that was not reindexed.
func (s *Service) Reindex(ctx context.Context, progress func(done int)) error { return nil }

// Maintain purges the store every minute of entries that nobody needs, and publishes what
// other processes that share the store have written, until ctx ends.
func (s *Service) Maintain(ctx context.Context) {}
