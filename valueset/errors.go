package valueset

import (
	"errors"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// Errors of resolving the references of a compose. The errors of a Source wrap them.
var (
	// ErrUnknownSystem is returned if a code system needed for a compose is not loaded.
	ErrUnknownSystem = errors.New("unknown code system")
	// ErrUnknownVersion is returned if the system is loaded, but not in the requested version.
	ErrUnknownVersion = errors.New("unknown code system version")
	// ErrUnknownValueSet is returned if an imported value set is unknown.
	ErrUnknownValueSet = errors.New("unknown value set")
	// ErrNoContent is returned, together with ErrUnknownSystem, for a code system whose content
	// is not-present. Its codes cannot be listed or filtered.
	ErrNoContent = errors.New("its codes are not loaded")
)

// Errors of the compose itself.
var (
	// ErrImportCycle is returned if a value set imports itself. The message contains the path.
	ErrImportCycle = errors.New("value set imports itself")
	// ErrImportDepth is returned if a chain of imports is longer than 100 value sets, more than
	// any real value set needs.
	ErrImportDepth = errors.New("value sets import one another more than 100 deep")
	// ErrInvalidCompose is returned for a compose that violates a rule of R4.
	ErrInvalidCompose = errors.New("invalid compose")
)

// ErrAmbiguousSystem is returned for a code without a system that belongs to several systems of
// the set. The error is an *AmbiguousSystemError.
var ErrAmbiguousSystem = errors.New("code is in several code systems of the value set")

// Error is an error with its location in a value set.
type Error struct {
	// ValueSet is the canonical of the value set, or "".
	ValueSet string
	// Expression is the FHIRPath of the element: ValueSet.compose.include[1].filter[0].
	Expression string
	Err        error
}

// Error returns the expression and the cause. It does not name the value set, which the caller
// knows; an imported value set is named by the import.
func (e *Error) Error() string { return e.Expression + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// SystemError names a code system that a value set needs and that could not be resolved.
type SystemError struct {
	System, Version string // as in the compose
	Err             error
}

// Error returns the cause, which names the system.
func (e *SystemError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SystemError) Unwrap() error { return e.Err }

// ImportError names a value set that could not be imported.
type ImportError struct {
	Canonical string // as in the compose
	Err       error
}

// Error returns the canonical and the cause.
func (e *ImportError) Error() string { return e.Canonical + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ImportError) Unwrap() error { return e.Err }

// FilterError identifies a filter that could not be evaluated.
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

// ConstraintError is an expression constraint that cannot be evaluated.
type ConstraintError struct {
	Expression string // as in the filter
	Reason     string // what is wrong, with the position
	Err        error
}

// Error returns the cause, which has the position.
func (e *ConstraintError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ConstraintError) Unwrap() error { return e.Err }

// AmbiguousSystemError lists the systems that contain a code for which no system was given.
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

// Is makes errors.Is(err, ErrAmbiguousSystem) return true.
func (e *AmbiguousSystemError) Is(target error) bool { return target == ErrAmbiguousSystem }
