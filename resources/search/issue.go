package search

import (
	"errors"
	"fmt"
)

// ErrParameter matches every *Error (HTTP status 400).
var ErrParameter = errors.New("search parameter")

// An Error is a problem with a parameter of a search. It matches ErrParameter.
type Error struct {
	Param Param  // the parameter, as in the request
	Text  string // what is wrong with it, and what would be right
	// Unknown is set if the parameter, modifier or type does not exist, which only a strict search
	// refuses. Otherwise the value is malformed.
	Unknown bool
	// Cause is the error that Text describes, or nil.
	Cause error
}

// Error returns the parameter and the text.
func (e *Error) Error() string {
	if e.Param == (Param{}) {
		return e.Text
	}
	return fmt.Sprintf("search parameter %s=%s: %s", e.Param.Name, clip(e.Param.Value), e.Text)
}

// Is reports whether target is ErrParameter.
func (e *Error) Is(target error) bool { return target == ErrParameter }

// Unwrap returns Cause.
func (e *Error) Unwrap() error { return e.Cause }

// An Issue is a remark about a search for its OperationOutcome.
type Issue struct {
	Severity Severity
	Code     string // of the value set issue-type: "not-supported"
	Text     string
	Param    string // the name of the parameter, "" if the issue is not about one
}

// Severity is a code of the value set issue-severity.
type Severity string

// The severities of the issues of a successful search.
const (
	Warning     Severity = "warning"
	Information Severity = "information"
)

// clip shortens a value for a message.
func clip(s string) string {
	const limit = 200
	if len(s) <= limit {
		return s
	}
	return s[:limit] + "…"
}
