package engine

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/valueset"
)

// Engine answers terminology operations from the resources published to it. It is safe
// for concurrent use. A request works on the resources published when it began, to its
// end: publishing never disturbs it.
type Engine struct {
	state atomic.Pointer[state]
	mu    sync.Mutex // serialises changes of state

	// Shared with the engines made by With, so that their records and states are told apart.
	seqs, generations *atomic.Uint64

	cache        *valueset.Cache[setKey, *evaluatedSet]
	cacheBytes   int64
	views        *valueset.Cache[viewKey, *codesystem.Index] // of codes of grammars
	observer     Observer
	log          *slog.Logger
	now          func() time.Time
	defaultCount int
	// strict keeps codes from being valid that a value set lists of a code system that is
	// not there.
	strict     bool
	maxCount   int
	wholeLimit int
}

// New makes an engine without resources.
func New(opts ...Option) *Engine {
	e := &Engine{
		cacheBytes:   DefaultCacheBytes,
		log:          slog.New(slog.DiscardHandler),
		now:          time.Now,
		defaultCount: DefaultCount,
		maxCount:     DefaultMaxCount,
		wholeLimit:   DefaultWholeLimit,
		seqs:         new(atomic.Uint64),
		generations:  new(atomic.Uint64),
	}
	for _, opt := range opts {
		opt(e)
	}
	e.cache = valueset.NewCache[setKey, *evaluatedSet](e.cacheBytes)
	e.views = valueset.NewCache[viewKey, *codesystem.Index](viewBytes)
	e.install(&state{})
	return e
}

// install makes a state the one that requests see.
func (e *Engine) install(st *state) {
	st.plain = source{engine: e, state: st}
	e.state.Store(st)
}

// Limits are bounds of the engine, for capability statements.
type Limits struct {
	DefaultCount int   // codes on a page when none is asked for
	MaxCount     int   // codes on a page at most; 0: no bound
	CacheBytes   int64 // memory of compiled value sets
}

// Limits returns the bounds of the engine.
func (e *Engine) Limits() Limits {
	return Limits{DefaultCount: e.defaultCount, MaxCount: e.maxCount, CacheBytes: e.cacheBytes}
}

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
		if _, err := entry.check(); err != nil {
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
	c := e.state.Load().change()
	for _, entry := range entries {
		k, _ := kindOf(entry.Header.ResourceType)
		entry.name()
		c.add(k, &record{Entry: entry, layer: entry.layer(), seq: e.seqs.Add(1)})
	}
	e.commit(c)
}

// commit makes a change the state that requests see. The caller holds mu.
func (e *Engine) commit(c *change) {
	if c.touched[kindCodeSystem] || c.touched[kindValueSet] {
		c.next.generation = e.generations.Add(1)
	}
	c.fold()
	e.install(c.next)
	e.log.Debug("published", "generation", c.next.generation)
}

// Withdraw removes the stored entry of a type and id, uncovering a loaded one it shadowed.
func (e *Engine) Withdraw(typ, id string) {
	k, ok := kindOf(typ)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.state.Load().change()
	if r := c.next.shelves[k].stored(id); r != nil {
		c.remove(k, r)
		e.commit(c)
	}
}

// Entries lists what is published of a type ("CodeSystem", "ValueSet", "ConceptMap"), by
// url, then version. Entries that another one beats are left out.
func (e *Engine) Entries(typ string) []*Entry {
	k, ok := kindOf(typ)
	if !ok {
		return nil
	}
	records := e.state.Load().shelves[k].list()
	entries := make([]*Entry, len(records))
	for i, r := range records {
		entries[i] = r.Entry
	}
	return entries
}

// Entry finds the one of a type and id.
func (e *Engine) Entry(typ, id string) (*Entry, bool) {
	k, ok := kindOf(typ)
	if !ok {
		return nil, false
	}
	r := e.state.Load().shelves[k].id(id)
	if r == nil {
		return nil, false
	}
	return r.Entry, true
}

// Systems returns the index of every code system that is published with content, by url,
// then version. It makes those not made yet and stops at the first error.
func (e *Engine) Systems(ctx context.Context) ([]*codesystem.Index, error) {
	var out []*codesystem.Index
	for _, r := range e.state.Load().shelves[kindCodeSystem].list() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x, err := r.codeSystem()
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
	return e.state.Load().system(url, version)
}
