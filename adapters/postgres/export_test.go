package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// OpenTraced opens a store whose connections report what they send.
func OpenTraced(ctx context.Context, address string, tracer pgx.QueryTracer) (*Store, error) {
	config, err := configure(address)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.Tracer = tracer
	return open(ctx, config)
}
