// Package keyring stores OAuth2 tokens in the keyring of the system, or in a file that is encrypted
// with a passphrase. Both types are stores like tokenstore.Store.
package keyring

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/zalando/go-keyring"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/internal/filelock"
)

// service is the name under which the keyring lists the tokens.
const service = "platform-oauth2"

// ErrUnavailable is returned when the system has no keyring, or the keyring refuses.
var ErrUnavailable = errors.New("the keyring of the system cannot be used; store the tokens of the profile in a file: --token-store file")

// errNoSession replaces the error of the D-Bus library, which tries to start a program that is
// not installed.
var errNoSession = errors.New("there is no D-Bus session")

// System is an auth.TokenStore and auth.Locker in the keyring of the system: the Secret Service on
// Linux, the Keychain on macOS, the Credential Manager on Windows.
type System struct {
	folder string
	mu     sync.Mutex // the keyring is called by one goroutine at a time
}

var (
	_ auth.TokenStore = (*System)(nil)
	_ auth.Locker     = (*System)(nil)
)

// NewSystem returns a store in the keyring of the system, for the profiles in a folder. Profiles of
// the same name in other folders have tokens of their own. The lock files are in the folder, which
// is created when it is needed.
func NewSystem(folder string) *System {
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	return &System{folder: folder}
}

// account is the name under which the keyring stores the token of a key.
func (s *System) account(key string) string { return key + " " + s.folder }

// Get returns the token of a key, or nil.
func (s *System) Get(ctx context.Context, key string) (token *auth.OAuth2Token, err error) {
	err = s.do(ctx, func() error {
		text, err := keyring.Get(service, s.account(key))
		if errors.Is(err, keyring.ErrNotFound) {
			return nil
		}
		if err != nil {
			return unavailable(err)
		}
		token, err = auth.ParseToken([]byte(text))
		return err
	})
	if err != nil {
		return nil, err
	}
	return token, nil
}

// Set stores a token and replaces the one before. Some systems limit the size of a secret. There
// the access token is left out, and the provider refreshes it when it is needed.
func (s *System) Set(ctx context.Context, key string, token *auth.OAuth2Token) error {
	return s.do(ctx, func() error {
		return fit(token, func(text string) error { return keyring.Set(service, s.account(key), text) })
	})
}

// fit stores a token, without its access token if the whole is too big.
func fit(token *auth.OAuth2Token, set func(text string) error) error {
	text, err := auth.RevealToken(token)
	if err != nil {
		return err
	}
	err = set(string(text))
	if !errors.Is(err, keyring.ErrSetDataTooBig) || token.RefreshToken.IsZero() {
		return unavailable(err)
	}
	short := *token
	short.AccessToken, short.ExpiresAt = auth.Secret{}, 0
	if text, err = auth.RevealToken(&short); err != nil {
		return err
	}
	return unavailable(set(string(text)))
}

// Delete removes the token of a key, if there is one.
func (s *System) Delete(ctx context.Context, key string) error {
	return s.do(ctx, func() error {
		if err := keyring.Delete(service, s.account(key)); !errors.Is(err, keyring.ErrNotFound) {
			return unavailable(err)
		}
		return nil
	})
}

// Lock waits for the lock of a key.
func (s *System) Lock(ctx context.Context, key string) (unlock func(), err error) {
	return filelock.Lock(ctx, filelock.Key(filepath.Join(s.folder, "keyring"), key))
}

// Close does nothing: the keyring is opened by each call.
func (*System) Close() error { return nil }

// do calls the keyring, which may ask the user and takes no context. When the context ends, the
// call goes on without its caller.
func (s *System) do(ctx context.Context, call func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		done <- call()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func unavailable(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		err = errNoSession
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
