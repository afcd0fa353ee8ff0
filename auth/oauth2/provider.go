package oauth2

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/roget-health/roget/auth"
)

// grantTime limits an exchange with the token endpoint, and one with the store. A refresh that has
// begun runs to its end even if the caller gives up, because the server may have invalidated the old
// refresh token by then.
const grantTime = 30 * time.Second

// A Provider is an auth.Provider that sends access tokens. It takes them from its store, refreshes
// them within auth.RefreshWindow of their expiry, and asks the user to sign in if there is no token
// or the refresh fails. Platform toolkit, section 1.6.3.
type Provider struct {
	config Config
	turn   chan struct{} // full while a goroutine obtains a token

	mu   sync.Mutex
	last *auth.OAuth2Token
}

var _ auth.Provider = (*Provider)(nil)

// New returns a provider. Its error is an auth.FieldError.
func New(config Config) (*Provider, error) {
	config, err := config.cleaned()
	if err != nil {
		return nil, err
	}
	return &Provider{config: config, turn: make(chan struct{}, 1)}, nil
}

// Headers returns "Authorization: Bearer" with an access token that is valid for more than
// auth.RefreshWindow. It may ask the user to sign in, until the context ends.
func (p *Provider) Headers(ctx context.Context) (map[string]string, error) {
	token, err := p.token(ctx, false)
	if err != nil {
		return nil, err
	}
	return map[string]string{"Authorization": "Bearer " + token.AccessToken.Reveal()}, nil
}

// RefreshIfNeeded obtains the token that Headers needs.
func (p *Provider) RefreshIfNeeded(ctx context.Context) error {
	_, err := p.token(ctx, false)
	return err
}

// Login asks the user to sign in, even if a token is stored. The new token replaces the stored token.
// If the flow fails, the stored token stays.
func (p *Provider) Login(ctx context.Context) error {
	_, err := p.token(ctx, true)
	return err
}

// token returns a fresh token. Callers take turns, so that one of them refreshes for all.
func (p *Provider) token(ctx context.Context, login bool) (*auth.OAuth2Token, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if token := p.cached(); token != nil && !login {
		return token, nil
	}
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type result struct {
		token *auth.OAuth2Token
		err   error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-p.turn }()
		token, err := p.obtain(ctx, login)
		done <- result{token, err}
	}()
	select {
	case r := <-done:
		return r.token, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// obtain returns a fresh token: the cached token, the stored token, the stored token refreshed, or a
// new token. It holds the lock of the key from reading the store to writing it.
func (p *Provider) obtain(ctx context.Context, login bool) (*auth.OAuth2Token, error) {
	if token := p.cached(); token != nil && !login {
		return token, nil
	}
	if shared, ok := p.config.Store.(auth.Locker); ok {
		unlock, err := shared.Lock(ctx, p.config.StoreKey)
		if err != nil {
			return nil, fmt.Errorf("lock the token %s: %w", p.config.StoreKey, err)
		}
		defer unlock()
	}
	var refreshed error
	if !login {
		stored, err := p.stored(ctx)
		if err != nil {
			return nil, err
		}
		if stored != nil && stored.Fresh(p.config.Now()) {
			p.cache(stored)
			return stored, nil
		}
		if stored != nil && !stored.RefreshToken.IsZero() {
			var token *auth.OAuth2Token
			if token, refreshed = p.refresh(ctx, stored); refreshed == nil {
				return token, p.keep(ctx, token)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	token, err := p.authorize(ctx)
	if err != nil && refreshed != nil {
		return nil, fmt.Errorf("%w; the earlier refresh failed: %w", err, refreshed)
	}
	if err != nil {
		return nil, err
	}
	return token, p.keep(ctx, token)
}

// stored returns the token of the store, or nil if it was issued by another server or for another
// client.
func (p *Provider) stored(ctx context.Context) (*auth.OAuth2Token, error) {
	token, err := p.config.Store.Get(ctx, p.config.StoreKey)
	if err != nil {
		return nil, fmt.Errorf("read the token %s: %w", p.config.StoreKey, err)
	}
	if token != nil && (token.BaseURL != p.config.BaseURL || token.ClientID != p.config.ClientID) {
		return nil, nil
	}
	return token, nil
}

// keep caches and stores a token. The cache keeps it even if storing fails, because the previous
// token may be invalid by now.
func (p *Provider) keep(ctx context.Context, token *auth.OAuth2Token) error {
	p.cache(token)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grantTime)
	defer cancel()
	if err := p.config.Store.Set(ctx, p.config.StoreKey, token); err != nil {
		return fmt.Errorf("store the token %s: %w", p.config.StoreKey, err)
	}
	return nil
}

func (p *Provider) cache(token *auth.OAuth2Token) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = token
}

// cached returns the cached token if it is fresh.
func (p *Provider) cached() *auth.OAuth2Token {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil || !p.last.Fresh(p.config.Now()) {
		return nil
	}
	return p.last
}
