package ecl

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Limits of an expression.
const (
	// MaxLength is the length of the longest expression that Parse accepts, in bytes.
	MaxLength = 256 << 10
	// MaxDepth is how deeply brackets may nest.
	MaxDepth = 100
)

// Errors of evaluating an expression. Each of them is wrapped in an *EvaluationError.
var (
	// ErrUnknownConcept is returned when an expression names a concept that the code system does not have.
	ErrUnknownConcept = errors.New("unknown concept")
	// ErrUnknownDialect is returned for a dialect alias that the specification does not list.
	ErrUnknownDialect = errors.New("unknown dialect")
	// ErrUnknownField is returned when no selected reference set has the named field.
	ErrUnknownField = errors.New("unknown reference set field")
	// ErrFields is returned when a member-of selects more than one field, or a field without
	// concepts.
	ErrFields = errors.New("not one field of concepts")
	// ErrUndecided is returned for a part that cannot be decided for a post-coordinated expression.
	ErrUndecided = errors.New("not decided for a post-coordinated expression")
)

// A SyntaxError describes why and where a text is not an expression constraint.
type SyntaxError struct {
	Offset int    // in bytes from the beginning, at maxNear the length of the text
	Want   string // what was expected, or what is wrong
	Near   string // the text from Offset on, cut short; "" at the end
}

// Error returns the position, what was expected, and the text at the position.
func (e *SyntaxError) Error() string { return errorSubject + e.reason() }

// errorSubject begins the errors of this package.
const errorSubject = "expression constraint, "

func (e *SyntaxError) reason() string {
	if e.Near == "" {
		return fmt.Sprintf("at its end (position %d): %s", e.Offset, e.Want)
	}
	return fmt.Sprintf("at position %d, before %q: %s", e.Offset, e.Near, e.Want)
}

// An EvaluationError names the part of an expression that cannot be evaluated.
type EvaluationError struct {
	Offset int    // in bytes from the beginning of the text that was parsed
	Part   string // the part, such as an identifier
	Err    error
}

// Error returns the part, its position and the cause.
func (e *EvaluationError) Error() string { return errorSubject + e.reason() }

func (e *EvaluationError) reason() string {
	if errors.Is(e.Err, ErrUndecided) {
		return e.Part + ": " + e.Err.Error()
	}
	return fmt.Sprintf("%q at position %d: %v", e.Part, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *EvaluationError) Unwrap() error { return e.Err }

// Reason returns what is wrong with an expression, and where, for messages that quote the
// expression: the text of a *SyntaxError or *EvaluationError without its subject.
func Reason(err error) string {
	var in interface{ reason() string }
	if errors.As(err, &in) {
		return in.reason()
	}
	return err.Error()
}

// nearby returns the text at an offset, cut to fit a message.
func nearby(text string, offset int) string {
	const maxNear = 24
	rest := text[min(offset, len(text)):]
	if len(rest) <= maxNear {
		return rest
	}
	end := maxNear
	for end > 0 && !utf8.RuneStart(rest[end]) {
		end--
	}
	return rest[:end] + "…"
}
