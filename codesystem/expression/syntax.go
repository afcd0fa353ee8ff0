package expression

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/roget-health/roget/resources/r4"
)

// Limits of an expression.
const (
	MaxLength   = 16 << 10 // bytes
	MaxDepth    = 16       // of nested brackets
	MaxConcepts = 500      // references to concepts
)

// An Expression is what Parse read.
type Expression struct {
	// Primitive is true after <<<: the expression is below its definition, instead of equal to it.
	Primitive bool
	sub
}

// sub is focus concepts with a refinement.
type sub struct {
	focus  []Reference
	groups []group
}

// group is attributes that belong together, or those that are in no group.
type group struct {
	braced     bool
	attributes []attribute
}

type attribute struct {
	name  Reference
	value value
}

// value is one of a concept, a nested expression, and a literal.
type value struct {
	concept *Reference
	nested  *sub
	literal *r4.Value
}

// A Reference is a concept as it is written.
type Reference struct {
	Code   string
	Term   string // between pipes, "" without
	Offset int    // of the code
}

// Errors of Model.Bind, wrapped in a *BindError.
var (
	ErrUnknownConcept = errors.New("the edition has no such concept")
	ErrInactive       = errors.New("the concept is inactive")
	ErrNotAttribute   = errors.New("the concept is no attribute; use one below 410662002 |Concept model attribute|")
	ErrValueKind      = errors.New("the attribute takes the other kind of value, a concept or a number, text or boolean")
)

// A SyntaxError says where and why a text is no expression.
type SyntaxError struct {
	Offset int    // in bytes
	Want   string // what was expected
	Near   string // the text at Offset, cut short; "" at the end
}

// Error returns the position, what was expected, and the text at the position.
func (e *SyntaxError) Error() string {
	if e.Near == "" {
		return fmt.Sprintf("expression, at its end (position %d): %s", e.Offset, e.Want)
	}
	return fmt.Sprintf("expression, at position %d, before %q: %s", e.Offset, e.Near, e.Want)
}

// A BindError names the concept of an expression that cannot be used.
type BindError struct {
	Offset int // in bytes
	Code   string
	Err    error
}

// Error returns the concept, its position and the cause.
func (e *BindError) Error() string {
	return fmt.Sprintf("expression, at position %d, concept %s: %v", e.Offset, e.Code, e.Err)
}

// Unwrap returns the cause.
func (e *BindError) Unwrap() error { return e.Err }

// nearby returns the text at an offset, cut to fit a message.
func nearby(text string, at int) string {
	rest := text[min(at, len(text)):]
	if len(rest) <= 24 {
		return rest
	}
	end := 24
	for end > 0 && !utf8.RuneStart(rest[end]) {
		end--
	}
	return rest[:end] + "…"
}
