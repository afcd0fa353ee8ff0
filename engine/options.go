package engine

import (
	"log/slog"
	"time"

	"github.com/roget-health/roget/valueset"
)

// Defaults of the options.
const (
	// DefaultCount is the number of codes on a page of an expansion when none is asked for
	// (clinical document 8).
	DefaultCount = 100
	// DefaultMaxCount is the largest page of an expansion. A request that asks for more gets
	// a page of this size, and the expansion says so.
	DefaultMaxCount = 1_000_000
	// DefaultWholeLimit is the number of codes that are listed at most where neither a
	// request nor the engine asks for pages.
	DefaultWholeLimit = 1_500
	// DefaultCacheBytes bounds the memory of compiled value sets.
	DefaultCacheBytes = valueset.DefaultCacheBytes
)

// Option configures New.
type Option func(*Engine)

// WithObserver makes the engine report its operations to o.
func WithObserver(o Observer) Option { return func(e *Engine) { e.observer = o } }

// WithLogger makes the engine log to l; without it, it logs nothing. Codes are logged
// at Debug only.
func WithLogger(l *slog.Logger) Option {
	return func(e *Engine) {
		if l != nil {
			e.log = l
		}
	}
}

// WithCacheBytes bounds the memory of compiled value sets; 0 keeps none.
func WithCacheBytes(n int64) Option { return func(e *Engine) { e.cacheBytes = n } }

// WithDefaultCount sets the number of codes on a page when a request asks for none. With 0
// there is no default: an expansion then lists all codes, nested where the hierarchy is a
// tree, or, if they are more than WithWholeLimit allows, is ErrTooCostly.
func WithDefaultCount(n int) Option { return func(e *Engine) { e.settings.DefaultCount = max(0, n) } }

// WithWholeLimit bounds the number of codes of an expansion that is not paged; see
// WithDefaultCount.
func WithWholeLimit(n int) Option { return func(e *Engine) { e.settings.WholeLimit = max(0, n) } }

// WithMaxCount bounds the number of codes on a page; 0 lifts the bound.
func WithMaxCount(n int) Option { return func(e *Engine) { e.settings.MaxCount = max(0, n) } }

// WithClock sets the time that expansions are stamped with; for tests.
func WithClock(now func() time.Time) Option { return func(e *Engine) { e.settings.Now = now } }
