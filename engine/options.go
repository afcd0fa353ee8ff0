package engine

import (
	"log/slog"
	"time"

	"github.com/roget-health/roget/valueset"
)

// Defaults of the options.
const (
	// DefaultCount is the page size of an expansion if the request has no count (clinical document
	// 8).
	DefaultCount = 100
	// DefaultMaxCount is the largest page size of an expansion. A request for more codes gets a
	// page of this size, and the expansion has this count.
	DefaultMaxCount = 1_000_000
	// DefaultExpandLimit is the largest number of codes of an expansion without pages. HL7's cases
	// expect an answer with 1,941 codes and a refusal at 2,000.
	DefaultExpandLimit = 1_999
	// DefaultCompareLimit is the largest number of codes of a value set that Compare evaluates, as in
	// the cases of the terminology ecosystem.
	DefaultCompareLimit = 10_000
	// DefaultCacheBytes is the size of the cache of compiled value sets.
	DefaultCacheBytes = valueset.DefaultCacheBytes
)

// An Option configures New.
type Option func(*settings)

// settings are what options set.
type settings struct {
	rules  Rules
	family *family
}

// WithRules sets the rules that the engine follows; the default is Clinical. Under returns an engine
// that follows others.
func WithRules(r Rules) Option { return func(s *settings) { s.rules = r } }

// WithObserver makes the engine report its operations to o.
func WithObserver(o Observer) Option { return func(s *settings) { s.family.observer = o } }

// WithLogger makes the engine log to l. By default nothing is logged. Codes are logged only at
// level Debug.
func WithLogger(l *slog.Logger) Option {
	return func(s *settings) {
		if l != nil {
			s.family.log = l
		}
	}
}

// WithCacheBytes sets the size of the cache of compiled value sets; 0 disables it.
func WithCacheBytes(n int64) Option { return func(s *settings) { s.family.cacheBytes = n } }

// WithDefaultCount sets the page size under the clinical rules for requests without a count. With 0
// there are no pages by default: an expansion lists all codes, or fails with ErrTooCostly if there
// are more than WithExpandLimit allows. It is flat all the same.
func WithDefaultCount(n int) Option {
	return func(s *settings) { s.family.settings.DefaultCount = max(0, n) }
}

// WithExpandLimit sets the largest number of codes of a whole expansion: one without pages, as the
// rules of the ecosystem have it. The Limit of a request takes precedence, up to WithMaxCount. With
// a number below 1 it is DefaultExpandLimit.
func WithExpandLimit(n int) Option {
	if n < 1 {
		n = DefaultExpandLimit
	}
	return func(s *settings) { s.family.settings.ExpandLimit = n }
}

// WithExactSearch lets filters of expansions find texts only as they are written, with neither other
// endings nor misspelt words, unless a request says otherwise.
func WithExactSearch(exact bool) Option {
	return func(s *settings) { s.family.settings.Exact = exact }
}

// WithMaxCount sets the largest page size, which is also the largest Limit of a request; 0 means
// unlimited.
func WithMaxCount(n int) Option { return func(s *settings) { s.family.settings.MaxCount = max(0, n) } }

// WithClock sets the clock for the timestamps of expansions; for tests.
func WithClock(now func() time.Time) Option { return func(s *settings) { s.family.settings.Now = now } }
