package oauth2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
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
// or the refresh is refused. A server that does not answer has refused nothing. Platform toolkit, section
// 1.6.3.
type Provider struct {
	config Config
	turn   chan struct{} // full while a goroutine obtains a token

	mu   sync.Mutex
	last *auth.OAuth2Token
}

var _ auth.Refresher = (*Provider)(nil)

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
	token, err := p.token(ctx, wish{})
	if err != nil {
		return nil, err
	}
	return map[string]string{"Authorization": "Bearer " + token.AccessToken.Reveal()}, nil
}

// RefreshIfNeeded obtains the token that Headers needs.
func (p *Provider) RefreshIfNeeded(ctx context.Context) error {
	_, err := p.token(ctx, wish{})
	return err
}

// Refresh obtains another token than the refused one with the refresh token, unless the store has another
// one already. It never asks the user to sign in.
func (p *Provider) Refresh(ctx context.Context, refused map[string]string) error {
	_, err := p.token(ctx, wish{refused: auth.NewSecret(strings.TrimPrefix(refused["Authorization"], "Bearer "))})
	return err
}

// Login asks the user to sign in, even if a token is stored. The new token replaces the stored token.
// If the flow fails, the stored token stays.
func (p *Provider) Login(ctx context.Context) error {
	_, err := p.token(ctx, wish{login: true})
	return err
}

// A wish describes the token to obtain. The zero wish is any fresh token.
type wish struct {
	login   bool        // a new one, by signing in
	refused auth.Secret // another one than this, without signing in
}

// grants reports whether a token fulfils the wish.
func (w wish) grants(token *auth.OAuth2Token, now time.Time) bool {
	return token != nil && !w.login && token.Fresh(now) && !token.AccessToken.Equal(w.refused)
}

// token returns a fresh token. Callers take turns, so that one of them refreshes for all.
func (p *Provider) token(ctx context.Context, want wish) (*auth.OAuth2Token, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if token := p.cached(); want.grants(token, p.config.Now()) {
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
		token, err := p.obtain(ctx, want)
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
func (p *Provider) obtain(ctx context.Context, want wish) (*auth.OAuth2Token, error) {
	if token := p.cached(); want.grants(token, p.config.Now()) {
		return token, nil
	}
	if shared, ok := p.config.Store.(auth.Locker); ok {
		unlock, err := shared.Lock(ctx, p.config.StoreKey)
		if err != nil {
			return nil, fmt.Errorf("lock the token %s: %w", p.config.StoreKey, err)
		}
		defer unlock()
	}
	if !want.login {
		token, err := p.renew(ctx, want)
		if token != nil || !want.refused.IsZero() || errors.Is(err, auth.ErrUnavailable) {
			return token, err
		}
		if _, refused := errors.AsType[*auth.FlowError](err); err != nil && !refused {
			return nil, err
		}
		return p.signIn(ctx, err)
	}
	return p.signIn(ctx, nil)
}

// renew returns the stored token if it fulfils the wish, else it refreshes the token. It returns nil if there is
// no token to refresh, and a FlowError if the refresh is refused. If the server is unavailable, renew returns the
// stored token until it expires, and then an error of kind auth.ErrUnavailable.
func (p *Provider) renew(ctx context.Context, want wish) (*auth.OAuth2Token, error) {
	stored, err := p.stored(ctx)
	switch {
	case err != nil:
		return nil, err
	case want.grants(stored, p.config.Now()):
		p.cache(stored)
		return stored, nil
	case (stored == nil || stored.RefreshToken.IsZero()) && !want.refused.IsZero():
		return nil, &auth.FlowError{Kind: auth.ErrLoginNeeded, Detail: "there is no refresh token"}
	case stored == nil || stored.RefreshToken.IsZero():
		return nil, nil
	}
	token, err := p.refresh(ctx, stored)
	switch {
	case err == nil:
		return token, p.keep(ctx, token)
	case !unavailable(err):
		return nil, err
	case want.refused.IsZero() && !stored.AccessToken.IsZero() && stored.ExpiresAt > auth.UnixSeconds(p.config.Now()):
		return stored, nil
	}
	return nil, &auth.FlowError{Kind: auth.ErrUnavailable, Detail: "the token was not refreshed, and the login stays valid; try again later", Err: err}
}

// unavailable reports whether a refresh failed without being refused: there was no response, or status 429 or 5xx.
func unavailable(err error) bool {
	flow, is := errors.AsType[*auth.FlowError](err)
	if !is {
		return false
	}
	_, network := errors.AsType[net.Error](err) // a *url.Error is one
	return flow.Status >= 500 || flow.Status == http.StatusTooManyRequests || network || errors.Is(err, io.ErrUnexpectedEOF)
}

// signIn returns the token of a login. The error contains the error of the refresh before, if there was one.
func (p *Provider) signIn(ctx context.Context, refreshed error) (*auth.OAuth2Token, error) {
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
