package resources

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// Service keeps resources durably, finds them, and tells a Listener about terminology. A
// change goes through five steps: the document is checked, the listener prepares it, the
// store makes it durable, the listener publishes it, and the call returns. So what a caller
// was told is stored and served, and what was refused changed nothing.
//
// Documents are preserved: what comes back is what was sent, byte for byte, except id,
// meta.versionId and meta.lastUpdated.
//
// What a Service offers depends on its store: reading and writing by id always, former
// versions of a Historian, searches of an Indexed store, conditions and transactions of one
// that is a Transactor, too.
//
// A Service is safe for concurrent use. Writers of one resource take turns.
type Service struct {
	store      Store
	history    Historian  // nil when the store keeps no former versions
	indexed    Indexed    // nil when the store cannot be searched
	transactor Transactor // nil when the store has no transactions, or cannot be searched

	listener    Listener
	terminology search.Terminology // nil when there is none
	lifecycle   Lifecycle
	relaxed     bool // documents need not have what R4 requires
	log         *slog.Logger
	now         func() time.Time // nil: the clock of the store
	newID       func() string
	pageBytes   int // of the documents of a page

	tools func() *r4Tools
	locks keyLocks
	// publishing is held by each change of terminology: one part of it by a change of one
	// resource, all by changes that find out what they change within a transaction.
	publishing *semaphore.Weighted
	published  publications
	vocabulary index.Vocabulary // what the store has of it
}

// allPublishing is all of Service.publishing.
const allPublishing = 1 << 30

// terminologyTypes are the types that the listener is told of, in the order in which
// Restore tells: what others are built on comes first.
var terminologyTypes = [...]string{"CodeSystem", "ValueSet", "ConceptMap"}

// Option configures NewService.
type Option func(*Service)

// WithLogger sets where Restore and Maintain report what failed. Default: nowhere.
func WithLogger(log *slog.Logger) Option {
	return func(s *Service) { s.log = log }
}

// WithClock sets the clock for meta.lastUpdated. Default: that of the store.
func WithClock(now func() time.Time) Option {
	return func(s *Service) { s.now = now }
}

// WithIDs sets the maker of ids for what is created, which must be safe for concurrent
// use. Default: NewID.
func WithIDs(newID func() string) Option {
	return func(s *Service) { s.newID = newID }
}

// WithTerminology answers token searches with :below, :above, :in, :not-in and :ecl.
// Without it they are refused.
func WithTerminology(t search.Terminology) Option {
	return func(s *Service) { s.terminology = t }
}

// WithLifecycle sets what to do about a QuestionnaireResponse.status that does not follow
// the one before. Default: EnforceLifecycle.
func WithLifecycle(mode Lifecycle) Option {
	return func(s *Service) { s.lifecycle = mode }
}

// WithPageBytes sets how large the documents of a page of a search, a history or
// Everything become, in bytes, before it ends early. Default: index.PageBytes.
func WithPageBytes(n int) Option {
	return func(s *Service) { s.pageBytes = n }
}

// WithoutValidation lets a service store whatever parses: documents that lack elements R4
// requires, have others that it does not know, or codes that it does not.
func WithoutValidation() Option {
	return func(s *Service) { s.relaxed = true }
}

// NewService makes a service on a store. listener may be nil. The store stays the
// caller's to close.
func NewService(store Store, listener Listener, opts ...Option) *Service {
	s := &Service{
		store:      store,
		listener:   listener,
		log:        slog.New(slog.DiscardHandler),
		newID:      NewID,
		pageBytes:  index.PageBytes,
		publishing: semaphore.NewWeighted(allPublishing),
	}
	s.history, _ = store.(Historian)
	s.indexed, _ = store.(Indexed)
	if s.indexed != nil {
		s.transactor, _ = store.(Transactor)
	}
	for _, opt := range opts {
		opt(s)
	}
	s.tools = sync.OnceValue(s.newR4Tools)
	return s
}

// Types are the resource types the service keeps, in ascending order; a fresh slice. They
// are all of R4 but Parameters, which is never stored.
func (s *Service) Types() []string {
	return slices.DeleteFunc(slices.Clone(definitions.R4().Resources()), func(typ string) bool { return typ == "Parameters" })
}

// KeepsHistory reports that ReadVersion and History give former versions.
func (s *Service) KeepsHistory() bool { return s.history != nil }

// Searches reports that the store can be searched: Search, Everything, and History of types
// and of the system.
func (s *Service) Searches() bool { return s.indexed != nil }

// Transacts reports that there are transactions and conditional interactions.
func (s *Service) Transacts() bool { return s.transactor != nil }

// key checks the address of a resource. An id that cannot exist is not found when it
// is read, so callers that read turn nothing around: errors.Is(err, ErrBadID) tells.
func (s *Service) key(typ, id string) (Key, error) {
	if err := s.checkType(typ); err != nil {
		return Key{}, err
	}
	if !ValidID(id) {
		return Key{}, fmt.Errorf("%w %q: need 1 to 64 of letters, digits, hyphen and full stop", ErrBadID, id)
	}
	return Key{Type: typ, ID: id}, nil
}

func (s *Service) checkType(typ string) error {
	if typ == "Parameters" || !definitions.R4().IsResource(typ) {
		return fmt.Errorf("%w: %q", ErrUnknownType, typ)
	}
	return nil
}

// publishes reports that the listener is told of changes of a type.
func (s *Service) publishes(typ string) bool {
	return s.listener != nil && slices.Contains(terminologyTypes[:], typ)
}

// lock takes the turn of a writer of one resource.
func (s *Service) lock(ctx context.Context, key Key) (unlock func(), err error) {
	leave, err := s.locks.lock(ctx, key)
	if err != nil || !s.publishes(key.Type) {
		return leave, err
	}
	if err := s.publishing.Acquire(ctx, 1); err != nil {
		leave()
		return nil, err
	}
	return func() { s.publishing.Release(1); leave() }, nil
}
