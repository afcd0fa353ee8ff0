package auth

import (
	"context"
	"encoding/base64"
)

// A Provider authenticates requests: a client asks it for headers before each request. Both methods
// honour the context and are safe for concurrent use. Platform toolkit, section 1.1.
type Provider interface {
	// Headers returns the headers of the next request by name.
	Headers(ctx context.Context) (map[string]string, error)
	// RefreshIfNeeded refreshes credentials that are about to expire. It does nothing if the
	// credentials do not expire.
	RefreshIfNeeded(ctx context.Context) error
}

// A Refresher is a Provider that can replace credentials that seem valid but were refused, such as a token
// whose signing key the server has lost.
type Refresher interface {
	Provider
	// Refresh obtains other credentials than those in the headers that a server refused, without asking
	// the user. If that has been done meanwhile, also by another process, it does nothing.
	Refresh(ctx context.Context, refused map[string]string) error
}

// static is embedded by providers whose credentials do not expire.
type static struct{}

// RefreshIfNeeded does nothing.
func (static) RefreshIfNeeded(ctx context.Context) error { return ctx.Err() }

// Anonymous is a Provider that sends no credentials.
type Anonymous struct{ static }

// Headers returns none.
func (Anonymous) Headers(ctx context.Context) (map[string]string, error) { return nil, ctx.Err() }

// Basic is a Provider that sends a user name and a password. It is meant for local development, not
// for production.
type Basic struct {
	static
	username string
	password Secret
}

// NewBasic returns a provider for a user name and a password.
func NewBasic(username string, password Secret) *Basic {
	return &Basic{username: username, password: password}
}

// Headers returns "Authorization: Basic" with user name and password as UTF-8 in base64.
func (b *Basic) Headers(ctx context.Context) (map[string]string, error) {
	pair := b.username + ":" + b.password.Reveal()
	return header(ctx, "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
}

// PAT is a Provider that sends a personal access token. These tokens live long and can be revoked,
// which suits automation. The platform has them from version 2.38 on.
type PAT struct {
	static
	token Secret
}

// NewPAT returns a provider for a personal access token.
func NewPAT(token Secret) *PAT { return &PAT{token: token} }

// Headers returns "Authorization: ApiToken" with the token.
func (p *PAT) Headers(ctx context.Context) (map[string]string, error) {
	return header(ctx, "Authorization", "ApiToken "+p.token.Reveal())
}

func header(ctx context.Context, name, value string) (map[string]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return map[string]string{name: value}, nil
}
