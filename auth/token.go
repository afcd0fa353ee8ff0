package auth

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"
)

// What OAuth2 has where nothing else is said. Platform toolkit, section 1.5.1.
const (
	DefaultScope       = "ALL"
	DefaultRedirectURI = "http://localhost:8765"
)

// OAuth2Token is what a token endpoint gave. Platform toolkit, section 1.6.1.
type OAuth2Token struct {
	AccessToken  Secret  `json:"access_token"`
	RefreshToken Secret  `json:"refresh_token,omitzero"` // empty where there is none
	ExpiresAt    float64 `json:"expires_at"`             // seconds since 1970
	BaseURL      string  `json:"base_url,omitempty"`     // whom the token is for
	ClientID     string  `json:"client_id,omitempty"`
}

// RefreshWindow is how long before its expiry a token is refreshed.
const RefreshWindow = 60 * time.Second

// Fresh reports whether the token expires more than RefreshWindow after now.
func (t *OAuth2Token) Fresh(now time.Time) bool {
	return !t.AccessToken.IsZero() && t.ExpiresAt-UnixSeconds(now) > RefreshWindow.Seconds()
}

// UnixSeconds returns a time as the seconds since 1970.
func UnixSeconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// TokenStore keeps tokens by key. Platform toolkit, section 1.6.2.
type TokenStore interface {
	// Get returns the token of a key, nil where there is none.
	Get(ctx context.Context, key string) (*OAuth2Token, error)
	// Set stores a token in place of the one before.
	Set(ctx context.Context, key string, token *OAuth2Token) error
}

// Locker is a TokenStore that processes share. Who refreshes a token holds the lock of
// its key from reading the token to storing the next, so that no refresh token is used
// twice.
type Locker interface {
	// Lock waits for the lock of a key. It ends with unlock, or with the process.
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// plain is a token with its secrets in the open, as stores of text keep it.
type plain struct {
	AccessToken  string  `json:"access_token"`
	RefreshToken string  `json:"refresh_token,omitempty"`
	ExpiresAt    float64 `json:"expires_at"`
	BaseURL      string  `json:"base_url,omitempty"`
	ClientID     string  `json:"client_id,omitempty"`
}

// RevealToken returns a token as JSON with its secrets in the open, for a store to keep.
func RevealToken(t *OAuth2Token) ([]byte, error) {
	if math.IsNaN(t.ExpiresAt) || math.IsInf(t.ExpiresAt, 0) {
		return nil, errors.New("expires_at is not a number")
	}
	return json.Marshal(plain{t.AccessToken.Reveal(), t.RefreshToken.Reveal(), t.ExpiresAt, t.BaseURL, t.ClientID})
}

// ErrTokenDamaged is returned when a stored token cannot be read.
var ErrTokenDamaged = errors.New("the stored token is damaged; log in again")

// ParseToken reads a token that RevealToken wrote. Its error is ErrTokenDamaged.
func ParseToken(text []byte) (*OAuth2Token, error) {
	var s plain
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, ErrTokenDamaged
	}
	return &OAuth2Token{NewSecret(s.AccessToken), NewSecret(s.RefreshToken), s.ExpiresAt, s.BaseURL, s.ClientID}, nil
}
