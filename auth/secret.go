package auth

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

const mask = "**********"

// Secret is a credential: a password, token, cookie or client secret. Nothing prints it:
// formats, encoders, logs, errors and dumps of values that hold it give a mask, or the
// empty text where it is empty. Only Reveal gives the value. The zero Secret is empty.
// Platform toolkit, section 1.4.
//
// The value is in a closure: reflection, which reaches through pointers and unexported
// fields, cannot look into one. So secrets are compared with Equal, not ==.
type Secret struct{ reveal func() string }

// NewSecret makes a secret of its value.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{func() string { return value }}
}

// Reveal returns the value. It is called where a header, a request, a profile or a token is
// written, and nowhere else.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// IsZero reports whether the secret is empty; the option omitzero of encoding/json asks it.
func (s Secret) IsZero() bool { return s.reveal == nil }

// Equal compares values in a time that depends on their lengths only.
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

// Format writes the mask, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue returns the mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns the mask; encoders of JSON, XML, TOML and YAML ask it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
