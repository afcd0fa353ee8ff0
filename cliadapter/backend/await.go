package backend

import (
	"context"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/cliadapter"
)

// awaitStore waits for the PostgreSQL server of a store as long as the settings say.
func awaitStore(ctx context.Context, o cliadapter.ServeOptions) error {
	if o.Wait <= 0 || !isPostgres(o.Store) {
		return nil
	}
	began, waited := time.Now(), false
	err := postgres.Await(ctx, o.Store, o.Wait, func(reason error) {
		waited = true
		o.Logger.Warn("waiting for PostgreSQL", "wait", o.Wait.String(), "error", reason)
	})
	if err == nil && waited {
		o.Logger.Info("PostgreSQL responds", "after", time.Since(began).Round(time.Millisecond).String())
	}
	return err
}

// isPostgres reports whether an address is that of a store in PostgreSQL.
func isPostgres(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	return scheme == "postgres" || scheme == "postgresql"
}
