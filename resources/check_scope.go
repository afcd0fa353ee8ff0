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
	types := s.Types()
	if scope.Type != "*" && scope.Type != "OperationDefinition" && !slices.Contains(types, scope.Type) {
		return fmt.Errorf("%q is not a resource type of this server; write a type such as Patient, or * for all", scope.Type)
	}
	if scope.Query == "" {
		return nil
	}
	if scope.Type != "*" {
		types = []string{scope.Type}
	}
	var failed error
	for _, typ := range types {
		criteria, err := s.scopeCriteria(typ, scope.Query, search.Options{Strict: true, Bases: s.bases})
		if err == nil {
			return s.every(ctx, func(r index.Reader) error {
				return s.tools().searcher.NewEnv(r, s.bases).Ready(ctx, criteria)
			})
		}
		failed = err
	}
	if scope.Type == "*" {
		return fmt.Errorf("no resource type can be searched with %.200q", scope.Query)
	}
	return failed
}
