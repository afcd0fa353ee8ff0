package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// scope returns the maps that apply to a code. For a request that is not scoped, all maps apply.
// For a scoped request, the code must be in the source scope of the request and in the source
// value set of the map; otherwise the map does not apply, not even its rule for unmapped codes.
// message says why no map applies, if there were maps.
func (e *Engine) scope(ctx context.Context, req *TranslateRequest, c *r4.Coding, maps []*catalog.Map) (apply []*catalog.Map, message string, err error) {
	if !req.Scoped || c.System == "" {
		return maps, "", nil
	}
	if req.Source != "" {
		in, err := e.inScope(ctx, req.Source, "sourceScope parameter", c)
		if err != nil {
			return nil, "", err
		}
		if !in {
			return nil, fmt.Sprintf("'%s#%s' is not in the value set '%s', so no ConceptMap can translate it", c.System, c.Code, req.Source), nil
		}
	}
	side := "source"
	if req.Reverse {
		side = "target"
	}
	for _, m := range maps {
		scope := m.Source
		if req.Reverse {
			scope = m.Target
		}
		in := scope == ""
		if !in {
			if in, err = e.inScope(ctx, scope, fmt.Sprintf("%s scope of the ConceptMap '%s'", side, catalog.CanonicalURL(m.Canonical())), c); err != nil {
				return nil, "", err
			}
		}
		if in {
			apply = append(apply, m)
		}
	}
	return apply, "", nil
}

// inScope reports whether a code is in a value set. what describes the value set, for errors.
func (e *Engine) inScope(ctx context.Context, valueSet, what string, c *r4.Coding) (bool, error) {
	r, err := e.memberOf(ctx, &MemberOfRequest{Code: c.Code, System: r4.JoinCanonical(c.System, c.Version), ValueSetURL: valueSet})
	if errors.Is(err, issue.ErrUnknownValueSet) {
		return false, &scopeError{cause: err, text: fmt.Sprintf(
			"The value set '%s', which is the %s, could not be found, so the scope of the translation cannot be determined", valueSet, what)}
	}
	return r.Member, err
}

// A scopeError is the OutcomeError of an unknown scope.
type scopeError struct {
	text  string
	cause error
}

func (e *scopeError) Error() string { return e.text }

func (e *scopeError) Unwrap() error { return e.cause }

func (e *scopeError) Class() issue.Class { return issue.ClassNotFound }

func (e *scopeError) Issues() []r4.Issue {
	return []r4.Issue{{Severity: "error", Code: "not-found", Details: &r4.CodeableConcept{
		Coding: []r4.Coding{{System: issue.TypeSystem, Code: "not-found"}}, Text: e.text,
	}}}
}
