package resources

import (
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/validate"
)

// r4Tools are what a service needs to know about R4. They are built on first use, so that a program
// that only restores terminology does not pay for them.
type r4Tools struct {
	tables    *definitions.Tables
	validator *validate.Validator
	extractor *index.Extractor
	searcher  *search.Searcher
}

func (s *Service) newR4Tools() *r4Tools {
	t := &r4Tools{tables: definitions.R4()}
	var checks []validate.Option
	if s.relaxed {
		checks = append(checks, validate.Relaxed())
	}
	t.validator = validate.New(t.tables, checks...)
	t.extractor = index.NewExtractor(t.tables)
	opts := []search.Option{search.WithLimits(search.Limits{Bytes: s.pageBytes})}
	if s.terminology != nil {
		opts = append(opts, search.WithTerminology(s.terminology))
	}
	t.searcher = search.New(t.tables, opts...)
	return t
}
