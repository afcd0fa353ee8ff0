package conceptmap

import "errors"

var (
	// ErrInvalid is returned by New for a map that breaks a rule of R4. The error is an *Error.
	ErrInvalid = errors.New("invalid concept map")
	// ErrTooLarge is returned by New when the texts or mappings need more than 32-bit numbers.
	ErrTooLarge = errors.New("concept map is too large")
	// ErrUnknownMap is wrapped by the error of a Resolver for an unknown map.
	ErrUnknownMap = errors.New("unknown concept map")
	// ErrMapCycle is returned by Translate when maps delegate unmapped codes in a circle.
	ErrMapCycle = errors.New("concept maps send unmapped codes to each other in a circle")
)

// An Error is an error with its place in a concept map.
type Error struct {
	// Expression is the FHIRPath of the element: ConceptMap.group[0].element[3].target[1].equivalence.
	Expression string
	Err        error
}

func (e *Error) Error() string { return e.Expression + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
