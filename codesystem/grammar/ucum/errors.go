package ucum

import (
	"errors"
	"fmt"
)

// Kinds of error; Parse and Convert return errors that wrap them.
var (
	// ErrSyntax is returned for text that is not in the grammar.
	ErrSyntax = errors.New("not a UCUM expression")
	// ErrUnknownUnit is returned for a symbol that is neither a unit nor a prefix with a metric unit.
	ErrUnknownUnit = errors.New("unknown unit")
	// ErrLimit is returned for expressions beyond the limits of this package.
	ErrLimit = errors.New("beyond the limits of this implementation")
	// ErrNotCommensurable is returned by Convert for units of different kinds.
	ErrNotCommensurable = errors.New("units are not commensurable")
	// ErrNotConvertible is returned by Convert for a special unit in a product, and for values
	// without a counterpart on a scale.
	ErrNotConvertible = errors.New("not convertible")
)

// An Error is a problem at a place in an expression.
type Error struct {
	Code   string // the whole expression
	At     int    // offset in bytes of the faulty character or symbol
	Reason string
	Kind   error // ErrSyntax, ErrUnknownUnit or ErrLimit
}

// Error returns the expression, the reason and the place, counted from 1.
func (e *Error) Error() string {
	return fmt.Sprintf("Error processing unit '%s': %s at character %d", e.Code, e.Reason, e.At+1)
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }
