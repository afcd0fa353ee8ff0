package platform

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/roget-health/roget/auth"
)

// provide lets a provider refresh its credentials, sets its headers, and returns them.
func provide(ctx context.Context, provider auth.Provider, header http.Header) (map[string]string, error) {
	if err := provider.RefreshIfNeeded(ctx); err != nil {
		return nil, err
	}
	headers, err := provider.Headers(ctx)
	for name, value := range headers {
		if auth.HasControl(value) {
			return nil, fmt.Errorf("the header %s of the credentials contains a control character, which a header must not have; enter the credentials again", name)
		}
		header.Set(name, value)
	}
	return headers, err
}

// sent has the secrets of a request. A server may repeat them in its response.
type sent struct {
	scheme  string // of Authorization, or Cookie
	secrets []string
	headers map[string]string // of the provider
	refresh error             // why a token that was refused was not refreshed
}

// minMasked is the length from which a secret is masked. Masking shorter secrets would make messages
// unreadable.
const minMasked = 4

func (s *sent) add(secret string) {
	if len(secret) >= minMasked {
		s.secrets = append(s.secrets, secret)
	}
}

func (s *sent) masked(text string) string { return auth.Redact(text, s.secrets...) }

// credentials returns the secrets in headers: the credentials of Authorization, the password of Basic,
// Cookie and the value of each cookie, and the CSRF token.
func credentials(header http.Header) (s sent) {
	if value := header.Get("Authorization"); value != "" {
		scheme, secret, _ := strings.Cut(value, " ")
		s.scheme = scheme
		s.add(secret)
		if pair, err := base64.StdEncoding.DecodeString(secret); err == nil && strings.EqualFold(scheme, "Basic") {
			_, password, _ := strings.Cut(string(pair), ":")
			s.add(password)
		}
	}
	if value := header.Get("Cookie"); value != "" {
		s.scheme = cmp.Or(s.scheme, "Cookie")
		s.add(value)
		for _, cookie := range strings.Split(value, ";") {
			_, value, _ := strings.Cut(cookie, "=")
			s.add(strings.TrimSpace(value))
		}
	}
	s.add(header.Get("X-Xsrf-Token"))
	return s
}
