package platform

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/roget-health/roget/auth"
)

// renewing is a provider of tokens that can be refreshed some times.
type renewing struct {
	token string
	left  int
	calls int
}

func (r *renewing) RefreshIfNeeded(context.Context) error { return nil }

func (r *renewing) Headers(context.Context) (map[string]string, error) {
	return map[string]string{"Authorization": "Bearer " + r.token}, nil
}

func (r *renewing) Refresh(_ context.Context, refused map[string]string) error {
	r.calls++
	if refused["Authorization"] != "Bearer "+r.token {
		return errors.New("another token was refused")
	}
	if r.left--; r.left < 0 {
		return errors.New("the refresh token was revoked")
	}
	r.token += "+"
	return nil
}

// TestRefusedToken: a request whose token is refused is sent once more with another token, its body too; then
// the usual advice follows. Rules by version, V10.
func TestRefusedToken(t *testing.T) {
	for _, test := range []struct {
		name     string
		accepted string
		left     int
		requests int
		calls    int
		want     string
	}{
		{"fresh", "t", 1, 1, 0, ""},
		{"refreshed", "t+", 1, 2, 1, ""},
		{"refused again", "t++", 9, 2, 1, "log in again"},
		{"not refreshed", "t+", 0, 1, 1, "could not be refreshed: the refresh token was revoked"},
	} {
		var bodies []string
		provider := &renewing{token: "t", left: test.left}
		c := serve(t, Options{Retry: &RetryPolicy{}}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == loginConfigPath {
				answer(200, `{"apiVersion":"2.42.7"}`)(w, r)
				return
			}
			body, _ := io.ReadAll(r.Body)
			bodies = append(bodies, string(body))
			if r.Header.Get("Authorization") != "Bearer "+test.accepted {
				answer(401, "", "WWW-Authenticate", `Bearer error="invalid_token"`)(w, r)
			}
		})
		c.provider = provider
		_, err := c.Do(t.Context(), Request{Method: http.MethodPost, Path: "/api/x", Body: []byte("body")})
		if (err == nil) != (test.want == "") || err != nil && (!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "oidc.jwt")) {
			t.Errorf("%s: %v", test.name, err)
		}
		if len(bodies) != test.requests || strings.Join(bodies, "") != strings.Repeat("body", test.requests) || provider.calls != test.calls {
			t.Errorf("%s: %q, %d refreshes", test.name, bodies, provider.calls)
		}
	}
}

// TestTokenHints: rules by version, V1, V2 and V4: hints are for the version that refuses a token, which it
// reports without a login.
func TestTokenHints(t *testing.T) {
	for _, test := range []struct{ version, said, want, not string }{
		{"2.42.5", "Invalid mapping claim", hintClaim, ""},
		{"2.42.5", "Invalid audience", "remove that provider", ""},
		{"2.42.4", "Invalid audience", "set it to the client id", "remove"},
		{"", "Invalid audience", "set it to the client id", "remove"},
		{"2.43.2", "Found no matching user for the mapping claim: 'username' with the value: 'null'", hintUsername, "openId"},
		{"2.43.2", "Found no matching user for the mapping claim: 'username' with the value: 'eve'", hintNoUser, "openId"},
		{"2.42.4", "Found no matching user for the mapping claim: 'sub' with the value: 'eve'", hintOpenID, ""},
		{"2.42.4", "Invalid issuer", "oidc.provider.<name>", "before 2.42.5"},
		{"2.42.5", "Invalid issuer", "server.base.url", "oidc.provider"},
		{"", "Invalid issuer", "before 2.42.5", ""},
		{"2.42.4", "", "oidc.jwt.token.authentication.enabled = on", "before 2.42.5"},
		{"2.42.7", "", "log in again", "oidc.jwt"},
	} {
		c := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == loginConfigPath && r.Header.Get("Authorization") != "":
				t.Error("a token is sent to the login page")
			case r.URL.Path == loginConfigPath:
				answer(200, `{"apiVersion":"`+test.version+`"}`)(w, r)
			default:
				answer(401, "", "WWW-Authenticate", `Bearer error_description="`+test.said+`"`)(w, r)
			}
		})
		c.provider = &renewing{token: "t"}
		_, err := c.Do(t.Context(), Request{Path: "/api/x"})
		var refused *AuthenticationError
		if !errors.As(err, &refused) || !strings.Contains(refused.Hint, test.want) || test.not != "" && strings.Contains(refused.Hint, test.not) {
			t.Errorf("%s, %s: %v", test.version, test.said, err)
		}
	}
}

// TestMissingXSRF: a session without an XSRF token learns why its writes are refused.
func TestMissingXSRF(t *testing.T) {
	for _, test := range []struct {
		method, token string
		hint          bool
	}{{http.MethodPost, "", true}, {http.MethodDelete, "", true}, {http.MethodPost, "given", false}, {http.MethodGet, "", false}} {
		session, err := auth.NewSessionCookie(auth.NewSecret("JSESSIONID=x"), auth.NewSecret(test.token))
		if err != nil {
			t.Fatal(err)
		}
		c := serve(t, Options{}, answer(403, `{"message":"Forbidden"}`))
		c.provider = session
		_, err = c.Do(t.Context(), Request{Method: test.method, Path: "/api/x"})
		var refused *APIError
		if !errors.As(err, &refused) || (refused.Hint() != "") != test.hint || test.hint && !strings.Contains(refused.Hint(), "PLATFORM_SESSION_XSRF") {
			t.Errorf("%+v: %v", test, err)
		}
	}
}
