package auth

import (
	"context"
	"errors"
	"strings"
)

// ErrControlCharacter is returned when a credential contains a control character, which no header
// can carry.
var ErrControlCharacter = errors.New("it contains a control character; copy the value again, without line breaks")

// SessionCookie is a Provider that sends the cookie of a browser session. It is for users who cannot
// have a personal access token: the server is older than 2.38, has tokens disabled, or refuses them
// to the user with status 403. When the session ends, a new cookie is needed.
type SessionCookie struct {
	static
	cookie, xsrf Secret
}

// NewSessionCookie returns a provider for the value of a Cookie header, cookie names included, and a
// CSRF token, which may be empty. A CSRF token with a control character (0x00-0x1F, 0x7F) is refused
// with ErrControlCharacter. Platform toolkit, section 1.3.
func NewSessionCookie(cookie, xsrfToken Secret) (*SessionCookie, error) {
	if HasControl(xsrfToken.Reveal()) {
		return nil, &FieldError{Field: "xsrf_token", Err: ErrControlCharacter}
	}
	return &SessionCookie{cookie: cookie, xsrf: xsrfToken}, nil
}

// Headers returns Cookie, verbatim, and X-XSRF-TOKEN if there is a CSRF token.
func (s *SessionCookie) Headers(ctx context.Context) (map[string]string, error) {
	headers, err := header(ctx, "Cookie", s.cookie.Reveal())
	if err == nil && !s.xsrf.IsZero() {
		headers["X-XSRF-TOKEN"] = s.xsrf.Reveal()
	}
	return headers, err
}

// HasControl reports whether a text contains a control character: 0x00-0x1F or 0x7F.
func HasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r == 0x7f })
}
