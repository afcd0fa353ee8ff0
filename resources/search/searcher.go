package search

import (
	"context"
	"hash/maphash"
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// A Searcher plans and runs searches. It caches which tokens are in use, and is safe for concurrent
// use.
type Searcher struct {
	tables      *definitions.Tables
	extractor   *index.Extractor
	terminology Terminology
	limits      Limits
	used        vocabularies
	totals      totals
	columns     columns
	bounds      bounds
}

// Limits bound the work of a search.
type Limits struct {
	// Total bounds the effort for a total: scanning an index entry counts 1, examining a resource 12.
	// The total of a search that exceeds it is estimated, unless the client sent _total=accurate.
	Total int
	// Included is the maximum number of resources that _include and _revinclude add to a page. The
	// page has an issue if there are more.
	Included int
	// Columns is the memory in bytes for the values of parameters that searches keep, -1 for none.
	Columns int64
	// Bytes is the size of the documents after which a page ends early, and the size of the
	// included documents. The links lead to the rest.
	Bytes int
}

// DefaultLimits returns the limits of a Searcher without WithLimits.
func DefaultLimits() Limits {
	return Limits{Total: 20_000, Included: 1_000, Columns: 128 << 20, Bytes: index.PageBytes}
}

// An Option configures New.
type Option func(*Searcher)

// WithTerminology answers the token modifiers :below, :above, :in, :not-in and :ecl. Without it
// they are refused.
func WithTerminology(t Terminology) Option { return func(s *Searcher) { s.terminology = t } }

// WithLimits sets limits. A field that is 0 keeps its default.
func WithLimits(l Limits) Option {
	return func(s *Searcher) {
		if l.Total > 0 {
			s.limits.Total = l.Total
		}
		if l.Columns != 0 {
			s.limits.Columns = l.Columns
		}
		if l.Bytes > 0 {
			s.limits.Bytes = l.Bytes
		}
		if l.Included > 0 {
			s.limits.Included = l.Included
		}
	}
}

// WithForgotten names the type whose resources the store may remove without a trace.
func WithForgotten(typ string) Option { return func(s *Searcher) { s.columns.forgotten = typ } }

// New returns a Searcher over tables of definitions.
func New(t *definitions.Tables, opts ...Option) *Searcher {
	s := &Searcher{tables: t, extractor: index.NewExtractor(t), limits: DefaultLimits(), bounds: defaultBounds()}
	for _, opt := range opts {
		opt(s)
	}
	s.columns.bytes, s.columns.tables = s.limits.Columns, map[string]*table{}
	s.columns.share, s.columns.step, s.columns.distinct = maxShare, buildShare, minDistinctExact
	s.columns.far, s.columns.await, s.columns.minWorn = maxBehind, maxAwait, minWorn
	s.columns.wake, s.columns.wants = make(chan struct{}, 1), map[*table]*want{}
	s.columns.turn = make(chan struct{}, 1)
	s.columns.seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	return s
}

// A Page is a page of search results.
type Page struct {
	// Matches are the resources of the page in the requested order. Included are those that
	// _include and _revinclude add, without matches of the page. All have their Body.
	Matches  []index.Record
	Included []index.Record
	// Total is the number of matches on all pages, nil with _total=none. If it is estimated, Self has
	// _total=estimate.
	Total *int
	// First, Previous, Next and Last are cursors of other pages of the same search in the same
	// state of the store: values of the parameter _cursor of a link, "" if there is no such page.
	// First is "" if the search has no pages (Query.Count is 0).
	First, Previous, Next, Last string
	// Self are the parameters that were used, for the self link.
	Self []Param
	// Steps are those of the search with Options.Explain, unless the reader hides records.
	Steps []Step
	// Issues are those of the Query followed by those of the page.
	Issues []Issue
}

// Search returns a page of the results of a query in the state that r reads. Errors: *Error for a
// query that cannot be run (an unknown code system or value set, a cursor of another search), those
// of r, and ctx.Err().
//
// All pages reached through cursors show the state of the first page, as long as the store keeps
// the entries of superseded versions (resources.Indexed.Purge).
func (s *Searcher) Search(ctx context.Context, r index.Reader, q *Query) (*Page, error) {
	page, err := s.Outline(ctx, r, q)
	if err == nil {
		err = index.Fill(ctx, r, page.Matches)
	}
	if err == nil {
		err = index.Fill(ctx, r, page.Included)
	}
	return page, err
}

// Outline is Search without the documents that are not small. The records have their Size, and
// index.Fill loads the documents.
func (s *Searcher) Outline(ctx context.Context, r index.Reader, q *Query) (*Page, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from := cursor{at: r.At(), total: -1}
	if q.At > 0 {
		from.at = min(from.at, q.At)
	}
	if q.Cursor != "" {
		var ok bool
		if from, ok = decodeCursor(q.Cursor, q.mark()); !ok || from.place != nil && len(from.place.keys) != len(q.newOrder(false).keys) {
			return nil, &Error{Param: Param{CursorParam, q.Cursor}, Text: "this is not a cursor of this search; use the links of a page"}
		}
	}
	run := s.newRun(r, q, from.at)
	defer run.release()
	page := &Page{Self: q.Used, Issues: slices.Clone(q.Issues)}
	run.explain(page)
	if q.Count == 0 {
		all, err := run.total(ctx, &from, 0, nil)
		page.Total = &all.n
		run.trace.note("total", all.n)
		return page, err
	}
	found, err := run.page(ctx, &from)
	if err != nil {
		return nil, err
	}
	if q.Total != TotalNone {
		page.Total = &from.total
	}
	if found.estimated && q.Total == TotalDefault { // the links say so, too
		page.Self = append(slices.Clone(q.Used), Param{"_total", "estimate"})
	}
	if page.Matches, err = run.weigh(ctx, found.matches, s.limits.Bytes); err != nil {
		return nil, err
	}
	if n := len(page.Matches); n < len(found.matches) {
		found.matches, found.more = found.matches[:n], true
	}
	page.links(q, &from, found)
	run.trace.note("records", len(page.Matches))
	err = run.include(ctx, page, found.matches)
	run.trace.note("included", len(page.Included))
	return page, err
}

// Keys returns up to limit matches of a search, newest first, with their Body, for conditional
// interactions. Unknown parameters are an error. Parameters that shape pages (_count, _sort,
// _include) are ignored.
func (s *Searcher) Keys(ctx context.Context, r index.Reader, typ string, params []Param, limit int) ([]index.Record, error) {
	q, err := s.Parse(typ, params, Options{Strict: true})
	if err != nil {
		return nil, err
	}
	plain := Query{Types: q.Types}
	run := s.newRun(r, &plain, r.At())
	defer run.release()
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
	seqs := make([]index.Seq, len(found))
	for i := range found {
		seqs[i] = found[i].rec.Seq
	}
	return index.LoadBodies(ctx, r, seqs)
}

// Among reports which records a query for one type matches. They need not be stored, and have Values
// and Body.
func (s *Searcher) Among(ctx context.Context, r index.Reader, q *Query, records []index.Record) ([]bool, error) {
	env := s.newRun(r, q, r.At()).env
	of := &q.Types[0]
	matches := make([]bool, len(records))
	for i := range records {
		var err error
		if matches[i], err = MatchAll(ctx, of.Criteria, &records[i], index.NewView(records[i].Values), env); err != nil {
			return nil, err
		}
		if matches[i] && len(of.Texts) > 0 {
			if matches[i], err = of.textsIn(records[i].Body); err != nil {
				return nil, err
			}
		}
	}
	return matches, nil
}

// Included returns a page of what a query includes with records, which need not be stored and have
// Values.
func (s *Searcher) Included(ctx context.Context, r index.Reader, q *Query, records []index.Record) (*Page, error) {
	matches, page := make([]match, len(records)), &Page{}
	for i := range records {
		matches[i].rec = records[i]
	}
	return page, s.newRun(r, q, r.At()).include(ctx, page, matches)
}

// bounds are the numbers that plans are made with. Reading the next entry in order is cheapest.
// Loading a record with its values costs about ten times as much, and moving to another place of
// the index even more.
type bounds struct {
	// probe is the number of entries of each criterion that are read to find out which has few, and
	// ranges the maximum number of its ranges for that.
	probe, ranges int
	// union is the number of tokens or references that are read side by side in the order of Seq.
	union int
	// gather is the number of entries of a criterion that are read to narrow down a walk.
	gather int
	// patience is the number of candidates that are examined before a walk may be narrowed down,
	// and looked how many it may be expected to examine without narrowing.
	patience, looked int
	// inner is how many resources at the other end of a chain, or of _has, are gathered to look up
	// the resources linked to them. If there are more, the link of each candidate is followed
	// instead.
	inner int
	// followed is the number of different values of references that a search looks at to complete the
	// links of columns, before it is answered in another way. If that is slow too, it is 64 times as
	// many.
	followed int
	// tried is the number of different values of columns that are compared with criteria before it is
	// looked whether the index leads to few matches, and many a number of rows that are not compared
	// with all criteria unless that helps.
	tried, many int
	// exact is the number of rows that a code leads to whose set is not kept.
	exact int
	// sorted is the number of candidates that are gathered and sorted although the index has an
	// order that could be followed.
	sorted int
	// minBatch records are loaded at first, then twice as many each time, up to maxBatch. Entries
	// are read in the same way, by minChunk and maxChunk.
	minBatch, maxBatch int
	minChunk, maxChunk int
}

func defaultBounds() bounds {
	return bounds{
		probe: 256, ranges: 64, union: 16, gather: 1 << 16, patience: 512, looked: 4096,
		inner: 2_000, followed: 4_096, tried: 1_024, many: 1 << 16, exact: 1_024, sorted: 3_000, minBatch: 64, maxBatch: 512, minChunk: 64, maxChunk: 1024,
	}
}
