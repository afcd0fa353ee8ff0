package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/roget-health/roget/auth"
)

// Connect returns a client that is bound to the major of the platform. It finds the canonical URL and
// reads the system information, unless Options.ConnectionCache has both. Platform toolkit, section 2.2.
//
// Errors are AuthenticationError, APIError, UnsupportedVersionError, VersionPinMismatchError, and
// errors of the provider, of the network and of hooks (ErrVetoed).
func Connect(ctx context.Context, baseURL string, provider auth.Provider, options Options) (*Client, error) {
	c, err := New(baseURL, provider, options)
	if err != nil {
		return nil, err
	}
	if c.fromCache() {
		return c, ctx.Err()
	}
	if c.base, err = c.canonical(ctx); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var raw json.RawMessage
	if err := c.get(ctx, systemInfoPath, nil, &raw); err != nil {
		if status := statusOf(err); status == http.StatusNotFound || status == http.StatusOK {
			err = fmt.Errorf("%w; check that %s is the URL of a platform", err, c.base)
		}
		return nil, err
	}
	var info struct{ Version string } // errors in other members do not matter
	if err := unmarshal(raw, &info); err != nil {
		return nil, fmt.Errorf("%s%s is not the system information of a platform: %w", c.base, systemInfoPath, err)
	}
	if c.major, err = bind(info.Version, options); err != nil {
		return nil, err
	}
	c.version = info.Version
	c.cache.put(c, cacheInfo, raw)
	c.toCache()
	return c, nil
}
