package resources

import (
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/resources/validate"
)

// Validate returns the issues that storing a document would have, and stores nothing (R4
// resource-operation-validate). id is the resource that the document would replace, "" for
// validation on the type. mode is "" (check the document alone), "create", "update" or "delete";
// for "delete", body is nil.
//
// Problems of the content are issues. Problems of form and address are errors: *r4.SyntaxError,
// ErrUnknownType, ErrBadID, ErrTypeMismatch, ErrIDMismatch, and for an update or delete of a
// missing resource ErrNotFound and ErrGone.
func (s *Service) Validate(ctx context.Context, typ, id, mode string, body []byte) ([]validate.Issue, error) {
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
	d, err := s.draft(ctx, typ, body)
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
