package auth

import (
	"context"
	"encoding/base64"
)

// A Provider authenticates requests: a client asks it for headers before each one.
// Platform toolkit, section 1.1. Both methods honour the context and may be called by
// many goroutines at a time.
type Provider interface {
	// Headers returns the headers to apply to the next request, by name.
	Headers(ctx context.Context) (map[string]string, error)
	// RefreshIfNeeded refreshes credentials that are close to expiry. It does nothing
	// where credentials do not expire.
	RefreshIfNeeded(ctx context.Context) error
}

// static is embedded by providers whose credentials do not expire.
type static struct{}

// RefreshIfNeeded does nothing.
func (static) RefreshIfNeeded(ctx context.Context) error { return ctx.Err() }

// Basic sends a user name and a password: for local development, not for production.
type Basic struct {
	static
	username string
	password Secret
}

// NewBasic makes a provider of a user name and a password.
func NewBasic(username string, password Secret) *Basic {
	return &Basic{username: username, password: password}
}

// Headers returns Authorization: Basic with both in base64, as UTF-8.
func (b *Basic) Headers(ctx context.Context) (map[string]string, error) {
	pair := b.username + ":" + b.password.Reveal()
	return header(ctx, "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
}

// PAT sends a personal access token, which lives long and can be revoked: for automation.
// The platform has such tokens from version 2.38.
type PAT struct {
	static
	token Secret
}

// NewPAT makes a provider of a personal access token.
func NewPAT(token Secret) *PAT { return &PAT{token: token} }

// Headers returns Authorization: ApiToken.
func (p *PAT) Headers(ctx context.Context) (map[string]string, error) {
	return header(ctx, "Authorization", "ApiToken "+p.token.Reveal())
}

func header(ctx context.Context, name, value string) (map[string]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return map[string]string{name: value}, nil
}
