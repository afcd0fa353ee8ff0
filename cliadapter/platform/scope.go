package platform

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth/oauth2"
)

// versionTime limits the requests for the version of a platform.
const versionTime = 10 * time.Second

// publicVersion returns the version that a platform reports without a login, or "".
func (inv *invocation) publicVersion(ctx context.Context, address string) string {
	options, err := inv.clientOptions()
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	_, version, err := platform.PublicVersion(ctx, address, options)
	if err != nil {
		return ""
	}
	return version
}

// publicRules returns the rules of the version that a platform reports without a login.
func (inv *invocation) publicRules(ctx context.Context, address string) (platform.Rules, bool) {
	return platform.RulesOf(inv.publicVersion(ctx, address))
}

// defaultScope returns the scope of a profile by the version of the platform, else by that of the profile (v41 or
// v43), else by the scopes in the discovery document.
func (inv *invocation) defaultScope(ctx context.Context, address, pinned string) string {
	version := inv.publicVersion(ctx, address)
	if _, known := platform.RulesOf(version); known {
		return platform.ScopeFor(version, nil)
	}
	var supported []string
	switch pinned { // releases of 42 differ
	case "v41", "v43":
		version = "2." + pinned[1:]
	default:
		if transport, err := inv.transport(); err == nil {
			if found, err := oauth2.Discover(ctx, transport, address, oauth2.PreflightTime); err == nil {
				supported = found.ScopesSupported
			}
		}
	}
	scope := platform.ScopeFor(version, supported)
	inv.Notice("warning: the version of the platform is unknown; the scope is %q, use --scope to change it", scope)
	return scope
}

// register registers a client. If the platform refuses its scopes, the error says which it accepts.
func register(ctx context.Context, client *platform.Client, record platform.OAuth2Client) (uid string, err error) {
	uid, err = client.OAuth2Clients().Register(ctx, record)
	if refused, is := errors.AsType[*platform.ScopeError](err); is {
		err = &scopesRefused{refused}
	}
	return uid, err
}

// scopesRefused is the refusal to register a client with its scopes.
type scopesRefused struct{ *platform.ScopeError }

func (e *scopesRefused) Unwrap() error { return e.ScopeError }

// Hint returns the accepted scopes, and the flag.
func (e *scopesRefused) Hint() string {
	accepted := "does not accept all of the scopes " + strings.Join(e.Scopes, ", ")
	if e.Accepted != nil {
		accepted = "accepts only the scopes " + strings.Join(e.Accepted, ", ")
	}
	return "the platform " + accepted + "; omit --scope, or use --scope \"" + platform.ScopeUsername + "\""
}
