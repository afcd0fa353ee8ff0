package authtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/authtest"
	"github.com/roget-health/roget/auth/oauth2"
)

// TestKeysAndUserInfo: Platform client, section 4: GET /oauth2/jwks returns the keys that signed the
// token of a login, GET /userinfo returns its user. The discovery document names both.
// Rows of docs/platform.md: 4.3, 4.5, 5.4.
func TestKeysAndUserInfo(t *testing.T) {
	s := newSetting(t)
	if err := s.login(t); err != nil {
		t.Fatal(err)
	}
	found, err := oauth2.Discover(t.Context(), nil, s.URL, oauth2.DiscoveryTime)
	if err != nil || found.JWKSURI != s.URL+"/oauth2/jwks" || found.UserinfoEndpoint != s.URL+"/userinfo" {
		t.Fatalf("%+v, %v", found, err)
	}
	token := s.stored(t).AccessToken
	_, document := s.ask(t, found.JWKSURI, auth.Secret{})
	keys, err := platformtest.ReadKeys(found.Issuer, document)
	if err != nil {
		t.Fatal(err)
	}
	if subject, err := keys.Verify(token.Reveal()); err != nil || subject != authtest.Username {
		t.Errorf("%q, %v", subject, err)
	}
	for _, test := range []struct {
		token   auth.Secret
		status  int
		subject string
	}{{token, http.StatusOK, authtest.Username}, {auth.NewSecret(token.Reveal() + "x"), http.StatusUnauthorized, ""}, {auth.Secret{}, http.StatusUnauthorized, ""}} {
		status, text := s.ask(t, found.UserinfoEndpoint, test.token)
		var user struct{ Sub string }
		if err := json.Unmarshal(text, &user); err != nil || status != test.status || user.Sub != test.subject {
			t.Errorf("%d %s, %v", status, text, err)
		}
	}
}

// ask sends a GET, with a token unless it is empty.
func (s *setting) ask(t *testing.T, address string, token auth.Secret) (status int, text []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !token.IsZero() {
		request.Header.Set("Authorization", "Bearer "+token.Reveal())
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, text
}
