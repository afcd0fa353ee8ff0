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
	scheme, _, _ := strings.Cut(o.Store, ":")
	if o.Wait <= 0 || scheme != "postgres" && scheme != "postgresql" {
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
