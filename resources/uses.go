package resources

import (
	"context"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

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
