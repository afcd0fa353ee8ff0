package operation

import (
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// SystemIssueType is the code system of the coded details of terminology issues.
const SystemIssueType = issue.TypeSystem

// A Problem is an error with the details of its report. Adapters use it for errors of their
// protocol, such as an unknown route or media type. It wraps Err.
type Problem struct {
	// Class is the kind of failure.
	Class issue.Class
	// Exit is the exit code of the terminal.
	Exit int
	// Severity is fatal, error, warning or information; "" means error.
	Severity string
	// Code is a code of http://hl7.org/fhir/issue-type.
	Code string
	// Detail is a code of SystemIssueType, or "".
	Detail string
	// Expression names the element at fault, or is "".
	Expression string
	// Text is for people. If it is "", the text of Err is used.
	Text string
	// Err is the cause, or nil.
	Err error
}

// Error returns the text.
func (p *Problem) Error() string {
	if p.Text == "" && p.Err != nil {
		return p.Err.Error()
	}
	return p.Text
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// issue returns the problem as an issue of an OperationOutcome.
func (p *Problem) issue() r4.Issue {
	text := Shorten(p.Error())
	is := r4.Issue{Severity: p.Severity, Code: p.Code, Diagnostics: text}
	if is.Severity == "" {
		is.Severity = "error"
	}
	is.Details = &r4.CodeableConcept{Text: text}
	if p.Detail != "" {
		is.Details.Coding = []r4.Coding{{System: SystemIssueType, Code: p.Detail}}
	}
	if p.Expression != "" {
		is.Expression = []string{p.Expression}
	}
	return is
}

// Shorten removes the middle of a message that quotes a very long input. The result has about
// 2,000 bytes at most: the beginning, which says where the error is, and the end, which says why.
// Bytes that are not UTF-8 are removed.
func Shorten(message string) string {
	const head, tail = 1500, 500
	if len(message) > head+tail {
		message = message[:head] + " … " + message[len(message)-tail:]
	}
	return strings.ToValidUTF8(message, "")
}
