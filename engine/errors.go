package engine

import "github.com/roget-health/roget/engine/issue"

// Errors of finding what a request names.
var (
	// ErrUnknownSystem is returned when no code system of that canonical is published.
	ErrUnknownSystem = issue.ErrUnknownSystem
	// ErrUnknownVersion is returned when the code system, value set or concept map is
	// published, but not in the version asked for.
	ErrUnknownVersion = issue.ErrUnknownVersion
	// ErrUnknownValueSet is returned when no value set of that canonical is published.
	ErrUnknownValueSet = issue.ErrUnknownValueSet
	// ErrUnknownConceptMap is returned when no concept map of that canonical is published.
	ErrUnknownConceptMap = issue.ErrUnknownConceptMap
	// ErrUnknownID is returned when a request on the instance level names an id that is not
	// published.
	ErrUnknownID = issue.ErrUnknownID
	// ErrUnknownCode is returned by Lookup and Subsumes for a code the system does not have.
	ErrUnknownCode = issue.ErrUnknownCode
	// ErrUnknownSupplement is returned when a request or value set demands a supplement
	// that is not published, or that supplements none of the code systems used.
	ErrUnknownSupplement = issue.ErrUnknownSupplement
	// ErrNoContent is returned when the code system is published as content=not-present: its
	// identity is known here, its concepts are not.
	ErrNoContent = issue.ErrNoContent
)

// Errors of what a request says.
var (
	// ErrMissingParameter is returned when a request lacks a parameter it needs.
	ErrMissingParameter = issue.ErrMissingParameter
	// ErrInvalidParameter is returned when a parameter has a value that cannot be used, or
	// two parameters contradict each other.
	ErrInvalidParameter = issue.ErrInvalidParameter
	// ErrNotSupported is returned for a parameter of the specification that the engine does
	// not offer.
	ErrNotSupported = issue.ErrNotSupported
	// ErrSystemsDiffer is returned by Subsumes for Codings of two code systems.
	ErrSystemsDiffer = issue.ErrSystemsDiffer
	// ErrAmbiguousSystem is returned when a code is asked for without a system and is in
	// several systems of the value set.
	ErrAmbiguousSystem = issue.ErrAmbiguousSystem
	// ErrVersionCheck is returned when a code system or value set is not in the version that
	// check-system-version or check-valueset-version demands.
	ErrVersionCheck = issue.ErrVersionCheck
)

// Errors of expansions and of publishing.
var (
	// ErrTooCostly is returned by Expand for a value set with more codes than are listed
	// without a count; see WithDefaultCount.
	ErrTooCostly = issue.ErrTooCostly
	// ErrEndless is returned by Expand for a value set with all codes of a code system whose
	// codes a grammar makes, where no list of the codes in common use exists.
	ErrEndless = issue.ErrEndless
	// ErrInvalidResource is returned by Prepare and Publish for a resource that cannot be
	// served: a wrong type, or content that contradicts itself.
	ErrInvalidResource = issue.ErrInvalidResource
)

// ParameterError names the parameter of a request that is at fault. It wraps one of
// ErrMissingParameter, ErrInvalidParameter and ErrNotSupported.
type ParameterError = issue.ParameterError

// OutcomeError is an error that brings the issues of its OperationOutcome along. Package
// issue says more.
type OutcomeError = issue.OutcomeError

// IssueTypeSystem is the code system of the details of issues that terminology operations
// report.
const IssueTypeSystem = issue.TypeSystem
