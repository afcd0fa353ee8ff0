package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/resources/index"
)

// Planning returns the settings of the planner.
func Planning() map[string]string { return planning() }

// TypeStatements returns the statements that find the versions of a type, with and without bodies.
func TypeStatements() []string {
	few, _ := selectVersions(&index.VersionsRequest{Type: "Account", Limit: 1}, true)
	many, _ := selectVersions(&index.VersionsRequest{Type: "Account", Limit: 1000}, true)
	bodies, _ := selectVersions(&index.VersionsRequest{Type: "Account", Limit: 1000, Parts: index.WithBody | index.WithValues}, true)
	return []string{few, many, bodies, selectSole}
}

// OpenTraced opens a store whose connections report what they send.
func OpenTraced(ctx context.Context, address string, tracer pgx.QueryTracer) (*Store, error) {
	config, err := configure(address)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.Tracer = tracer
	return open(ctx, config)
}
