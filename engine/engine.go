package engine

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/answer"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/expansion"
	"github.com/roget-health/roget/engine/resolve"
)

// Engine answers terminology operations from the resources published to it. It is safe
// for concurrent use. A request works on the resources published when it began, to its
// end: publishing never disturbs it.
type Engine struct {
	source atomic.Pointer[resolve.Source] // what requests without rules of their own see
	mu     sync.Mutex                     // serialises changes of the state

	settings   expansion.Settings
	cacheBytes int64
	observer   Observer
	log        *slog.Logger
}

// New makes an engine without resources.
func New(opts ...Option) *Engine {
	e := &Engine{
		settings:   expansion.Settings{DefaultCount: DefaultCount, MaxCount: DefaultMaxCount, WholeLimit: DefaultWholeLimit, Now: time.Now},
		cacheBytes: DefaultCacheBytes,
		log:        slog.New(slog.DiscardHandler),
	}
	for _, opt := range opts {
		opt(e)
	}
	e.source.Store(resolve.NewSource(catalog.NewState(), e.cacheBytes))
	return e
}

// state returns what is published now.
func (e *Engine) state() *catalog.State { return e.source.Load().State }

// Publish adds entries in one atomic step: a request sees all of them or none. A
// stored entry replaces the stored one of its type and id; a loaded one the loaded one
// of its url|version, so that versions that share an id live side by side (the id then
// stands for the default version). Stored entries beat loaded ones of the same id or
// url|version, and these built-in ones; what is beaten comes back when a stored entry is
// withdrawn. An entry without an id gets one derived from its canonical, in its Header;
// from then on entries must not be changed. Nothing is published on error, which is
// ErrInvalidResource.
func (e *Engine) Publish(entries ...*Entry) error {
	for _, entry := range entries {
		if _, err := entry.Check(); err != nil {
			return err
		}
	}
	e.publish(entries...)
	return nil
}

// publish adds entries that were checked.
func (e *Engine) publish(entries ...*Entry) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.install(e.state().Publish(entries))
}

// install makes a state the one that requests see. The caller holds mu.
func (e *Engine) install(st *catalog.State) {
	src := e.source.Load()
	if st != src.State {
		e.source.Store(src.At(st))
		e.log.Debug("published", "generation", st.Generation)
	}
}

// Withdraw removes the stored entry of a type and id, uncovering a loaded one it shadowed.
func (e *Engine) Withdraw(typ, id string) {
	k, ok := catalog.KindOf(typ)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.install(e.state().Withdraw(k, id))
}

// With returns an engine that answers from the resources of e and from entries, which
// beat those of e: for resources that come with one request. It costs what publishing
// the entries costs; e is not changed, and what is published to e later is not seen.
// Compiled value sets of e are not used, as they may depend on what entries replace.
func (e *Engine) With(entries ...*Entry) (*Engine, error) {
	src, err := e.source.Load().With(entries)
	if err != nil {
		return nil, err
	}
	return e.on(src), nil
}

// on returns an engine with the settings of e that answers from src.
func (e *Engine) on(src *resolve.Source) *Engine {
	over := &Engine{settings: e.settings, cacheBytes: e.cacheBytes, observer: e.observer, log: e.log}
	over.source.Store(src)
	return over
}

// Entries lists what is published of a type ("CodeSystem", "ValueSet", "ConceptMap"), by
// url, then version. Entries that another one beats are left out.
func (e *Engine) Entries(typ string) []*Entry {
	k, ok := catalog.KindOf(typ)
	if !ok {
		return nil
	}
	records := e.state().Shelf(k).List()
	entries := make([]*Entry, len(records))
	for i, r := range records {
		entries[i] = r.Entry
	}
	return entries
}

// Entry finds the one of a type and id.
func (e *Engine) Entry(typ, id string) (*Entry, bool) {
	k, ok := catalog.KindOf(typ)
	if !ok {
		return nil, false
	}
	r := e.state().Shelf(k).ID(id)
	if r == nil {
		return nil, false
	}
	return r.Entry, true
}

// Systems returns the index of every code system that is published with content, by url,
// then version. It makes those not made yet and stops at the first error.
func (e *Engine) Systems(ctx context.Context) ([]*codesystem.Index, error) {
	var out []*codesystem.Index
	for _, r := range e.state().Shelf(catalog.KindCodeSystem).List() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x, err := r.Index()
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return slices.Clip(out), nil
}

// System returns the index of a code system, for loops that ask it directly: the hot
// calls of an Index (Find, IsAncestor) cost nanoseconds and allocate nothing. url may be
// url|version; an empty version asks for the default one. Errors: ErrUnknownSystem,
// ErrUnknownVersion, ErrNoContent.
func (e *Engine) System(url, version string) (*codesystem.Index, error) {
	return e.state().System(url, version)
}

// Generation is a number that rises with each change of the published code systems and
// value sets, for caches of what is derived from them.
func (e *Engine) Generation() uint64 { return e.state().Generation }

// IsDefault reports that a published entry is the one that answers for its url when no
// version is asked for.
func (e *Engine) IsDefault(entry *Entry) bool {
	k, ok := catalog.KindOf(entry.Header.ResourceType)
	if !ok {
		return false
	}
	r, _ := e.state().Shelf(k).Find(entry.Header.URL, "")
	return r != nil && r.Entry == entry
}

// Limits are bounds of the engine, for capability statements.
type Limits struct {
	DefaultCount int   // codes on a page when none is asked for
	MaxCount     int   // codes on a page at most; 0: no bound
	CacheBytes   int64 // memory of compiled value sets
}

// Limits returns the bounds of the engine.
func (e *Engine) Limits() Limits {
	return Limits{DefaultCount: e.settings.DefaultCount, MaxCount: e.settings.MaxCount, CacheBytes: e.cacheBytes}
}

// Table is an answer as rows for people: what a terminal or a page shows. Every result of an
// operation has one.
type Table = answer.Table

// Thousands writes a number for people, with commas between thousands: 1,234.
func Thousands(n int) string { return answer.Thousands(n) }
