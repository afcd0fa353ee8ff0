package engine

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// IssueTypeSystem is the code system of the details of issues that terminology
// operations report.
const IssueTypeSystem = "http://hl7.org/fhir/tools/CodeSystem/tx-issue-type"

// issue makes the issue of a message about args. expression names the element it is
// about; it may be empty.
func (m *message) issue(expression string, args ...string) r4.Issue {
	i := r4.Issue{
		Severity: m.severity, Code: m.code, MessageID: m.id,
		Details: &r4.CodeableConcept{Text: m.say(args...)},
	}
	if m.detail != "" {
		i.Details.Coding = []r4.Coding{{System: IssueTypeSystem, Code: m.detail}}
	}
	if expression != "" {
		i.Expression = []string{expression}
	}
	return i
}

// as returns the message with another severity.
func (m message) as(severity string) *message {
	m.severity = severity
	return &m
}

// failure makes the error of a message about args: an OutcomeError of one issue. It
// wraps cause, for errors.Is.
// What cause says besides goes into the diagnostics.
func (m *message) failure(status int, cause error, expression string, args ...string) error {
	i := m.issue(expression, args...)
	i.Diagnostics = cause.Error()
	return &outcomeError{cause: cause, status: status, issues: []r4.Issue{i}}
}

// outcomeError is an OutcomeError made from messages of the catalogue.
type outcomeError struct {
	cause  error
	status int
	issues []r4.Issue
	// answerable says that $validate-code answers with the issues instead of failing.
	answerable bool
	unknown    []string // systems that are not there
}

// Error returns the texts of the issues, and the cause.
func (e *outcomeError) Error() string { return messageOf(e.issues) + " (" + e.cause.Error() + ")" }

// Unwrap returns the cause.
func (e *outcomeError) Unwrap() error { return e.cause }

// Issues implements OutcomeError.
func (e *outcomeError) Issues() []r4.Issue { return e.issues }

// Status implements OutcomeError.
func (e *outcomeError) Status() int { return e.status }

// messageOf returns the texts of issues in one line.
func messageOf(issues []r4.Issue) string {
	texts := make([]string, len(issues))
	for i := range issues {
		texts[i] = issues[i].Details.Text
	}
	return strings.Join(texts, "; ")
}

// issueList collects the issues of an answer: each once.
type issueList []r4.Issue

// add adds an issue unless it is there, and reports that it was not.
func (l *issueList) add(i r4.Issue) bool {
	for k := range *l {
		if have := &(*l)[k]; have.Severity == i.Severity && have.Details.Text == i.Details.Text && slices.Equal(have.Expression, i.Expression) {
			return false
		}
	}
	*l = append(*l, i)
	return true
}

// failed reports that there is an error.
func (l issueList) failed() bool {
	return slices.ContainsFunc(l, func(i r4.Issue) bool { return i.Severity == "error" })
}

// HTTP statuses of failures.
const (
	statusInvalid       = 400
	statusNotFound      = 404
	statusUnprocessable = 422
)
