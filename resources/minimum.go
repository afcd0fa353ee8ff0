package resources

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/document"
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

// minimum checks the codes at the top of a definition that R4 requires or binds. Only
// status must be there: a CodeSystem without content is taken for complete. What is
// required further down is checked where the document is prepared, which needs it.
func minimum(typ string, v document.Value) error {
	switch typ {
	case "CodeSystem", "ValueSet", "ConceptMap":
	default:
		return nil
	}
	if err := oneOf(v.Get("status"), typ+".status", true, "draft", "active", "retired", "unknown"); err != nil || typ != "CodeSystem" {
		return err
	}
	if err := oneOf(v.Get("content"), "CodeSystem.content", false, "complete", "fragment", "example", "supplement", "not-present"); err != nil {
		return err
	}
	return oneOf(v.Get("hierarchyMeaning"), "CodeSystem.hierarchyMeaning", false, "is-a", "grouped-by", "part-of", "classified-with")
}

// oneOf checks that a value is one of some codes. What is no text is found where the
// document is prepared; an empty text is as good as an absent element.
func oneOf(v document.Value, expression string, required bool, codes ...string) error {
	text, isText := v.Text(), v.Kind() == document.String
	expected := strings.Join(codes, ", ")
	switch {
	case required && (!isText || text == ""):
		return &ElementError{Expression: expression, Problem: ErrRequired, Detail: "one of " + expected}
	case isText && text != "" && !slices.Contains(codes, text):
		return &ElementError{Expression: expression, Problem: ErrBadCode, Detail: fmt.Sprintf("%.40q is none of %s", text, expected)}
	}
	return nil
}
