package valueset

import (
	"errors"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// Errors of resolving what a compose names; a Source returns errors that wrap them.
var (
	// ErrUnknownSystem is returned when a code system that must be known to evaluate a compose is not loaded.
	ErrUnknownSystem = errors.New("unknown code system")
	// ErrUnknownVersion is returned when the system is loaded, but not in the version asked for.
	ErrUnknownVersion = errors.New("unknown code system version")
	// ErrUnknownValueSet is returned when an imported value set is not known.
	ErrUnknownValueSet = errors.New("unknown value set")
	// ErrNoContent is returned, together with ErrUnknownSystem, for a code system whose
	// content is not-present: its codes cannot be listed or filtered.
	ErrNoContent = errors.New("code system is known but its content is not present")
)

// Errors of a compose itself.
var (
	// ErrImportCycle is returned when a value set imports itself; the message gives the path.
	ErrImportCycle = errors.New("value set imports itself")
	// ErrImportDepth is returned when imports lead further than any maintained value
	// set does: from one value set to the next, 100 times.
	ErrImportDepth = errors.New("value sets import one another more than 100 deep")
	// ErrInvalidCompose is returned for a compose that breaks a rule of R4.
	ErrInvalidCompose = errors.New("invalid compose")
)

// ErrAmbiguousSystem is returned when a code is asked for without a system and is in
// several systems of the set. The error is an *AmbiguousSystemError.
var ErrAmbiguousSystem = errors.New("code is in several code systems of the value set")

// Error places an error in a value set.
type Error struct {
	// ValueSet is the canonical of the value set, "" when it has none.
	ValueSet string
	// Expression is the FHIRPath of the element: ValueSet.compose.include[1].filter[0].
	Expression string
	Err        error
}

// Error returns the expression and the cause. The value set is left for the caller to
// name, who knows it; a value set that was imported is named by the import.
func (e *Error) Error() string { return e.Expression + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// SystemError tells which code system a value set needs that could not be had.
type SystemError struct {
	System, Version string // as the compose names it
	Err             error
}

// Error returns the cause, which names the system.
func (e *SystemError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SystemError) Unwrap() error { return e.Err }

// ImportError tells which value set could not be imported.
type ImportError struct {
	Canonical string // as the compose names it
	Err       error
}

// Error returns the canonical and the cause.
func (e *ImportError) Error() string { return e.Canonical + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ImportError) Unwrap() error { return e.Err }

// FilterError tells which filter could not be evaluated.
type FilterError struct {
	System, Version string
	Filter          r4.Filter
	Err             error
}

// Error returns the code system and the cause.
func (e *FilterError) Error() string {
	return r4.JoinCanonical(e.System, e.Version) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *FilterError) Unwrap() error { return e.Err }

// AmbiguousSystemError says which systems have a code that was asked for without one.
type AmbiguousSystemError struct {
	Code       string
	Candidates []Entry
}

// Error names the code and the systems.
func (e *AmbiguousSystemError) Error() string {
	var b strings.Builder
	b.WriteString("code ")
	b.WriteString(strconv.Quote(e.Code))
	b.WriteString(" is in several code systems of the value set: ")
	for i, c := range e.Candidates {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.System)
	}
	return b.String()
}

// Is makes errors.Is(err, ErrAmbiguousSystem) true.
func (e *AmbiguousSystemError) Is(target error) bool { return target == ErrAmbiguousSystem }
