package resources

import (
	"context"
	"fmt"
	"slices"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// CheckScope returns an error if this service cannot decide by a scope: its type is unknown, or its
// query has an unknown parameter, an expression that cannot be parsed, or a value set or code system
// that is not loaded. Requests that depend on such a scope are refused.
func (s *Service) CheckScope(ctx context.Context, scope access.Scope) error {
	criteria, err := s.formOf(scope)
	if err != nil || criteria == nil {
		return err
	}
	return s.every(ctx, func(r index.Reader) error {
		return s.tools().searcher.NewEnv(r, s.bases).Ready(ctx, criteria)
	})
}

// CheckGrant returns an error if CheckScope does for a scope of a grant. Requests that depend on the
// scope are refused.
func (s *Service) CheckGrant(ctx context.Context, grant *access.Grant) error {
	for _, scope := range slices.Concat(grant.Allow, grant.Deny) {
		if err := s.CheckScope(ctx, scope); err != nil {
			return fmt.Errorf("scope %s: %w", scope, err)
		}
	}
	return nil
}

// CheckScopeForm is CheckScope without the value sets and code systems, which may not be loaded.
func (s *Service) CheckScopeForm(scope access.Scope) error {
	_, err := s.formOf(scope)
	return err
}

// formOf returns the criteria of a scope for a type that has its parameters, nil if it has no query.
func (s *Service) formOf(scope access.Scope) ([]search.Criterion, error) {
	types := s.Types()
	if scope.Type != "*" && scope.Type != "OperationDefinition" && !slices.Contains(types, scope.Type) {
		return nil, fmt.Errorf("%q is not a resource type of this server; write a type such as Patient, or * for all", scope.Type)
	}
	if scope.Query == "" {
		return nil, nil
	}
	if scope.Type != "*" {
		types = []string{scope.Type}
	}
	var failed error
	for _, typ := range types {
		criteria, err := s.scopeCriteria(typ, scope.Query, search.Options{Strict: true, Bases: s.bases})
		if err == nil {
			return criteria, nil
		}
		failed = err
	}
	if scope.Type == "*" {
		return nil, fmt.Errorf("no resource type can be searched with %.200q", scope.Query)
	}
	return nil, failed
}
