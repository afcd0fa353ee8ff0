package resources

import "context"

// Service keeps resources durably and tells a Listener about them.
type Service struct{}

// Option configures NewService.
type Option func(*Service)

// NewService makes a service on a store. listener may be nil.
func NewService(store Store, listener Listener, opts ...Option) *Service { panic("skeleton") }

// Create stores a new resource under an id the server gives; an id in body is ignored.
func (s *Service) Create(ctx context.Context, typ string, body []byte) (Version, error) {
	panic("skeleton")
}

// Read gives the current version. ErrNotFound, ErrGone.
func (s *Service) Read(ctx context.Context, typ, id string) (Version, error) { panic("skeleton") }

// Update stores a version under id, which may be new. ifMatch, when not nil, is the
// version that must be current, else ErrConflict. changed is false when the content is
// what is stored already: the version stays then.
func (s *Service) Update(ctx context.Context, typ, id string, body []byte, ifMatch *int64) (v Version, created, changed bool, err error) {
	panic("skeleton")
}

// Delete deletes a resource; deleted is false when there was nothing to delete, which is no error.
func (s *Service) Delete(ctx context.Context, typ, id string, ifMatch *int64) (v Version, deleted bool, err error) {
	panic("skeleton")
}

// Each calls fn with the current version of every resource of a type, in ascending id order.
func (s *Service) Each(ctx context.Context, typ string, fn func(Version) error) error {
	panic("skeleton")
}

// ReadVersion gives a former version, History all, newest first. ErrNoHistory when the store keeps none.
func (s *Service) ReadVersion(ctx context.Context, typ, id string, versionID int64) (Version, error) {
	panic("skeleton")
}

// History gives all versions of a resource, newest first, deletions included.
func (s *Service) History(ctx context.Context, typ, id string) ([]Version, error) {
	panic("skeleton")
}

// Types are the resource types the service keeps.
func (s *Service) Types() []string { panic("skeleton") }

// Failure is a stored resource that Restore could not publish.
type Failure struct {
	Key
	Err error
}

// Restore hands every stored resource to the listener. A resource that no longer
// prepares is listed (and logged), and does not stop the others.
func (s *Service) Restore(ctx context.Context) (restored int, failed []Failure, err error) {
	panic("skeleton")
}
