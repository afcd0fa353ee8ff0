package resources

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// minimum checks the codes at the top of a definition that R4 requires or binds. Only
// status must be there: a CodeSystem without content is taken for complete. What is
// required further down is checked where the document is prepared, which needs it.
func (o *outline) minimum(typ string, body []byte) error {
	switch typ {
	case "CodeSystem", "ValueSet", "ConceptMap":
	default:
		return nil
	}
	if err := o.status.code(body, typ+".status", true, "draft", "active", "retired", "unknown"); err != nil || typ != "CodeSystem" {
		return err
	}
	if err := o.content.code(body, "CodeSystem.content", false, "complete", "fragment", "example", "supplement", "not-present"); err != nil {
		return err
	}
	return o.hierarchyMeaning.code(body, "CodeSystem.hierarchyMeaning", false, "is-a", "grouped-by", "part-of", "classified-with")
}

// code checks that a value is one of some codes. What is no text is found where the
// document is prepared; an empty text is as good as an absent element.
func (s span) code(body []byte, expression string, required bool, codes ...string) error {
	text, isText := s.text(body)
	expected := strings.Join(codes, ", ")
	switch {
	case required && (!isText || text == ""):
		return &ElementError{Expression: expression, Problem: ErrRequired, Detail: "one of " + expected}
	case isText && text != "" && !slices.Contains(codes, text):
		return &ElementError{Expression: expression, Problem: ErrBadCode, Detail: fmt.Sprintf("%.40q is none of %s", text, expected)}
	}
	return nil
}
