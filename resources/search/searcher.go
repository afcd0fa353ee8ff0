package search

import (
	"context"
	"math"
	"slices"

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

// Search returns a page of what a query finds in the state that r reads. Errors: *Error for
// what is wrong with the query after all (a code system or value set that is not known,
// a cursor that is not of this search), those of r, and ctx.Err().
//
// All pages that cursors lead to are of the state that the first page was of, as long as
// the store keeps what was superseded since (resources.Indexed.Purge).
func (s *Searcher) Search(ctx context.Context, r index.Reader, q *Query) (*Page, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from := cursor{at: r.At(), total: -1}
	if q.Cursor != "" {
		var ok bool
		if from, ok = decodeCursor(q.Cursor, q.mark()); !ok || from.place != nil && len(from.place.keys) != len(q.newOrder(false).keys) {
			return nil, &Error{Param: Param{CursorParam, q.Cursor}, Text: "it is not a cursor of this search: take it from the links of a page"}
		}
	}
	run := s.newRun(r, q, from.at)
	page := &Page{Self: q.Used, Issues: slices.Clone(q.Issues)}
	if q.Count == 0 {
		total, err := run.count(ctx)
		page.Total = &total
		return page, err
	}
	found, err := run.page(ctx, &from)
	if err != nil {
		return nil, err
	}
	if from.total >= 0 && q.Total != TotalNone {
		page.Total = &from.total
	}
	if page.Matches, err = run.bodies(ctx, found.matches, s.limits.Bytes); err != nil {
		return nil, err
	}
	if n := len(page.Matches); n < len(found.matches) {
		found.matches, found.more = found.matches[:n], true
	}
	page.links(q, &from, found)
	return page, run.include(ctx, page, found.matches)
}

// Keys returns up to limit matches of a search, newest first, with their Body: what
// conditional interactions need. Parameters that are not known are an error; those that
// shape pages (_count, _sort, _include) are passed over.
func (s *Searcher) Keys(ctx context.Context, r index.Reader, typ string, params []Param, limit int) ([]index.Record, error) {
	q, err := s.Parse(typ, params, Options{Strict: true})
	if err != nil {
		return nil, err
	}
	plain := Query{Types: q.Types}
	run := s.newRun(r, &plain, r.At())
	m, err := run.open(ctx, plain.newOrder(false), nil, limit)
	if err != nil {
		return nil, err
	}
	var found []match
	for len(found) < limit {
		next, err := m.peek(ctx)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		found = append(found, *next)
		m.pop()
	}
	return run.bodies(ctx, found, math.MaxInt)
}

// bounds are the numbers that plans go by. Reading an entry in order is the cheapest there
// is; a record with its values takes some ten times that, and a look at another place of
// the index more.
type bounds struct {
	// probe is how many entries of each criterion are read to see which has few, and ranges
	// how many ranges it may have for that.
	probe, ranges int
	// union is how many tokens or references are read side by side in the order of Seq.
	union int
	// gather is how many entries of a criterion are read to narrow a walk down.
	gather int
	// patience is how many candidates are looked at before a walk may be narrowed down, and
	// looked how many it may be expected to take without that.
	patience, looked int
	// inner is how many resources at the other end of a chain, or of _has, are gathered to
	// look for what they are linked with. When there are more, each candidate is followed to
	// the other end.
	inner int
	// sorted is how many candidates are gathered and sorted where the index has an order that
	// could be followed instead.
	sorted int
	// batchFirst records are loaded at once, then twice as many each time, up to batchMost;
	// entries are read in the same way.
	batchFirst, batchMost int
	chunkFirst, chunkMost int
}

func defaultBounds() bounds {
	return bounds{
		probe: 256, ranges: 64, union: 16, gather: 1 << 16, patience: 512, looked: 4096,
		inner: 2_000, sorted: 3_000, batchFirst: 64, batchMost: 512, chunkFirst: 64, chunkMost: 1024,
	}
}
