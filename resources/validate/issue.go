package validate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// ErrInvalid is the error that Invalid wraps.
var ErrInvalid = errors.New("the resource is not valid")

// Severity is how serious an issue is. An error prevents a document from being stored.
type Severity uint8

// The severities, codes of http://hl7.org/fhir/issue-severity.
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

// Codes of issues, from http://hl7.org/fhir/issue-type.
const (
	CodeStructure   = "structure"    // unknown elements, wrong JSON types
	CodeRequired    = "required"     // a missing element
	CodeValue       = "value"        // a value that its type does not allow
	CodeInvalidCode = "code-invalid" // a code that is not in the list
	CodeInvariant   = "invariant"    // a rule about several elements
	CodeDuplicate   = "duplicate"    // the same code twice
	CodeTooLong     = "too-long"     // a string beyond its limit
	CodeInformation = "informational"
)

// An Issue is a problem of a document.
type Issue struct {
	Severity Severity
	// Code is a code of http://hl7.org/fhir/issue-type.
	Code string
	// Expression is the FHIRPath of the element: "Patient.name[0].given[1]",
	// "Observation.value.ofType(Quantity).code". A missing element is named where it should be, and
	// an unknown one by its JSON name.
	Expression string
	// Text describes the problem, without a full stop.
	Text string
	// Line and Column are where the element, or its container if it is missing, begins in the
	// source. Both count from 1, Column in bytes.
	Line, Column int
}

// String returns expression and text.
func (i Issue) String() string {
	if i.Expression == "" {
		return i.Text
	}
	return i.Expression + ": " + i.Text
}

// R4 returns the issue for an OperationOutcome.
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

// Failed reports whether one of the issues is an error.
func Failed(issues []Issue) bool {
	for _, i := range issues {
		if i.Severity == Error {
			return true
		}
	}
	return false
}

// Invalid is the error for a document that is not valid. It wraps ErrInvalid.
type Invalid struct {
	// Issues are the issues of the document, including warnings.
	Issues []Issue
}

// Error returns the first errors.
func (e *Invalid) Error() string {
	const maxShown = 3
	var texts []string
	n := 0
	for _, i := range e.Issues {
		if i.Severity != Error {
			continue
		}
		if n++; n <= maxShown {
			texts = append(texts, i.String())
		}
	}
	if n > maxShown {
		texts = append(texts, fmt.Sprintf("%d more", n-maxShown))
	}
	return ErrInvalid.Error() + ": " + strings.Join(texts, "; ")
}

// Unwrap returns ErrInvalid.
func (e *Invalid) Unwrap() error { return ErrInvalid }

// Check returns the issues of a document as an error if one of them is an error, and nil otherwise.
func Check(issues []Issue) error {
	if !Failed(issues) {
		return nil
	}
	return &Invalid{Issues: issues}
}
