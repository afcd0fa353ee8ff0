package auth

import (
	"context"
	"errors"
	"strings"
)

// ErrControlCharacter reports whether a credential has a control character, which no header
// can carry.
var ErrControlCharacter = errors.New("it has a control character; copy the value again, without line breaks")

// SessionCookie sends the cookie of a session that exists in a browser. It is for those
// who cannot have personal access tokens: the server is older than 2.38, has tokens
// switched off, or refuses them to the user with 403. When the session ends, a fresh
// cookie is needed.
type SessionCookie struct {
	static
	cookie, xsrf Secret
}

// NewSessionCookie makes a provider of a whole Cookie header, names of cookies included,
// and a token against cross-site requests, which may be empty. A token with a control
// character (0x00-0x1F, 0x7F) is refused with ErrControlCharacter. Platform toolkit,
// section 1.3.
func NewSessionCookie(cookie, xsrfToken Secret) (*SessionCookie, error) {
	if HasControl(xsrfToken.Reveal()) {
		return nil, &FieldError{Field: "xsrf_token", Err: ErrControlCharacter}
	}
	return &SessionCookie{cookie: cookie, xsrf: xsrfToken}, nil
}

// Headers returns Cookie, verbatim, and X-XSRF-TOKEN where there is a token.
func (s *SessionCookie) Headers(ctx context.Context) (map[string]string, error) {
	headers, err := header(ctx, "Cookie", s.cookie.Reveal())
	if err == nil && !s.xsrf.IsZero() {
		headers["X-XSRF-TOKEN"] = s.xsrf.Reveal()
	}
	return headers, err
}

// HasControl reports whether a text has a control character: 0x00-0x1F or 0x7F.
func HasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r == 0x7f })
}
