package oauth2

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/roget-health/roget/auth"
)

// grantTime is how long an exchange with the token endpoint and the store may take. A
// refresh that was begun is ended within it even if its caller goes away: the server may
// have used up the old refresh token by then.
const grantTime = 30 * time.Second

// Provider sends access tokens. It takes them from its store, refreshes them within
// auth.RefreshWindow of their expiry, and asks the user where there is no token or it
// cannot be refreshed. Platform toolkit, section 1.6.3.
type Provider struct {
	config Config
	turn   chan struct{} // has room for the one who looks for a token

	mu   sync.Mutex
	last *auth.OAuth2Token
}

var _ auth.Provider = (*Provider)(nil)

// New makes a provider. Its errors name the field of the configuration.
func New(config Config) (*Provider, error) {
	config, err := config.cleaned()
	if err != nil {
		return nil, err
	}
	return &Provider{config: config, turn: make(chan struct{}, 1)}, nil
}

// Headers returns Authorization: Bearer with an access token that lasts more than
// auth.RefreshWindow. It may ask the user, as long as the context lets it.
func (p *Provider) Headers(ctx context.Context) (map[string]string, error) {
	token, err := p.token(ctx, false)
	if err != nil {
		return nil, err
	}
	return map[string]string{"Authorization": "Bearer " + token.AccessToken.Reveal()}, nil
}

// RefreshIfNeeded sees to it that there is a token as Headers gives.
func (p *Provider) RefreshIfNeeded(ctx context.Context) error {
	_, err := p.token(ctx, false)
	return err
}

// Login asks the user, whatever token is stored. The token that comes of it takes the
// place of the stored one; when the flow fails, the stored one stays.
func (p *Provider) Login(ctx context.Context) error {
	_, err := p.token(ctx, true)
	return err
}

// token returns a fresh token. Callers take turns, so one of them refreshes for all.
func (p *Provider) token(ctx context.Context, login bool) (*auth.OAuth2Token, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if token := p.held(); token != nil && !login {
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

// obtain returns a fresh token: the one held or stored, the stored one refreshed, or a new
// one. It has the lock of the key from reading the store to writing it.
func (p *Provider) obtain(ctx context.Context, login bool) (*auth.OAuth2Token, error) {
	if token := p.held(); token != nil && !login {
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
			p.hold(stored)
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
		return nil, fmt.Errorf("%w; before, the refresh failed: %w", err, refreshed)
	}
	if err != nil {
		return nil, err
	}
	return token, p.keep(ctx, token)
}

// stored returns the token of the store; one that was made for another server or client is
// none.
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

// keep stores a token. It is held even where that fails, for the one before may be void.
func (p *Provider) keep(ctx context.Context, token *auth.OAuth2Token) error {
	p.hold(token)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grantTime)
	defer cancel()
	if err := p.config.Store.Set(ctx, p.config.StoreKey, token); err != nil {
		return fmt.Errorf("store the token %s: %w", p.config.StoreKey, err)
	}
	return nil
}

func (p *Provider) hold(token *auth.OAuth2Token) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = token
}

// held returns the token held if it is fresh.
func (p *Provider) held() *auth.OAuth2Token {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil || !p.last.Fresh(p.config.Now()) {
		return nil
	}
	return p.last
}
