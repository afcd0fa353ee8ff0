// Package login builds the auth.Provider of any profile, opens the token store of an OAuth2
// profile, and logs in. Platform toolkit, sections 1.5.2 and 3.1.
package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/keyring"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/auth/tokenstore"
)

// PassphraseVariable is the environment variable with the passphrase of the encrypted token file.
const PassphraseVariable = "PLATFORM_TOKEN_PASSPHRASE"

// A Passphrase returns the passphrase of the encrypted token file. It is called when a token is
// first read or stored.
type Passphrase func(ctx context.Context) (auth.Secret, error)

// Options are what BuildAuth needs besides a profile. The zero Options are those of a program that
// runs in a terminal.
type Options struct {
	Store      auth.TokenStore         // the store that the profile names if nil
	Passphrase Passphrase              // the value of PassphraseVariable if nil
	NoBrowser  bool                    // print addresses instead of opening them
	Capture    oauth2.RedirectCapturer // replaces browser and listener
	Transport  http.RoundTripper       // to the platform; http.DefaultTransport if nil
	Notice     io.Writer               // for messages to the user; standard error if nil

	OpenBrowser func(ctx context.Context, url string) error // the system's browser if nil

	Advice auth.Advice // for the version of the platform; for any version if zero
}

// A Store stores the tokens of profiles. Processes may share it.
type Store interface {
	auth.TokenStore
	auth.Locker
	// Delete removes the token of a key, if there is one.
	Delete(ctx context.Context, key string) error
	// Close releases the store. It cannot be used afterwards.
	Close() error
}

// StoreKey returns the key of a profile's token in a store: profile:NAME.
func StoreKey(name string) string { return "profile:" + name }

// OpenStore returns the token store that a profile names. Files lie beside the file of the profile.
// Nothing is opened, and no passphrase is asked for, before the store is used.
func OpenStore(p profile.Resolved, passphrase Passphrase) (Store, error) {
	switch p.Profile.TokenStore {
	case "", profile.SQLite:
		return tokenstore.New(filepath.Join(p.Folder, tokenstore.FileName)), nil
	case profile.Keyring:
		return keyring.NewSystem(p.Folder), nil
	case profile.File:
		if passphrase == nil {
			passphrase = passphraseOfEnvironment
		}
		return keyring.NewFile(filepath.Join(p.Folder, keyring.FileName), passphrase), nil
	}
	return nil, &auth.FieldError{Field: "token_store", Err: fmt.Errorf("%q is none of %v", p.Profile.TokenStore, profile.TokenStores())}
}

func passphraseOfEnvironment(context.Context) (auth.Secret, error) {
	if value := os.Getenv(PassphraseVariable); value != "" {
		return auth.NewSecret(value), nil
	}
	return auth.Secret{}, errors.New("the tokens are encrypted; set " + PassphraseVariable + " to their passphrase")
}

// CheckStore reports by an error that the token of a profile could not be stored, so that nobody
// signs in for nothing. A damaged token is no error: a login replaces it.
func CheckStore(ctx context.Context, store auth.TokenStore, name string) error {
	_, err := store.Get(ctx, StoreKey(name))
	if errors.Is(err, auth.ErrTokenDamaged) {
		return nil
	}
	if file, is := store.(*keyring.File); is && err == nil {
		err = file.Check(ctx)
	}
	return err
}

// BuildAuth returns the provider of a profile of any kind. A missing or wrong member is an
// auth.FieldError.
func BuildAuth(p profile.Resolved, options Options) (auth.Provider, error) {
	if p.Profile.Auth != profile.OAuth2 {
		return profile.BuildAuthProvider(p.Profile)
	}
	return OAuth2(p, options)
}

// OAuth2 returns the provider of an OAuth2 profile. For other kinds it returns an auth.FieldError.
func OAuth2(p profile.Resolved, options Options) (*oauth2.Provider, error) {
	if err := p.Profile.Check(); err != nil {
		return nil, err
	}
	if p.Profile.Auth != profile.OAuth2 {
		return nil, &auth.FieldError{Field: "auth", Err: fmt.Errorf("it is %s; only profiles with auth = \"oauth2\" log in", p.Profile.Auth)}
	}
	if options.Store == nil {
		store, err := OpenStore(p, options.Passphrase)
		if err != nil {
			return nil, err
		}
		options.Store = store
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
		Advice:       options.Advice,
	})
}

// Login checks that the store works and that the server has OAuth2, lets the user sign in, and
// replaces the stored token. If anything fails, the stored token stays.
func Login(ctx context.Context, p profile.Resolved, options Options) error {
	if options.Store == nil {
		store, err := OpenStore(p, options.Passphrase)
		if err != nil {
			return err
		}
		defer func() { _ = store.Close() }() // every write is durable already
		options.Store = store
	}
	provider, err := OAuth2(p, options)
	if err != nil {
		return err
	}
	if err := CheckStore(ctx, options.Store, p.Name); err != nil {
		return err
	}
	if _, err := provider.Preflight(ctx); err != nil {
		return err
	}
	return provider.Login(ctx)
}
