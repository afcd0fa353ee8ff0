package resources

import "context"

// Everything gives a resource and its compartment. ErrNotFound, ErrGone, ErrUnknownType for
// a type that has no compartment, ErrBadCursor, ErrNotSearchable, search.ErrParameter for
// Start and End.
func (s *Service) Everything(ctx context.Context, r EverythingRequest) (EverythingPage, error) {
	return EverythingPage{}, ErrNotSearchable
}

// Transaction does what the entries of a bundle of type transaction ask, all or nothing, in
// the order DELETE, POST, PUT and PATCH, GET (R4 http, transaction). References to the
// fullUrl of an entry become references to the resource it made; references that are
// searches, Type?query, to the one resource they find. The outcomes are one for each entry,
// in their order; that of a GET is zero.
//
// Errors are *EntryError around those of the interaction of the entry, or ErrBundle.
func (s *Service) Transaction(ctx context.Context, b *Bundle, opts TransactionOptions) ([]Outcome, error) {
	return nil, ErrNotSearchable
}

// Load stores documents by the ids they have, as updates would, in one durable change;
// those without an id get one. One that is refused leaves the others alone. The results are
// in the order of the documents; err is of the store, or ctx, and nothing is stored then.
func (s *Service) Load(ctx context.Context, documents [][]byte) ([]LoadResult, error) {
	return nil, ErrNotSearchable
}

// ParseBundle reads a Bundle of any type. Errors: *r4.SyntaxError, ErrBundle.
func ParseBundle(body []byte) (*Bundle, error) {
	return nil, ErrBundle
}

// Reindex brings what the store keeps for searches to the present format: after an upgrade,
// of all resources; else it does nothing. progress, when not nil, is told how many versions
// are done. Nothing is found by a search that was not reindexed.
func (s *Service) Reindex(ctx context.Context, progress func(done int)) error { return nil }

// Maintain purges the store every minute of entries that nobody needs, and publishes what
// other processes that share the store have written, until ctx ends.
func (s *Service) Maintain(ctx context.Context) {}
