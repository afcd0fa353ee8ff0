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

// provide sets the headers of a provider, after it had the time to refresh them.
func provide(ctx context.Context, provider auth.Provider, header http.Header) error {
	if err := provider.RefreshIfNeeded(ctx); err != nil {
		return err
	}
	headers, err := provider.Headers(ctx)
	for name, value := range headers {
		if auth.HasControl(value) {
			return fmt.Errorf("the provider's header %s has a control character, which no header can carry; enter the credentials again", name)
		}
		header.Set(name, value)
	}
	return err
}

// sent is what of a request is secret; a server may repeat it in what it says.
type sent struct {
	scheme  string // of Authorization; Cookie where that is in its place
	secrets []string
}

// leastMasked is how long a secret is at least that is masked: without shorter ones, no
// message could be read.
const leastMasked = 4

func (s *sent) add(secret string) {
	if len(secret) >= leastMasked {
		s.secrets = append(s.secrets, secret)
	}
}

func (s *sent) masked(text string) string { return auth.Redact(text, s.secrets...) }

// credentials returns the secrets in headers: values whole and without their scheme, each
// cookie's, and the password of Basic.
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
