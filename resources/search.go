package resources

import (
	"context"

	"github.com/roget-health/roget/resources/index"
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
	err = s.view(ctx, func(reader index.Reader) error {
		found.Page, err = t.searcher.Search(ctx, reader, found.Query)
		return err
	})
	return found, err
}
