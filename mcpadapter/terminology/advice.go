package terminology

import (
	"context"
	"errors"
	"strings"
)

// advised is an error with what to do next.
type advised struct {
	err  error
	next string
}

func (e *advised) Error() string { return e.err.Error() + ". " + e.next }
func (e *advised) Unwrap() error { return e.err }

// advise adds to the refusal of an operation what to do next. Other errors are returned
// unchanged.
func (t *Tools) advise(ctx context.Context, err error, s Scope) error {
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok {
		return err
	}
	next := ""
	switch {
	case s.ECL != "" && aboutConstraint(refusal.Text):
		next = "Correct ecl: << code selects a code and its descendants, <! its children, AND, OR, MINUS combine; outside SNOMED CT a code is written code#\"E11\". Or use below instead"
	case s.ValueSet != "" && refusal.Detail == "vs-invalid":
		next = "The value set needs something that is not loaded, or is wrong in itself; explain shows which element. Other value sets are in catalogue kind=ValueSet"
	case refusal.Detail == "not-found" && strings.Contains(refusal.Text, "code system"):
		own, _, lerr := t.systems(ctx)
		if lerr != nil {
			return err
		}
		next = "Loaded are " + some(own) + "; catalogue lists all"
	case refusal.Detail == "invalid-code", s.Below != "" && refusal.Detail == "not-found":
		next = "Use find to look for the code by its meaning"
	case refusal.Code == "too-costly":
		next = "Narrow the scope by ecl, below or another value set"
	default:
		return err
	}
	return &advised{err, next}
}

// aboutConstraint reports whether a refusal is about an expression constraint: one that is not
// valid, or one that cannot be evaluated.
func aboutConstraint(text string) bool {
	return strings.Contains(text, "Invalid ECL expression") || strings.Contains(text, "expression constraint")
}
