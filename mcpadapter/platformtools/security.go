package platformtools

import (
	"context"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/audit"
)

// addSecurity adds the tools about security. Each takes one request. The audit itself is a
// command only.
func addSecurity(r *registry) {
	add(r, reads, "security_settings", "Security settings", "Settings about passwords, expiry, registration and lockout.",
		func(ctx context.Context, c *platform.Client, _ On) (*platform.SecuritySettings, error) {
			return c.System().SecuritySettings(ctx)
		})
	add(r, reads, "security_authorities", "Own authorities", "Authorities of the account, and which dangerous categories they are in.",
		func(ctx context.Context, c *platform.Client, _ On) (audit.Account, error) {
			names, err := c.System().Authorization(ctx)
			if err != nil {
				return audit.Account{}, err
			}
			return audit.NewAccount(names), nil
		})
	add(r, reads, "security_version", "Version posture", "Whether the version of the server is supported. No release feed is asked.",
		func(ctx context.Context, c *platform.Client, _ On) (platform.VersionPosture, error) {
			return c.System().VersionPosture(ctx)
		})
}
