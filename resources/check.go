package resources

import (
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/resources/validate"
)

// Validate tells what storing a document would come to, and stores nothing (R4
// resource-operation-validate). id is that of the resource it would replace, "" on a type.
// mode is "" for a look at the document alone, "create", "update" or "delete"; of a delete,
// body is nil. What is wrong with the document are issues; the errors are those of its form
// and of the address: *r4.SyntaxError, ErrUnknownType, ErrBadID, ErrTypeMismatch,
// ErrIDMismatch, and, for an update or delete of what is not there, ErrNotFound and ErrGone.
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
	d, err := s.draft(typ, body)
	if err == nil && id != "" && mode != "create" && d.id != "" {
		err = d.requireID(id)
	}
	if err == nil && mode == "update" && id == "" && d.id == "" {
		err = fmt.Errorf("%w: %s.id is missing, which an update needs", ErrIDMismatch, typ)
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
