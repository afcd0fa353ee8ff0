package search

import (
	"context"

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
}

// Limits bound the work of a search.
type Limits struct {
	// Total is how many candidates are looked at to give a total that nobody asked for. A
	// search with more has none unless it says _total=accurate.
	Total int
	// Included is how many resources _include and _revinclude add to a page at most. The
	// page says so when there are more.
	Included int
}

// DefaultLimits are those of a Searcher without WithLimits.
func DefaultLimits() Limits { return Limits{Total: 10_000, Included: 1_000} }

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
		if l.Included > 0 {
			s.limits.Included = l.Included
		}
	}
}

// New makes a Searcher over tables of definitions.
func New(t *definitions.Tables, opts ...Option) *Searcher {
	s := &Searcher{tables: t, extractor: index.NewExtractor(t), limits: DefaultLimits()}
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

// Search gives a page of what a query finds in the state that r reads. Errors: *Error for
// what is wrong with the query after all (a code system or value set that is not known,
// a cursor that is not of this search), those of r, and ctx.Err().
func (s *Searcher) Search(ctx context.Context, r index.Reader, q *Query) (*Page, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &Page{Self: q.Used, Issues: q.Issues}, nil
}

// Keys gives up to limit matches of a search, newest first, with their Body: what
// conditional interactions need. Parameters that are not known are an error; those that
// shape pages (_count, _sort, _include) are passed over.
func (s *Searcher) Keys(ctx context.Context, r index.Reader, typ string, params []Param, limit int) ([]index.Record, error) {
	q, err := s.Parse(typ, params, Options{Strict: true, DefaultCount: limit, MaxCount: limit})
	if err != nil {
		return nil, err
	}
	page, err := s.Search(ctx, r, q)
	if err != nil {
		return nil, err
	}
	return page.Matches, nil
}
