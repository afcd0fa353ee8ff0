// Package keyring keeps OAuth2 tokens in the keyring of the system, or, where there is
// none, in a file that a passphrase encrypts. Both are stores as auth/tokenstore is.
package keyring

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/zalando/go-keyring"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/internal/filelock"
)

// service is the name under which tokens are in the keyring.
const service = "platform-oauth2"

// ErrUnavailable reports whether the system has no keyring, or it cannot be used.
var ErrUnavailable = errors.New("the keyring of the system cannot be used; keep tokens in a file instead")

// System is an auth.TokenStore and auth.Locker in the keyring of the system: the Secret
// Service of Linux, the Keychain of macOS, the Credential Manager of Windows.
type System struct {
	folder string
	mu     sync.Mutex // one call at a time
}

var (
	_ auth.TokenStore = (*System)(nil)
	_ auth.Locker     = (*System)(nil)
)

// NewSystem makes a store in the keyring of the system. Its locks are in a folder, which
// is made when it is needed: that of the profiles, so that programs find the same locks.
func NewSystem(folder string) *System { return &System{folder: folder} }

// Get returns the token of a key, nil where there is none.
func (s *System) Get(ctx context.Context, key string) (token *auth.OAuth2Token, err error) {
	err = s.do(ctx, func() error {
		text, err := keyring.Get(service, key)
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

// Set stores a token in place of the one before. Some systems have little room for a
// secret; there the access token is left out, and is asked for again with the refresh
// token when it is needed.
func (s *System) Set(ctx context.Context, key string, token *auth.OAuth2Token) error {
	return s.do(ctx, func() error {
		return fit(token, func(text string) error { return keyring.Set(service, key, text) })
	})
}

// fit stores a token, or as much of it as there is room for.
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
		if err := keyring.Delete(service, key); !errors.Is(err, keyring.ErrNotFound) {
			return unavailable(err)
		}
		return nil
	})
}

// Lock waits for the lock of a key.
func (s *System) Lock(ctx context.Context, key string) (unlock func(), err error) {
	return filelock.Lock(ctx, filelock.Key(filepath.Join(s.folder, "keyring"), key))
}

// do runs a call of the keyring, which may ask the user and knows no context. Who gives
// up leaves it to itself.
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
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
