package platform

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/auth"
)

// TestErrors: Platform client, section 7: the hierarchy of errors, shared by all majors.
// Platform toolkit, section 2.5.
// Rows of docs/platform.md: 7.13.
func TestErrors(t *testing.T) {
	find := map[string]func(error) bool{
		"client":      as[ClientError],
		"api":         as[*APIError],
		"auth":        as[*AuthenticationError],
		"flow":        as[*auth.FlowError],
		"unsupported": as[*UnsupportedVersionError],
		"mismatch":    as[*VersionPinMismatchError],
		"lookup":      as[*LookupError],
	}
	for _, test := range []struct {
		err  error
		is   []string
		text string
	}{
		{newAPIError(Request{}, 409, nil), []string{"client", "api"}, "API error (409): Conflict"},
		{&AuthenticationError{Method: "GET", Path: "/api/me", Status: 401}, []string{"client", "auth"}, "authentication failed (401): GET /api/me"},
		{&auth.FlowError{Kind: auth.ErrDenied}, []string{"client", "flow"}, "OAuth2: authorization failed"},
		{&UnsupportedVersionError{Version: "2.40.1", Available: Majors(), why: "it is older than 41, end of life"}, []string{"client", "unsupported"}, `version "2.40.1" of the platform is not supported: it is older than 41, end of life; supported are v41, v42, v43`},
		{&VersionPinMismatchError{Pinned: 43, Reported: "2.42.4"}, []string{"client", "mismatch", "unsupported"}, `the client is pinned to v43, but the platform reports version "2.42.4"; correct the version, or leave it out`},
		{&LookupError{ErrRouteNotFound, "lab", nil}, []string{"lookup"}, `no route has this code: "lab"`},
		{&LookupError{ErrUnknownResource, "x", []string{"a", "b"}}, []string{"lookup"}, `unknown type of resource: "x"; did you mean a, b?`},
	} {
		wrapped := fmt.Errorf("outer: %w", test.err)
		for kind, as := range find {
			if got := as(wrapped); got != slices.Contains(test.is, kind) {
				t.Errorf("%T is %s: %v", test.err, kind, got)
			}
		}
		if test.err.Error() != test.text {
			t.Errorf("%q, want %q", test.err, test.text)
		}
	}
	kinds := []error{ErrRouteNotFound, ErrUserNotFound, ErrUnknownResource, ErrInstallTarget}
	for i, kind := range kinds {
		err := error(&LookupError{kind, "x", nil})
		for j, other := range kinds {
			if errors.Is(err, other) != (i == j) || !errors.Is(err, ErrLookup) {
				t.Errorf("%v is %v", kind, other)
			}
		}
	}
}

func as[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

// TestHints: Platform client, section 5, effects of missing keys: 401 invalid issuer, 401
// for every token; and the openId of section 1.6.8 of the platform toolkit.
// Rows of docs/platform.md: 2.5.4, 2.5.5, 5.8, 5.10.
func TestHints(t *testing.T) {
	for _, test := range []struct{ scheme, challenge, want string }{
		{"Bearer", `Bearer error="invalid_token", error_description="Invalid issuer"`, "server.base.url"},
		{"Bearer", `Bearer error="invalid_token", error_description="Found no matching user for the mapping claim: sub"`, "openId"},
		{"Bearer", `Bearer`, "oidc.jwt.token.authentication.enabled = on"},
		{"ApiToken", `Bearer error_description="Invalid issuer"`, hintPAT},
		{"Basic", ``, hintBasic},
		{"Unknown", ``, ""},
	} {
		c := serve(t, Options{}, answer(401, "", "WWW-Authenticate", test.challenge))
		_, err := c.Do(t.Context(), Request{Path: "/api/x", Header: http.Header{"Authorization": {test.scheme + " planted"}}})
		var refused *AuthenticationError
		if !errors.As(err, &refused) || !strings.Contains(refused.Hint, test.want) || test.want == "" && refused.Hint != "" {
			t.Errorf("%s, %s: %v", test.scheme, test.challenge, err)
		}
	}
	session, err := auth.NewSessionCookie(auth.NewSecret("JSESSIONID=planted; a=planted2"), auth.NewSecret("planted3"))
	if err != nil {
		t.Fatal(err)
	}
	c := serve(t, Options{}, answer(302, "", "Location", "https://idp.example/saml/start"))
	c.provider = session
	if err := c.get(t.Context(), "/api/x", nil, nil); err == nil || !strings.Contains(err.Error(), hintSession) {
		t.Error(err)
	}
}

// TestNothingSentIsShown: a server that repeats what was sent does not bring it into
// errors.
// Rows of docs/platform.md: 2.2.5.
func TestNothingSentIsShown(t *testing.T) {
	session, err := auth.NewSessionCookie(auth.NewSecret("JSESSIONID=planted-a; b=planted-b"), auth.NewSecret("planted-c"))
	if err != nil {
		t.Fatal(err)
	}
	for _, provider := range []auth.Provider{session, auth.NewPAT(auth.NewSecret("planted-d")), auth.NewBasic("ada", auth.NewSecret("planted-e"))} {
		for _, status := range []int{302, 401, 409} {
			c := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				text := "no " + strings.Join(append(r.Header["Authorization"], r.Header["Cookie"]...), " ") + " planted-a planted-b planted-e " + r.Header.Get("X-Xsrf-Token") + " " + r.URL.Path
				answer(status, `{"status":"ERROR","message":"`+text+`"}`, "WWW-Authenticate", `Bearer error_description="`+text+`"`, "Location", r.URL.Path)(w, r)
			})
			c.provider = provider
			planted := []string{"planted-f", "planted-d"}
			switch provider.(type) {
			case *auth.SessionCookie:
				planted = append(planted, "planted-a", "planted-b", "planted-c")
			case *auth.Basic:
				planted = append(planted, "planted-e", "YWRhOnBsYW50ZWQtZQ==")
			}
			_, err := c.Do(t.Context(), Request{Path: "/api/planted-f", Secrets: []auth.Secret{auth.NewSecret("planted-f")}})
			if err == nil {
				t.Fatal("no error")
			}
			text := err.Error()
			var refused *APIError
			if errors.As(err, &refused) {
				text += string(refused.Body) + refused.Path
			}
			for _, secret := range planted {
				if strings.Contains(text, secret) {
					t.Errorf("%T, %d: %s is in %s", provider, status, secret, text)
				}
			}
		}
	}
	if s := credentials(http.Header{"Authorization": {"Basic YTpi"}}); s.masked("able was I") != "able was I" {
		t.Error("a password of one letter masks every message")
	}
}

// TestChallenge: RFC 9110, section 11.6.1.
func TestChallenge(t *testing.T) {
	for header, want := range map[string]string{
		`Bearer error="a", error_description="b, \"c\""`:          `b, "c"`,
		`Basic realm="error_description=no", error_description=x`: `x`,
		`Bearer ERROR_DESCRIPTION = "y"`:                          `y`,
		`Bearer error_description="open`:                          `open`,
		`Bearer error_description=`:                               ``,
		`"`:                                                       ``,
		`,,=,`:                                                    ``,
	} {
		if got := challenge([]string{"Negotiate", header}, "error_description"); got != want {
			t.Errorf("%s: %q", header, got)
		}
	}
}
