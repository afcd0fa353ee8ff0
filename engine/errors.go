package engine

import "github.com/roget-health/roget/engine/issue"

// Errors of finding what a request names.
var (
	// ErrUnknownSystem is returned when no code system of that canonical is published.
	ErrUnknownSystem = issue.ErrUnknownSystem
	// ErrUnknownVersion is returned when the code system, value set or concept map is published,
	// but not in the requested version.
	ErrUnknownVersion = issue.ErrUnknownVersion
	// ErrUnknownValueSet is returned when no value set of that canonical is published.
	ErrUnknownValueSet = issue.ErrUnknownValueSet
	// ErrUnknownConceptMap is returned when no concept map of that canonical is published.
	ErrUnknownConceptMap = issue.ErrUnknownConceptMap
	// ErrUnknownID is returned when a request for an instance names an unknown id.
	ErrUnknownID = issue.ErrUnknownID
	// ErrUnknownCode is returned by Lookup and Subsumes for a code that the code system does not
	// have.
	ErrUnknownCode = issue.ErrUnknownCode
	// ErrUnknownSupplement is returned when a request or value set requires a supplement that is
	// not published, or that supplements none of the code systems in use.
	ErrUnknownSupplement = issue.ErrUnknownSupplement
	// ErrNoContent is returned when the code system is published with content=not-present: it is
	// known, but its concepts are not.
	ErrNoContent = issue.ErrNoContent
)

// Errors of requests.
var (
	// ErrMissingParameter is returned when a request lacks a required parameter.
	ErrMissingParameter = issue.ErrMissingParameter
	// ErrInvalidParameter is returned when a parameter has a value that cannot be used, or
	// two parameters contradict each other.
	ErrInvalidParameter = issue.ErrInvalidParameter
	// ErrNotSupported is returned for a parameter of the specification that the engine does not
	// support.
	ErrNotSupported = issue.ErrNotSupported
	// ErrSystemsDiffer is returned by Subsumes for Codings of two code systems.
	ErrSystemsDiffer = issue.ErrSystemsDiffer
	// ErrAmbiguousSystem is returned when a code has no system and several code systems of the
	// value set have the code.
	ErrAmbiguousSystem = issue.ErrAmbiguousSystem
	// ErrVersionCheck is returned when a code system or value set does not have the version that
	// check-system-version or check-valueset-version requires.
	ErrVersionCheck = issue.ErrVersionCheck
)

// Errors of caches of resources.
var (
	// ErrUnknownCache is returned for a cache that was never started here, has ended, or was idle
	// for too long.
	ErrUnknownCache = issue.ErrUnknownCache
	// ErrTooManyCaches is returned when caches have reached the number or the size that is allowed.
	ErrTooManyCaches = issue.ErrTooManyCaches
)

// Errors of expansions and of publishing.
var (
	// ErrTooCostly is returned by Expand for a value set with more codes than may be listed
	// without a count; see WithDefaultCount.
	ErrTooCostly = issue.ErrTooCostly
	// ErrEndless is returned by Expand for a value set with all codes of a code system that is
	// defined by a grammar and has no list of codes in common use.
	ErrEndless = issue.ErrEndless
	// ErrInvalidResource is returned by Prepare and Publish for a resource of a wrong type or with
	// inconsistent content.
	ErrInvalidResource = issue.ErrInvalidResource
)

// A ParameterError names the parameter that is at fault. It wraps ErrMissingParameter,
// ErrInvalidParameter or ErrNotSupported.
type ParameterError = issue.ParameterError

// An OutcomeError is an error with the issues of its OperationOutcome. See package issue.
type OutcomeError = issue.OutcomeError

// IssueTypeSystem is the code system of issue details in terminology operations.
const IssueTypeSystem = issue.TypeSystem
