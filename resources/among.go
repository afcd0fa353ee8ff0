package resources

import (
	"context"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// Outside returns the record of a document for Among and Included, whether it is stored or not. Its
// Values are empty if the document cannot be indexed.
func (s *Service) Outside(body []byte) (index.Record, error) {
	doc, err := parse(body)
	if err != nil {
		return index.Record{}, err
	}
	rec := index.Record{Type: doc.ResourceType(), ID: doc.Root().Get("id").Text(), Until: index.Current, Body: body}
	if values, err := s.tools().extractor.Extract(doc); err == nil {
		rec.Values = values.Append(nil)
	}
	return rec, nil
}

// ParseSearch parses the parameters of a search for Among and Included. Errors: search.ErrParameter.
func (s *Service) ParseSearch(r SearchRequest) (*search.Query, error) {
	return s.tools().searcher.Parse(r.Type, r.Params, r.Options)
}

// Among reports which of the records of Outside a query for one type matches. Other resources, which
// chains and _has lead to, are those of the store.
func (s *Service) Among(ctx context.Context, q *search.Query, records []index.Record) (matches []bool, err error) {
	err = s.view(ctx, access.Search, func(r index.Reader) error {
		matches, err = s.tools().searcher.Among(ctx, r, q, records)
		return err
	})
	return matches, err
}

// Included returns the stored resources that a query includes with the records of Outside.
func (s *Service) Included(ctx context.Context, q *search.Query, records []index.Record) (page *search.Page, err error) {
	err = s.view(ctx, access.Search, func(r index.Reader) error {
		page, err = s.tools().searcher.Included(ctx, r, q, records)
		return err
	})
	if err == nil {
		err = s.fill(ctx, page.Included)
	}
	return page, err
}

// Holds reports which keys the store has, for the grant of the context.
func (s *Service) Holds(ctx context.Context, keys []Key) ([]bool, error) {
	has := make([]bool, len(keys))
	err := s.view(ctx, access.Search, func(r index.Reader) error {
		found, err := r.Find(ctx, keys, 0)
		for i := range found {
			has[i] = found[i].Seq != 0 && !found[i].Deleted
		}
		return err
	})
	return has, err
}
