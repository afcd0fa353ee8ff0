package auth

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

const mask = "**********"

// A Secret is a credential: a password, token, cookie or client secret. Nothing prints it: fmt,
// encoders, logs, errors and dumps of enclosing values show a mask, or "" if the secret is empty.
// Only Reveal returns the value. The zero Secret is empty. Platform toolkit, section 1.4.
//
// The value is in a closure, because reflection follows pointers and unexported fields but cannot
// look into a closure. Compare secrets with Equal, not ==.
type Secret struct{ reveal func() string }

// NewSecret returns a secret with a value.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{func() string { return value }}
}

// Reveal returns the value. Call it only to write a header, a request, a profile or a token.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// IsZero reports whether the secret is empty. The omitzero option of encoding/json calls it.
func (s Secret) IsZero() bool { return s.reveal == nil }

// Equal reports whether both secrets have the same value. Its time depends on the lengths only.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String returns the mask.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return mask
}

// GoString returns the mask.
func (s Secret) GoString() string { return s.String() }

// Format writes the mask for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue returns the mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns the mask. Encoders of JSON, XML, TOML and YAML call it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
