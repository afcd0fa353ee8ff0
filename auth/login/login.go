// Package login makes providers of profiles of every kind, those of OAuth2 with their
// store of tokens, and logs in. Platform toolkit, sections 1.5.2 and 3.1.
package login

import (
	"context"
	"io"
	"net/http"
	"path/filepath"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/auth/tokenstore"
)

// Options are what BuildAuth needs besides a profile.
type Options struct {
	Store     auth.TokenStore         // OpenStore of the profile where nil
	NoBrowser bool                    // print addresses instead of opening them
	Capture   oauth2.RedirectCapturer // in place of browser and listener
	Transport http.RoundTripper       // to the platform; http.DefaultTransport where nil
	Notice    io.Writer               // what the user must read; standard error where nil

	OpenBrowser func(ctx context.Context, url string) error // the system's browser where nil
}

// StoreKey is the key of the token of a profile: profile:NAME.
func StoreKey(name string) string { return "profile:" + name }

// OpenStore returns the store of tokens beside the file a profile is in. Nothing is opened
// until it is used.
func OpenStore(p profile.Resolved) *tokenstore.Store {
	return tokenstore.New(filepath.Join(p.Folder, tokenstore.FileName))
}

// BuildAuth makes the provider of a profile of any kind. What is missing or wrong is an
// auth.FieldError.
func BuildAuth(p profile.Resolved, options Options) (auth.Provider, error) {
	if p.Profile.Auth != profile.OAuth2 {
		return profile.BuildAuthProvider(p.Profile)
	}
	return OAuth2(p, options)
}

// OAuth2 makes the provider of a profile of OAuth2; another kind is an auth.FieldError.
func OAuth2(p profile.Resolved, options Options) (*oauth2.Provider, error) {
	if err := p.Profile.Check(); err != nil {
		return nil, err
	}
	if p.Profile.Auth != profile.OAuth2 {
		return nil, &auth.FieldError{Field: "auth", Err: notOAuth2(p.Profile.Auth)}
	}
	if options.Store == nil {
		options.Store = OpenStore(p)
	}
	return oauth2.New(oauth2.Config{
		BaseURL:      p.Profile.BaseURL,
		ClientID:     p.Profile.ClientID,
		ClientSecret: p.Profile.ClientSecret,
		Scope:        p.Profile.Scope,
		RedirectURI:  p.Profile.RedirectURI,
		Store:        options.Store,
		StoreKey:     StoreKey(p.Name),
		NoBrowser:    options.NoBrowser,
		Capture:      options.Capture,
		Transport:    options.Transport,
		Notice:       options.Notice,
		OpenBrowser:  options.OpenBrowser,
	})
}

type notOAuth2 profile.Kind

func (k notOAuth2) Error() string {
	return "it is " + string(k) + "; only profiles of oauth2 log in"
}

// Login checks that the server has OAuth2, has the user sign in, and stores the token in
// place of the one before, which stays if anything fails.
func Login(ctx context.Context, p profile.Resolved, options Options) error {
	provider, err := OAuth2(p, options)
	if err != nil {
		return err
	}
	if _, err := provider.Preflight(ctx); err != nil {
		return err
	}
	return provider.Login(ctx)
}
