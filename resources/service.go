package resources

import (
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/profile"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/validate"
)

// A Service stores and searches resources durably, and passes terminology to a Listener. A change
// takes five steps: the document is validated, the listener prepares it, the store makes it
// durable, the listener publishes it, and the call returns. So an acknowledged change is stored and
// served, and a refused one changed nothing.
//
// Documents are preserved byte for byte, except id, meta.versionId and meta.lastUpdated.
//
// What a Service offers depends on its store. Every store reads and writes by id, a Historian keeps
// earlier versions, an Indexed store can be searched, and a Transactor adds conditions and
// transactions.
//
// A Service is safe for concurrent use. It serialises the writers of one resource.
type Service struct {
	store      Store
	history    Historian  // nil if the store keeps no earlier versions
	indexed    Indexed    // nil if the store cannot be searched
	transactor Transactor // nil if the store has no transactions or cannot be searched
	remembers  Rememberer // nil if the store remembers nothing

	listener    Listener
	terminology search.Terminology // nil if there is none
	lifecycle   Lifecycle
	relaxed     bool // store documents without validation of R4 rules
	profiled    bool // check the profiles that documents claim before they are stored
	log         *slog.Logger
	now         func() time.Time // nil for the clock of the store
	bases       []string         // of this server, for references in resources that permissions depend on
	newID       func() string
	columnBytes int64         // maximum bytes of the columns of searches, 0 for the default
	pageBytes   int           // maximum bytes of the documents of a page
	appendOnly  string        // the type that is append-only, "" if there is none
	retention   time.Duration // of resources of that type, 0 for ever

	observer Observer                      // nil if nobody observes
	allowed  func(endpoint *url.URL) error // to be notified; nil without WithSubscriptions

	tools     func() *r4Tools
	locks     keyLocks
	contended contended
	// publishing is held by each change of terminology: one unit by a change of one resource, all
	// units by a change that finds out within its transaction what it changes.
	publishing *semaphore.Weighted
	large      *semaphore.Weighted // held by large changes that are in the store; see turn
	published  publications
	known      knownGrants // what was decided about grants
	held       heldStates
	vocabulary index.Vocabulary           // the terms that the store is known to have
	stale      atomic.Pointer[staleIndex] // nil while all types have an index of the present format
}

// allPublishing is all units of Service.publishing.
const allPublishing = 1 << 30

// terminologyTypes are the types that the listener receives, in the order of Restore: a type comes
// before those that depend on it.
var terminologyTypes = [...]string{"CodeSystem", "ValueSet", "ConceptMap"}

// An Option configures NewService.
type Option func(*Service)

// WithLogger sets the logger for failures of Restore and Maintain. By default they are not logged.
func WithLogger(log *slog.Logger) Option {
	return func(s *Service) { s.log = log }
}

// WithClock sets the clock for meta.lastUpdated. Default: the clock of the store.
func WithClock(now func() time.Time) Option {
	return func(s *Service) { s.now = now }
}

// WithIDs sets the generator of ids for new resources, which must be safe for concurrent use.
// Default: NewID.
func WithIDs(newID func() string) Option {
	return func(s *Service) { s.newID = newID }
}

// WithTerminology answers token searches with :below, :above, :in, :not-in and :ecl. Without it
// they are refused.
func WithTerminology(t search.Terminology) Option {
	return func(s *Service) { s.terminology = t }
}

// WithLifecycle sets what to do about a QuestionnaireResponse.status that must not follow the
// previous one. Default: EnforceLifecycle.
func WithLifecycle(mode Lifecycle) Option {
	return func(s *Service) { s.lifecycle = mode }
}

// WithPageBytes sets the size, in bytes, of the documents after which a page of a search, a history
// or Everything ends early. Default: index.PageBytes.
func WithPageBytes(n int) Option {
	return func(s *Service) { s.pageBytes = n }
}

// WithColumnBytes sets the memory, in bytes, for the values of parameters that searches keep in
// columns. -1 keeps none. Default: search.DefaultLimits.
func WithColumnBytes(n int64) Option {
	return func(s *Service) { s.columnBytes = n }
}

// WithoutValidation lets a service store every document that parses, even if it lacks required
// elements or has unknown elements or codes.
func WithoutValidation() Option {
	return func(s *Service) { s.relaxed = true }
}

// WithBases sets the base URLs of the server, without a trailing slash. An absolute reference that
// begins with one of them is to a resource of this service when permissions are decided: whether a
// resource is in the compartment of a patient. It must not depend on what a client sends.
func WithBases(bases ...string) Option {
	return func(s *Service) { s.bases = bases }
}

// NewService returns a service on a store. listener may be nil. The caller closes the store.
func NewService(store Store, listener Listener, opts ...Option) *Service {
	s := &Service{
		store:      store,
		listener:   listener,
		log:        slog.New(slog.DiscardHandler),
		newID:      NewID,
		pageBytes:  index.PageBytes,
		publishing: semaphore.NewWeighted(allPublishing),
		contended:  contended{seed: maphash.MakeSeed()},
		large:      semaphore.NewWeighted(MaxTransactionEntries),
	}
	s.history, _ = store.(Historian)
	s.remembers, _ = store.(Rememberer)
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

// Types returns the resource types that the service stores, in ascending order, as a new slice: all
// types of R4 except Parameters, which is never stored.
func (s *Service) Types() []string {
	return slices.DeleteFunc(slices.Clone(definitions.R4().Resources()), func(typ string) bool { return typ == "Parameters" })
}

// ReadsOnly reports whether nothing can be written because the store is a standby. That may change.
func (s *Service) ReadsOnly() bool {
	standby, can := s.store.(Standby)
	return can && standby.ReadsOnly()
}

// KeepsHistory reports whether ReadVersion and History return earlier versions.
func (s *Service) KeepsHistory() bool { return s.history != nil }

// Searches reports whether the store can be searched: Search, Everything, and History of types and
// of the system.
func (s *Service) Searches() bool { return s.indexed != nil }

// Transacts reports whether the service has transactions and conditional interactions.
func (s *Service) Transacts() bool { return s.transactor != nil }

// key checks the address of a resource. It returns ErrUnknownType or ErrBadID.
func (s *Service) key(typ, id string) (Key, error) {
	if err := s.checkType(typ); err != nil {
		return Key{}, err
	}
	if !ValidID(id) {
		return Key{}, fmt.Errorf("%w %q: expected 1 to 64 letters, digits, hyphens or full stops", ErrBadID, id)
	}
	return Key{Type: typ, ID: id}, nil
}

func (s *Service) checkType(typ string) error {
	if typ == "Parameters" || !definitions.R4().IsResource(typ) {
		return fmt.Errorf("%w: %q", ErrUnknownType, typ)
	}
	return nil
}

// Terminology returns what WithTerminology has set, or nil.
func (s *Service) Terminology() search.Terminology { return s.terminology }

// publishes reports whether the listener receives changes of a type.
func (s *Service) publishes(typ string) bool {
	return s.listener != nil && isTerminology(typ)
}

// lock waits until no other writer changes the resource.
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

// r4Tools are what a service needs to know about R4. They are built on first use, so that a program
// that only restores terminology does not pay for them.
type r4Tools struct {
	tables    *definitions.Tables
	validator *validate.Validator
	profiles  *profile.Checker
	extractor *index.Extractor
	searcher  *search.Searcher
}

func (s *Service) newR4Tools() *r4Tools {
	t := &r4Tools{tables: definitions.R4()}
	var checks []validate.Option
	if s.relaxed {
		checks = append(checks, validate.Relaxed())
	}
	if s.terminology != nil {
		checks = append(checks, validate.WithCodes(func(valueSet string) (r4.Codes, error) {
			return s.terminology.CodesIn(context.Background(), valueSet) // it is compiled once, for all requests
		}), validate.WithSystems(func(system, code string) bool {
			return s.terminology.Lacks(context.Background(), system, code)
		}))
	}
	t.validator = validate.New(t.tables, checks...)
	t.profiles = profile.New(t.tables, &storedProfiles{s: s}, s.terminology)
	t.extractor = index.NewExtractor(t.tables)
	opts := []search.Option{search.WithLimits(search.Limits{Bytes: s.pageBytes, Columns: s.columnBytes}), search.WithForgotten(s.appendOnly)}
	if s.terminology != nil {
		opts = append(opts, search.WithTerminology(s.terminology))
	}
	t.searcher = search.New(t.tables, opts...)
	return t
}
