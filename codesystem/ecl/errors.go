package ecl

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Limits of an expression.
const (
	// MaxLength is the longest expression that Parse takes, in bytes.
	MaxLength = 256 << 10
	// MaxDepth is how deep brackets may nest.
	MaxDepth = 100
)

// Errors of evaluating an expression. Each is wrapped in an *EvaluationError.
var (
	// ErrUnknownConcept is returned when an expression names a concept that the code system does not have.
	ErrUnknownConcept = errors.New("unknown concept")
	// ErrUnknownDialect is returned for a dialect alias that is not one of the specification's.
	ErrUnknownDialect = errors.New("unknown dialect")
	// ErrUnknownField is returned when no selected reference set has the field that is named.
	ErrUnknownField = errors.New("unknown reference set field")
	// ErrFields is returned when a member-of selects more than one field, or one that holds no concepts.
	ErrFields = errors.New("not one field of concepts")
)

// SyntaxError tells where a text is no expression constraint.
type SyntaxError struct {
	Offset int    // in bytes from the beginning, at most the length of the text
	Want   string // what was expected, or what is wrong
	Near   string // the text from Offset on, cut short; "" at the end
}

// Error returns position, expectation and the text there.
func (e *SyntaxError) Error() string {
	if e.Near == "" {
		return fmt.Sprintf("expression constraint, at its end (position %d): %s", e.Offset, e.Want)
	}
	return fmt.Sprintf("expression constraint, at position %d, before %q: %s", e.Offset, e.Near, e.Want)
}

// EvaluationError tells which part of an expression cannot be evaluated.
type EvaluationError struct {
	Offset int    // in bytes from the beginning of the text that was parsed
	Part   string // the part, such as an identifier
	Err    error
}

// Error returns part, position and cause.
func (e *EvaluationError) Error() string {
	return fmt.Sprintf("expression constraint, %q at position %d: %v", e.Part, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *EvaluationError) Unwrap() error { return e.Err }

// nearby cuts the text at an offset to what fits a message.
func nearby(text string, offset int) string {
	const most = 24
	rest := text[min(offset, len(text)):]
	if len(rest) <= most {
		return rest
	}
	end := most
	for end > 0 && !utf8.RuneStart(rest[end]) {
		end--
	}
	return rest[:end] + "…"
}
