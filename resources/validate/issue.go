package validate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// ErrInvalid is what an Error unwraps to.
var ErrInvalid = errors.New("resource is not valid")

// Severity reports whether an issue keeps a document from being stored.
type Severity uint8

// The severities, of http://hl7.org/fhir/issue-severity.
const (
	Error Severity = iota
	Warning
	Information
)

// String returns the code: "error".
func (s Severity) String() string {
	switch s {
	case Warning:
		return "warning"
	case Information:
		return "information"
	}
	return "error"
}

// Codes of issues, of http://hl7.org/fhir/issue-type.
const (
	CodeStructure   = "structure"    // unknown elements, wrong JSON types
	CodeRequired    = "required"     // an element that must be there is not
	CodeValue       = "value"        // a value that its type cannot have
	CodeInvalidCode = "code-invalid" // a code that is not of the list
	CodeInvariant   = "invariant"    // a rule that several elements take part in
	CodeTooLong     = "too-long"     // a string beyond its limit
	CodeInformation = "informational"
)

// Issue is a problem of a document.
type Issue struct {
	Severity Severity
	// Code is of http://hl7.org/fhir/issue-type.
	Code string
	// Expression is the FHIRPath of the element: "Patient.name[0].given[1]",
	// "Observation.value.ofType(Quantity).code". For an element that is missing it is where
	// that should be, for one that is unknown its name as in JSON.
	Expression string
	// Text says what is wrong in a sentence without a full stop.
	Text string
	// Line and Column are where the element, or what should hold it, begins in the source,
	// from 1, the column in bytes.
	Line, Column int
}

// String returns expression and text.
func (i Issue) String() string {
	if i.Expression == "" {
		return i.Text
	}
	return i.Expression + ": " + i.Text
}

// R4 returns the issue as part of an OperationOutcome.
func (i Issue) R4() r4.Issue {
	issue := r4.Issue{Severity: i.Severity.String(), Code: i.Code, Diagnostics: i.Text}
	if i.Line > 0 {
		issue.Diagnostics = fmt.Sprintf("%s (line %d, column %d)", i.Text, i.Line, i.Column)
	}
	if i.Expression != "" {
		issue.Expression = []string{i.Expression}
	}
	return issue
}

// Failed reports that one of the issues is an error.
func Failed(issues []Issue) bool {
	for _, i := range issues {
		if i.Severity == Error {
			return true
		}
	}
	return false
}

// Invalid is the error of a document that is not valid: errors.Is(err, ErrInvalid).
type Invalid struct {
	// Issues are those of the document, warnings among them.
	Issues []Issue
}

// Error returns the first errors.
func (e *Invalid) Error() string {
	const most = 3
	var texts []string
	n := 0
	for _, i := range e.Issues {
		if i.Severity != Error {
			continue
		}
		if n++; n <= most {
			texts = append(texts, i.String())
		}
	}
	if n > most {
		texts = append(texts, fmt.Sprintf("%d more", n-most))
	}
	return ErrInvalid.Error() + ": " + strings.Join(texts, "; ")
}

// Unwrap returns ErrInvalid.
func (e *Invalid) Unwrap() error { return ErrInvalid }

// Check returns the issues of a document as an error when one of them is an error, nil otherwise.
func Check(issues []Issue) error {
	if !Failed(issues) {
		return nil
	}
	return &Invalid{Issues: issues}
}
