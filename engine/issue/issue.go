package issue

import (
	"errors"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// TypeSystem is the code system of issue details in terminology operations.
const TypeSystem = "http://hl7.org/fhir/tools/CodeSystem/tx-issue-type"

// An OutcomeError is an error with the issues of its OperationOutcome; adapters write exactly
// these issues. Operations return it if the specification requires several issues, or codings and
// texts that the table of errors does not have.
type OutcomeError interface {
	error
	// Issues returns the issues of the OperationOutcome; there is at least one.
	Issues() []r4.Issue
	// Class returns the kind of failure.
	Class() Class
}

// A Class is the kind of a failure. Adapters map it to an HTTP status or an exit code.
type Class uint8

// The classes of failures.
const (
	ClassInternal      Class = iota // a fault of the program or of its data
	ClassInvalid                    // the request itself is wrong
	ClassNotFound                   // the request names something that does not exist
	ClassUnprocessable              // the request is well formed, but cannot be carried out
	ClassTooLarge                   // the request is larger than a limit
	ClassUnavailable                // the time is up, or the request was cancelled
)

// Issue returns the issue of a message with args. expression is the element at fault; it may be
// empty.
func (m *Message) Issue(expression string, args ...string) r4.Issue {
	i := r4.Issue{
		Severity: m.Severity, Code: m.Code, MessageID: m.ID,
		Details: &r4.CodeableConcept{Text: m.Say(args...)},
	}
	if m.Detail != "" {
		i.Details.Coding = []r4.Coding{{System: TypeSystem, Code: m.Detail}}
	}
	if expression != "" {
		i.Expression = []string{expression}
	}
	return i
}

// As returns the message with another severity.
func (m Message) As(severity string) *Message {
	m.Severity = severity
	return &m
}

// Failure returns the error of a message with args: an OutcomeError with one issue. It wraps
// cause, whose text becomes the diagnostics of the issue.
func (m *Message) Failure(class Class, cause error, expression string, args ...string) error {
	i := m.Issue(expression, args...)
	i.Diagnostics = shortened(cause.Error())
	return &Failure{cause: cause, class: class, issues: []r4.Issue{i}}
}

// A Failure is an OutcomeError made of messages.
type Failure struct {
	// Unknown are the code systems that were not found, url or url|version.
	Unknown []string

	cause  error
	class  Class
	issues []r4.Issue
	answer bool // see Answer
}

// Answer returns a Failure that $validate-code reports in its answer instead of failing.
func Answer(cause error, issues ...r4.Issue) *Failure {
	return &Failure{cause: cause, class: ClassUnprocessable, issues: issues, answer: true}
}

// AsAnswer returns the Failure made by Answer in the chain of err.
func AsAnswer(err error) (*Failure, bool) {
	var failure *Failure
	if errors.As(err, &failure) && failure.answer {
		return failure, true
	}
	return nil, false
}

// Error returns the texts of the issues and the cause.
func (e *Failure) Error() string { return Texts(e.issues) + " (" + e.cause.Error() + ")" }

// Unwrap returns the cause.
func (e *Failure) Unwrap() error { return e.cause }

// Issues implements OutcomeError.
func (e *Failure) Issues() []r4.Issue { return e.issues }

// Class implements OutcomeError.
func (e *Failure) Class() Class { return e.class }

// Texts returns the texts of issues on one line.
func Texts(issues []r4.Issue) string {
	texts := make([]string, len(issues))
	for i := range issues {
		texts[i] = issues[i].Details.Text
	}
	return strings.Join(texts, "; ")
}

// A List collects the issues of an answer without duplicates.
type List []r4.Issue

// Add adds an issue unless the list has it, and reports whether it did.
func (l *List) Add(i r4.Issue) bool {
	for k := range *l {
		if have := &(*l)[k]; have.Severity == i.Severity && have.Details.Text == i.Details.Text && slices.Equal(have.Expression, i.Expression) {
			return false
		}
	}
	*l = append(*l, i)
	return true
}

// Failed reports whether the list has an error.
func (l List) Failed() bool {
	return slices.ContainsFunc(l, func(i r4.Issue) bool { return i.Severity == "error" })
}
