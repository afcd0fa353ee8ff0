package resources

import (
	"errors"
	"fmt"
	"slices"
)

// Errors of documents that lack what R4 requires of them.
var (
	// ErrRequired is returned for a required element that is absent or has no value.
	ErrRequired = errors.New("required element is missing")
	// ErrBadCode is returned for an element whose code is none of those it may have.
	ErrBadCode = errors.New("code is not allowed here")
)

// ElementError tells which element of a document ErrRequired or ErrBadCode is about.
type ElementError struct {
	// Expression is the element: "ValueSet.status".
	Expression string
	// Problem is ErrRequired or ErrBadCode.
	Problem error
	// Detail says what is expected.
	Detail string
}

// Error gives the element and what is expected.
func (e *ElementError) Error() string {
	return fmt.Sprintf("%s: %v: %s", e.Expression, e.Problem, e.Detail)
}

// Unwrap gives Problem.
func (e *ElementError) Unwrap() error { return e.Problem }

// WithoutMinimum lets a service store documents that lack the elements R4 requires of
// every resource of their type, and anything in their status.
func WithoutMinimum() Option {
	return func(s *Service) { s.relaxed = true }
}

// minimum checks that a document has the status R4 requires. The other required element
// at the top, CodeSystem.content, may be absent: it stands for complete. What is required
// further down is checked where the document is prepared, which needs it.
func (o *outline) minimum(typ string, body []byte) error {
	switch typ {
	case "CodeSystem", "ValueSet", "ConceptMap":
	default:
		return nil
	}
	const expected = "draft, active, retired or unknown"
	status, isText := o.status.text(body)
	switch {
	case !isText, status == "":
		return &ElementError{Expression: typ + ".status", Problem: ErrRequired, Detail: expected}
	case !slices.Contains([]string{"draft", "active", "retired", "unknown"}, status):
		return &ElementError{Expression: typ + ".status", Problem: ErrBadCode, Detail: fmt.Sprintf("%.40q is none of %s", status, expected)}
	}
	return nil
}
