package engine

import (
	"errors"
	"fmt"
)

// Errors of finding what a request names.
var (
	// ErrUnknownSystem is returned when no code system of that canonical is published.
	ErrUnknownSystem = errors.New("unknown code system")
	// ErrUnknownVersion is returned when the code system, value set or concept map is
	// published, but not in the version asked for.
	ErrUnknownVersion = errors.New("unknown version")
	// ErrUnknownValueSet is returned when no value set of that canonical is published.
	ErrUnknownValueSet = errors.New("unknown value set")
	// ErrUnknownConceptMap is returned when no concept map of that canonical is published.
	ErrUnknownConceptMap = errors.New("unknown concept map")
	// ErrUnknownID is returned when a request on the instance level names an id that is not published.
	ErrUnknownID = errors.New("unknown id")
	// ErrUnknownCode is returned by Lookup and Subsumes for a code the system does not have.
	ErrUnknownCode = errors.New("unknown code")
	// ErrNoContent is returned when the code system is published as content=not-present:
	// its identity is known here, its concepts are not.
	ErrNoContent = errors.New("content of the code system is not present")
)

// Errors of what a request says.
var (
	// ErrMissingParameter is returned when a request lacks a parameter it needs.
	ErrMissingParameter = errors.New("missing parameter")
	// ErrInvalidParameter is returned when a parameter has a value that cannot be used, or
	// two parameters contradict each other.
	ErrInvalidParameter = errors.New("invalid parameter")
	// ErrNotSupported is returned for a parameter of the specification that the engine does not offer.
	ErrNotSupported = errors.New("not supported")
	// ErrSystemsDiffer is returned by Subsumes for Codings of two code systems.
	ErrSystemsDiffer = errors.New("code systems differ")
	// ErrVersionCheck is returned when a code system is not in the version check-system-version demands.
	ErrVersionCheck = errors.New("version check failed")
	// ErrTooCostly is returned when an answer would pass a limit of the engine.
	ErrTooCostly = errors.New("too costly")
)

// Errors of publishing.
var (
	// ErrInvalidResource is returned by Prepare and Publish for a resource that cannot be
	// served: a wrong type, or content that does not hold together.
	ErrInvalidResource = errors.New("invalid resource")
)

// ParameterError tells which parameter of a request is at fault. It wraps one of
// ErrMissingParameter, ErrInvalidParameter and ErrNotSupported.
type ParameterError struct {
	Name    string // as the specification writes it
	Problem error  // the sentinel
	Detail  string // for people; may be empty
}

// Error gives the problem, the name and the detail.
func (e *ParameterError) Error() string {
	if e.Detail == "" {
		return fmt.Sprintf("%v: %s", e.Problem, e.Name)
	}
	return fmt.Sprintf("%v: %s: %s", e.Problem, e.Name, e.Detail)
}

// Unwrap gives the sentinel.
func (e *ParameterError) Unwrap() error { return e.Problem }

func missing(name, detail string) error {
	return &ParameterError{Name: name, Problem: ErrMissingParameter, Detail: detail}
}

func invalid(name, detail string) error {
	return &ParameterError{Name: name, Problem: ErrInvalidParameter, Detail: detail}
}

func notSupported(name, detail string) error {
	return &ParameterError{Name: name, Problem: ErrNotSupported, Detail: detail}
}
