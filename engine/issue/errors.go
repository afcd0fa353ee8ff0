package issue

import (
	"errors"
	"fmt"

	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/valueset"
)

// Errors of finding what a request names.
var (
	// ErrUnknownSystem is returned when no code system of that canonical is published.
	ErrUnknownSystem = valueset.ErrUnknownSystem
	// ErrUnknownVersion is returned when the code system, value set or concept map is published,
	// but not in the requested version.
	ErrUnknownVersion = valueset.ErrUnknownVersion
	// ErrUnknownValueSet is returned when no value set of that canonical is published.
	ErrUnknownValueSet = valueset.ErrUnknownValueSet
	// ErrUnknownConceptMap is returned when no concept map of that canonical is published.
	ErrUnknownConceptMap = conceptmap.ErrUnknownMap
	// ErrUnknownID is returned when a request for an instance names an unknown id.
	ErrUnknownID = errors.New("unknown id")
	// ErrUnknownCode is returned by Lookup and Subsumes for a code that the code system does not
	// have.
	ErrUnknownCode = errors.New("unknown code")
	// ErrNoContent is returned when the code system is published with content=not-present: it is
	// known, but its concepts are not.
	ErrNoContent = valueset.ErrNoContent
)

// Errors of requests.
var (
	// ErrMissingParameter is returned when a request lacks a required parameter.
	ErrMissingParameter = errors.New("missing parameter")
	// ErrInvalidParameter is returned when a parameter has a value that cannot be used, or
	// two parameters contradict each other.
	ErrInvalidParameter = errors.New("invalid parameter")
	// ErrNotSupported is returned for a parameter of the specification that the engine does not
	// support.
	ErrNotSupported = errors.New("not supported")
	// ErrSystemsDiffer is returned by Subsumes for Codings of two code systems.
	ErrSystemsDiffer = errors.New("code systems differ")
	// ErrAmbiguousSystem is returned when a code has no system and several code systems of the
	// value set have the code.
	ErrAmbiguousSystem = valueset.ErrAmbiguousSystem
	// ErrVersionCheck is returned when a code system or value set does not have the version that
	// check-system-version or check-valueset-version requires.
	ErrVersionCheck = errors.New("version check failed")
	// ErrUnknownSupplement is returned when a request or value set requires a supplement that is
	// not published, or that supplements none of the code systems in use.
	ErrUnknownSupplement = errors.New("unknown supplement")
)

// Errors of caches of resources that clients register ($cache-control).
var (
	// ErrUnknownCache is returned for a cache that was never started here, has ended, or was idle
	// for too long. Its text does not have the id, which is a secret of the client.
	ErrUnknownCache = errors.New("unknown cache-id: the cache was never started at this address, has ended, or was not used for too long; start a new one with $cache-control?mode=start and send the resources again")
	// ErrTooManyCaches is returned when caches have reached the number or the size that is allowed.
	ErrTooManyCaches = errors.New("too many caches of resources")
)

// Errors of expansions.
var (
	// ErrTooCostly is returned by Expand for a value set with more codes than may be listed
	// without a count; see WithDefaultCount.
	ErrTooCostly = errors.New("too many codes to list")
	// ErrEndless is returned by Expand for a value set with all codes of a code system that is
	// defined by a grammar and has no list of codes in common use.
	ErrEndless = errors.New("a code system with a grammar cannot be listed")
)

// Errors of publishing.
var (
	// ErrInvalidResource is returned by Prepare and Publish for a resource of a wrong type or with
	// inconsistent content.
	ErrInvalidResource = errors.New("invalid resource")
)

// A ParameterError names the parameter that is at fault. It wraps ErrMissingParameter,
// ErrInvalidParameter or ErrNotSupported.
type ParameterError struct {
	Name    string // as the specification writes it
	Problem error  // the sentinel
	Detail  string // for people; may be empty
	Cause   error  // what was wrong with the value, such as a *r4.SyntaxError; may be nil
}

// Error returns the problem, the name and the detail.
func (e *ParameterError) Error() string {
	msg := fmt.Sprintf("%v: %s", e.Problem, e.Name)
	if e.Detail != "" {
		msg += ": " + e.Detail
	}
	if e.Cause != nil {
		msg += ": " + e.Cause.Error()
	}
	return msg
}

// Unwrap returns the sentinel and the cause.
func (e *ParameterError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Problem}
	}
	return []error{e.Problem, e.Cause}
}

func Missing(name, detail string) error {
	return &ParameterError{Name: name, Problem: ErrMissingParameter, Detail: detail}
}

func Invalid(name, detail string) error {
	return &ParameterError{Name: name, Problem: ErrInvalidParameter, Detail: detail}
}

func NotSupported(name, detail string) error {
	return &ParameterError{Name: name, Problem: ErrNotSupported, Detail: detail}
}
