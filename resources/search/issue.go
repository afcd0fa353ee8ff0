package search

import (
	"errors"
	"fmt"
)

// ErrParameter is what an Error of a search string is: 400.
var ErrParameter = errors.New("search parameter")

// Error says that a parameter of a search can't be understood. It is ErrParameter.
type Error struct {
	Param Param  // the one that is meant, as in the request
	Text  string // what is wrong with it, and what would be right
	// Unknown: there is no such parameter, modifier or type, which only a strict search
	// refuses; else the value is malformed.
	Unknown bool
	// Cause is the error that Text tells of, nil when there is none.
	Cause error
}

// Error says it with the parameter.
func (e *Error) Error() string {
	if e.Param == (Param{}) {
		return e.Text
	}
	return fmt.Sprintf("search parameter %s=%s: %s", e.Param.Name, clip(e.Param.Value), e.Text)
}

// Is reports that the error is ErrParameter.
func (e *Error) Is(target error) bool { return target == ErrParameter }

// Unwrap returns what caused the error.
func (e *Error) Unwrap() error { return e.Cause }

// Issue is something about a search that its outcome should say.
type Issue struct {
	Severity Severity
	Code     string // of the value set issue-type: "not-supported"
	Text     string
	Param    string // the name of the parameter, "" when none is meant
}

// Severity is how grave an Issue is: a code of the value set issue-severity.
type Severity string

// The severities of a search that gave results all the same.
const (
	Warning     Severity = "warning"
	Information Severity = "information"
)

// clip cuts a value for a message.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
