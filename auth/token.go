package auth

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"
)

// Defaults of OAuth2. Platform toolkit, section 1.5.1.
const (
	DefaultScope       = "ALL"
	DefaultRedirectURI = "http://localhost:8765"
)

// An OAuth2Token is a token that an authorization server issued. Platform toolkit, section 1.6.1.
type OAuth2Token struct {
	AccessToken  Secret  `json:"access_token"`
	RefreshToken Secret  `json:"refresh_token,omitzero"` // may be empty
	ExpiresAt    float64 `json:"expires_at"`             // Unix time in seconds
	BaseURL      string  `json:"base_url,omitempty"`     // server and client that the token is for
	ClientID     string  `json:"client_id,omitempty"`
}

// RefreshWindow is how long before its expiry a token is refreshed.
const RefreshWindow = 60 * time.Second

// Fresh reports whether the token expires more than RefreshWindow after now.
func (t *OAuth2Token) Fresh(now time.Time) bool {
	return !t.AccessToken.IsZero() && t.ExpiresAt-UnixSeconds(now) > RefreshWindow.Seconds()
}

// UnixSeconds returns a time as Unix time in seconds.
func UnixSeconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// A TokenStore stores tokens by key. Platform toolkit, section 1.6.2.
type TokenStore interface {
	// Get returns the token of a key, or nil.
	Get(ctx context.Context, key string) (*OAuth2Token, error)
	// Set stores a token and replaces the one before.
	Set(ctx context.Context, key string, token *OAuth2Token) error
}

// A Locker is a TokenStore that processes share. To refresh a token, a process holds the lock of
// its key from reading the token to storing the next one, so that no refresh token is used twice.
type Locker interface {
	// Lock waits for the lock of a key. The lock ends with unlock or with the process.
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// plain is a token in plain text.
type plain struct {
	AccessToken  string  `json:"access_token"`
	RefreshToken string  `json:"refresh_token,omitempty"`
	ExpiresAt    float64 `json:"expires_at"`
	BaseURL      string  `json:"base_url,omitempty"`
	ClientID     string  `json:"client_id,omitempty"`
}

// RevealToken returns a token as JSON in plain text, for a store.
func RevealToken(t *OAuth2Token) ([]byte, error) {
	if math.IsNaN(t.ExpiresAt) || math.IsInf(t.ExpiresAt, 0) {
		return nil, errors.New("expires_at is not a number")
	}
	return json.Marshal(plain{t.AccessToken.Reveal(), t.RefreshToken.Reveal(), t.ExpiresAt, t.BaseURL, t.ClientID}) //nolint:gosec // a store of tokens writes tokens
}

// ErrTokenDamaged is returned when a stored token cannot be read.
var ErrTokenDamaged = errors.New("the stored token is corrupt; log in again")

// ParseToken reads a token that RevealToken wrote. Its error is ErrTokenDamaged.
func ParseToken(text []byte) (*OAuth2Token, error) {
	var s plain
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, ErrTokenDamaged
	}
	return &OAuth2Token{NewSecret(s.AccessToken), NewSecret(s.RefreshToken), s.ExpiresAt, s.BaseURL, s.ClientID}, nil
}
