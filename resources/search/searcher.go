package search

import (
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// Searcher plans and runs searches. It keeps what it learns of the tokens in use, and is
// safe for concurrent use.
type Searcher struct {
	tables      *definitions.Tables
	extractor   *index.Extractor
	terminology Terminology
	limits      Limits
	used        vocabularies
	bounds      bounds
}

// Limits bound the work of a search.
type Limits struct {
	// Total bounds the effort to give a total that nobody asked for: an entry of the index
	// counts 1, a resource that is looked at 12. A search that takes more has no total
	// unless it says _total=accurate.
	Total int
	// Included is how many resources _include and _revinclude add to a page at most. The
	// page says so when there are more.
	Included int
	// Bytes is how large the documents of a page become before it ends early, and how large
	// those it includes. The links lead on.
	Bytes int
}

// DefaultLimits are those of a Searcher without WithLimits.
func DefaultLimits() Limits { return Limits{Total: 20_000, Included: 1_000, Bytes: index.PageBytes} }

// Option configures New.
type Option func(*Searcher)

// WithTerminology answers :below, :above, :in, :not-in and :ecl of tokens; without it these
// are refused.
func WithTerminology(t Terminology) Option { return func(s *Searcher) { s.terminology = t } }

// WithLimits sets bounds; a field that is 0 keeps its default.
func WithLimits(l Limits) Option {
	return func(s *Searcher) {
		if l.Total > 0 {
			s.limits.Total = l.Total
		}
		if l.Bytes > 0 {
			s.limits.Bytes = l.Bytes
		}
		if l.Included > 0 {
			s.limits.Included = l.Included
		}
	}
}

// New makes a Searcher over tables of definitions.
func New(t *definitions.Tables, opts ...Option) *Searcher {
	s := &Searcher{tables: t, extractor: index.NewExtractor(t), limits: DefaultLimits(), bounds: defaultBounds()}
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// Parse reads the parameters of a search; see the function Parse.
func (s *Searcher) Parse(typ string, params []Param, o Options) (*Query, error) {
	return parse(s.tables, s.extractor, typ, params, o)
}

// Page is a page of what a search found.
type Page struct {
	// Matches are the resources of the page in the order asked for, and Included what
	// _include and _revinclude add, without any that is a match of the page. All have
	// their Body.
	Matches  []index.Record
	Included []index.Record
	// Total is the number of matches on all pages; nil when it was not counted.
	Total *int
	// First, Previous, Next and Last are cursors of other pages of the same search and the
	// same state of the store: values for the parameter _cursor of a link; "" where there is
	// no such page. First is "" where the search has no pages (Query.Count is 0).
	First, Previous, Next, Last string
	// Self are the parameters that were used, for the self link.
	Self []Param
	// Issues are those of the Query, and what there is to say of the page.
	Issues []Issue
}
