package resources

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// Service keeps resources durably and tells a Listener about them. A change goes
// through five steps: the document is checked, the listener prepares it, the store makes
// it durable, the listener publishes it, and the call returns. So what a caller was told
// is stored and served, and what was refused changed nothing.
//
// Documents are preserved: what comes back is what was sent, byte for byte, except id,
// meta.versionId and meta.lastUpdated (SpliceMeta).
//
// A Service is safe for concurrent use. Writers of one resource take turns.
type Service struct {
	store    Store
	history  Historian // nil when the store keeps no former versions
	listener Listener
	types    []string
	log      *slog.Logger
	now      func() time.Time
	newID    func() string
	locks    keyLocks
	relaxed  bool // documents need not have what R4 requires
}

// Option configures NewService.
type Option func(*Service)

// WithLogger sets where Restore reports resources that could not be published.
// Default: nowhere.
func WithLogger(log *slog.Logger) Option {
	return func(s *Service) { s.log = log }
}

// WithClock sets the clock for meta.lastUpdated. Default: time.Now.
func WithClock(now func() time.Time) Option {
	return func(s *Service) { s.now = now }
}

// WithIDs sets the maker of ids for Create. Default: NewID.
func WithIDs(newID func() string) Option {
	return func(s *Service) { s.newID = newID }
}

// NewService makes a service on a store. listener may be nil. The store stays the
// caller's to close.
func NewService(store Store, listener Listener, opts ...Option) *Service {
	s := &Service{
		store:    store,
		listener: listener,
		types:    []string{"CodeSystem", "ValueSet", "ConceptMap"},
		log:      slog.New(slog.DiscardHandler),
		now:      time.Now,
		newID:    NewID,
	}
	s.history, _ = store.(Historian)
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// Types are the resource types the service keeps; a fresh slice.
func (s *Service) Types() []string { return slices.Clone(s.types) }

// KeepsHistory reports that ReadVersion and History give former versions.
func (s *Service) KeepsHistory() bool { return s.history != nil }

// Read gives the current version. ErrNotFound for an id never stored; ErrGone for a
// deleted one, with the Version that is the deletion.
func (s *Service) Read(ctx context.Context, typ, id string) (Version, error) {
	key, err := s.key(typ, id)
	if err != nil {
		return Version{}, err
	}
	return s.store.Read(ctx, key)
}

// Each calls fn with the current version of every resource of a type that is not
// deleted, in ascending id order, until fn returns an error, which it passes on.
func (s *Service) Each(ctx context.Context, typ string, fn func(Version) error) error {
	if err := s.knows(typ); err != nil {
		return err
	}
	return s.store.Each(ctx, typ, fn)
}

// ReadVersion gives one version (FHIR vread). ErrNotFound, ErrGone for a version that is
// a deletion, ErrNoHistory when the store keeps only the current version.
func (s *Service) ReadVersion(ctx context.Context, typ, id string, versionID int64) (Version, error) {
	key, err := s.key(typ, id)
	if err != nil {
		return Version{}, err
	}
	if s.history == nil {
		return Version{}, ErrNoHistory
	}
	return s.history.ReadVersion(ctx, key, versionID)
}

// History gives versions of a resource, of a type, or of all (R4 http, history).
// ErrNotFound for an id never stored, ErrNoHistory, ErrBadCursor. Of types and of all it
// needs a store that is Indexed, else ErrNoHistory.
func (s *Service) History(ctx context.Context, r HistoryRequest) (HistoryPage, error) {
	key, err := s.key(r.Type, r.ID)
	if err != nil {
		return HistoryPage{}, err
	}
	if s.history == nil {
		return HistoryPage{}, ErrNoHistory
	}
	all, err := s.history.History(ctx, key)
	if err != nil {
		return HistoryPage{}, err
	}
	all = slices.DeleteFunc(all, func(v Version) bool { return v.LastUpdated.Before(r.Since) })
	total := len(all)
	if r.Count > 0 {
		all = all[:min(r.Count, total)]
	}
	return HistoryPage{Versions: all, Total: &total}, nil
}

// key checks the address of a resource. An id that cannot exist is not found when it
// is read, so callers that read turn nothing around: errors.Is(err, ErrBadID) tells.
func (s *Service) key(typ, id string) (Key, error) {
	if err := s.knows(typ); err != nil {
		return Key{}, err
	}
	if !ValidID(id) {
		return Key{}, fmt.Errorf("%w %q: need 1 to 64 of letters, digits, hyphen and full stop", ErrBadID, id)
	}
	return Key{Type: typ, ID: id}, nil
}

func (s *Service) knows(typ string) error {
	if !slices.Contains(s.types, typ) {
		return fmt.Errorf("%w: %q", ErrUnknownType, typ)
	}
	return nil
}
