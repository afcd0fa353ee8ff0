package resources

import (
	"context"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
)

// A SearchRequest is a search as it was received.
type SearchRequest struct {
	Type    string         // "" searches all types, or those in the parameter _type
	Params  []search.Param // in the order of the request
	Options search.Options
}

// A SearchResult is a page together with the parsed query.
type SearchResult struct {
	*search.Page
	Query *search.Query
}

// Search returns a page of search results (R4 search).
//
// Errors: search.ErrParameter, ErrUnknownType, ErrNotSearchable.
func (s *Service) Search(ctx context.Context, r SearchRequest) (SearchResult, error) {
	ctx, span := s.observe(ctx, "search")
	found, err := s.search(ctx, r)
	span.finish(ctx, err)
	return found, err
}

func (s *Service) search(ctx context.Context, r SearchRequest) (SearchResult, error) {
	if r.Type != "" {
		if err := s.checkType(r.Type); err != nil {
			return SearchResult{}, err
		}
	}
	t := s.tools()
	var found SearchResult
	var err error
	if found.Query, err = t.searcher.Parse(r.Type, r.Params, r.Options); err != nil {
		return SearchResult{}, err
	}
	err = s.view(ctx, access.Search, func(reader index.Reader) error {
		q := found.Query
		if g, is := reader.(*guard); is {
			if q, err = g.within(ctx, r.Type, q); err != nil {
				return err
			}
		}
		found.Page, err = t.searcher.Outline(ctx, reader, q)
		return err
	})
	if err == nil {
		err = s.fill(ctx, found.Matches, found.Included)
	}
	return found, err
}

// within returns a query with what the grant requires of each type, so that the search is planned
// with it. It returns access.ErrForbidden if the grant covers none of the types.
func (g *guard) within(ctx context.Context, typ string, q *search.Query) (*search.Query, error) {
	some := false
	limits := make([]search.Limit, len(q.Types))
	for i := range q.Types {
		name := q.Types[i].Type
		rule, err := g.rule(ctx, name, access.Search)
		if err != nil {
			return nil, g.undecided(ctx, name, err)
		}
		limits[i].None = rule.extent() == never
		some = some || !limits[i].None
		switch limit := &limits[i]; rule.extent() {
		case sometimes:
			limit.Criteria, limit.Permitted, limit.Exact = rule.narrowed, rule.permitted, rule.permitted != nil
		case always:
			limit.Exact = true
		}
	}
	if !some {
		return nil, forbidden(typ, access.Search)
	}
	return q.Within(limits), nil
}

// Uses returns the codes of a system for which asked is true and that current resources have, with the
// number of the resources and up to first of them, in the order of codes. It knows the codes that
// searches know: the values of token parameters. Errors: ErrNotSearchable, and those of the store.
func (s *Service) Uses(ctx context.Context, system string, asked func(code string) bool, first int) (uses []r4.CodeUse, err error) {
	ctx, span := s.observe(ctx, "uses")
	err = s.view(ctx, access.Search, func(r index.Reader) error {
		uses, err = s.tools().searcher.Uses(ctx, r, system, asked, first)
		return err
	})
	span.finish(ctx, err)
	return uses, err
}
