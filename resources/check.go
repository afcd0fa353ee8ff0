package resources

import (
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/resources/validate"
)

// validateBase is Validate without profiles, unless writes are checked against them, too.
func (s *Service) validateBase(ctx context.Context, typ, id, mode string, body []byte) ([]validate.Issue, error) {
	if err := s.checkType(typ); err != nil {
		return nil, err
	}
	var current Version
	if id != "" {
		var err error
		if current, err = s.Read(ctx, typ, id); err != nil && (body == nil || !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrGone)) {
			return nil, err
		}
	}
	if body == nil {
		if mode != "delete" {
			body = current.Body
		}
		if body == nil {
			return nil, nil
		}
	}
	d, err := s.draftAlone(ctx, typ, body, true)
	if err == nil {
		err = s.answers(ctx, d)
	}
	if err == nil && id != "" && mode != "create" && d.id != "" {
		err = d.requireID(id)
	}
	if err == nil && mode == "update" && id == "" && d.id == "" {
		err = fmt.Errorf("%w: an update needs %s.id, which is missing", ErrIDMismatch, typ)
	}
	issues := []validate.Issue(nil)
	if d != nil {
		issues = d.issues
	}
	if err == nil && current.VersionID > 0 && !current.Deleted && mode != "create" {
		var o Outcome
		o, err = s.compare(current, d)
		issues = o.Issues
	}
	invalid, ok := errors.AsType[*validate.Invalid](err)
	if ok {
		return invalid.Issues, nil
	}
	return issues, err
}
