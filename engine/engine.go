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
	"github.com/roget-health/roget/valueset"
)

// An Engine answers terminology operations from the resources published to it. It is safe for
// concurrent use. A request uses the resources that were published when it began; publishing does
// not affect running requests.
//
// An engine follows one set of Rules. Under returns the engine that follows others and shares
// everything else.
type Engine struct {
	rules  Rules
	family *family
}

// A family has what the engines of all rules share: the published resources, caches and settings.
type family struct {
	sources atomic.Pointer[sources] // as requests without version rules see the state
	mu      sync.Mutex              // serialises changes of the state

	settings   expansion.Settings
	cacheBytes int64
	observer   Observer
	log        *slog.Logger
	suggester  Suggester // nil: none

	members [resolve.RuleCount]Engine // by rules
}

// sources are views of one state under each set of rules.
type sources [resolve.RuleCount]resolve.Source

// under returns the view under a set of rules.
func (s *sources) under(r Rules) *resolve.Source { return &s[r-1] }

// sourcesOf returns the views of a source under each set of rules.
func sourcesOf(src *resolve.Source) *sources {
	all := new(sources)
	for i := range all {
		all[i] = *src
		all[i].Under = Rules(i + 1)
	}
	return all
}

// New returns an engine without resources.
func New(opts ...Option) *Engine {
	s := settings{
		rules: Clinical,
		family: &family{
			settings:   expansion.Settings{DefaultCount: DefaultCount, MaxCount: DefaultMaxCount, ExpandLimit: DefaultExpandLimit, Now: time.Now},
			cacheBytes: DefaultCacheBytes,
			log:        slog.New(slog.DiscardHandler),
		},
	}
	for _, opt := range opts {
		opt(&s)
	}
	return s.family.open(resolve.NewSource(catalog.NewState(), s.family.cacheBytes)).Under(s.rules)
}

// open makes the engines of a family, which answer from src, and returns the one of src's rules.
func (f *family) open(src *resolve.Source) *Engine {
	f.sources.Store(sourcesOf(src))
	for i := range f.members {
		f.members[i] = Engine{rules: Rules(i + 1), family: f}
	}
	return &f.members[src.Under-1]
}

// CacheStats are counters of the cache of compiled value sets.
type CacheStats = valueset.CacheStats

// CacheStats returns the counters of the cache of compiled value sets.
func (e *Engine) CacheStats() CacheStats { return e.source().CacheStats() }

// Under returns the engine that follows a set of rules. It has the resources, caches and settings of
// e, and sees what is published to either later. The zero Rules mean those of e. Under does not
// allocate.
func (e *Engine) Under(rules Rules) *Engine {
	if rules < Clinical || rules > resolve.RuleCount {
		return e
	}
	return &e.family.members[rules-1]
}

// Rules returns the rules that the engine follows.
func (e *Engine) Rules() Rules { return e.rules }

// source returns the current state as a request without version rules sees it.
func (e *Engine) source() *resolve.Source { return e.family.sources.Load().under(e.rules) }

// state returns the current state.
func (e *Engine) state() *catalog.State { return e.source().State }

// Publish adds entries in one atomic step: a request sees all of them or none. Nothing is
// published on error, which is ErrInvalidResource.
//
// A stored entry replaces the stored entry of its type and id. A loaded entry replaces the loaded
// entry of its url|version; several versions may share an id, which then stands for the default
// version. A stored entry takes precedence over loaded entries of the same id or url|version, and
// a loaded entry over built-in ones; they become visible again when the stored entry is withdrawn.
//
// Publish sets the Header.ID of an entry without an id, derived from its canonical. After that,
// entries must not be modified.
func (e *Engine) Publish(entries ...*Entry) error {
	for _, entry := range entries {
		if _, err := entry.Check(); err != nil {
			return err
		}
	}
	e.publish(entries...)
	return nil
}

// publish adds entries that passed Check.
func (e *Engine) publish(entries ...*Entry) {
	e.family.mu.Lock()
	defer e.family.mu.Unlock()
	e.family.install(e.state().Publish(entries))
}

// install makes st the current state. The caller holds mu.
func (f *family) install(st *catalog.State) {
	src := f.sources.Load().under(Clinical)
	if st != src.State {
		f.sources.Store(sourcesOf(src.At(st)))
		f.log.Debug("published", "generation", st.Generation)
	}
}

// Withdraw removes the stored entry of a type and id. A loaded entry that it shadowed becomes
// visible.
func (e *Engine) Withdraw(typ, id string) {
	k, ok := catalog.KindOf(typ)
	if !ok {
		return
	}
	e.family.mu.Lock()
	defer e.family.mu.Unlock()
	e.family.install(e.state().Withdraw(k, id))
}

// With returns an engine with the resources of e and entries, which take precedence: for resources
// that come with one request. It costs as much as publishing the entries. It does not change e,
// and does not see what is published to e later. It does not use compiled value sets of e, because
// they may depend on resources that entries replace.
func (e *Engine) With(entries ...*Entry) (*Engine, error) {
	src, err := e.source().With(entries)
	if err != nil {
		return nil, err
	}
	return e.on(src), nil
}

// on returns an engine with the rules and settings of e that answers from src.
func (e *Engine) on(src *resolve.Source) *Engine {
	f := &family{settings: e.family.settings, cacheBytes: e.family.cacheBytes, observer: e.family.observer, log: e.family.log}
	return f.open(src).Under(e.rules)
}

// Entries returns the published entries of a type ("CodeSystem", "ValueSet", "ConceptMap"), sorted
// by url and version, without shadowed ones.
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

// Entry returns the entry of a type and id.
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

// Systems returns the indexes of all published code systems with content, sorted by url and
// version. It builds indexes that do not exist yet, and stops at the first error.
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

// System returns the index of a code system, for programs that use it in a loop: Find and
// IsAncestor of an Index take nanoseconds and do not allocate. url may be url|version; an empty
// version means the default version. Errors: ErrUnknownSystem, ErrUnknownVersion, ErrNoContent.
func (e *Engine) System(url, version string) (*codesystem.Index, error) {
	return e.state().System(url, version)
}

// Generation returns a number that increases with each change of the published code systems and
// value sets, for caches of derived data.
func (e *Engine) Generation() uint64 { return e.state().Generation }

// IsDefault reports whether a published entry is the default version of its url.
func (e *Engine) IsDefault(entry *Entry) bool {
	k, ok := catalog.KindOf(entry.Header.ResourceType)
	if !ok {
		return false
	}
	r, _ := e.state().Shelf(k).Find(entry.Header.URL, "")
	return r != nil && r.Entry == entry
}

// Limits are the limits of an engine, for capability statements.
type Limits struct {
	DefaultCount int   // page size under the clinical rules if a request has no count; 0: none
	MaxCount     int   // largest page size; 0: unlimited
	ExpandLimit  int   // largest number of codes of an expansion without pages
	CacheBytes   int64 // memory of compiled value sets
}

// Limits returns the limits of the engine.
func (e *Engine) Limits() Limits {
	return Limits{DefaultCount: e.family.settings.DefaultCount, MaxCount: e.family.settings.MaxCount, ExpandLimit: e.family.settings.ExpandLimit, CacheBytes: e.family.cacheBytes}
}

// Table is an answer in rows, for a terminal or a page. Every result of an operation has one.
type Table = answer.Table

// Thousands writes a number for people, with commas between thousands: 1,234.
func Thousands(n int) string { return answer.Thousands(n) }
