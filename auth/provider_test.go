package auth_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/roget-health/roget/auth"
)

// TestHeaders: section 5 of the platform client, one row each.
// Rows of docs/platform.md: 2.1.1, 2.1.2, 2.1.3, 2.2.1, 2.2.2, 2.2.3, 2.5.1, 2.5.2, 2.5.4,
// 5.1, 5.2, 5.3.
func TestHeaders(t *testing.T) {
	secret := auth.NewSecret
	session := func(cookie, xsrf string) auth.Provider {
		p, err := auth.NewSessionCookie(secret(cookie), secret(xsrf))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, test := range []struct {
		name     string
		provider auth.Provider
		want     map[string]string
	}{
		{"basic", auth.NewBasic("ada", secret("dïstrict:1")), map[string]string{"Authorization": "Basic YWRhOmTDr3N0cmljdDox"}},
		{"personal access token", auth.NewPAT(secret("d2pat_x")), map[string]string{"Authorization": "ApiToken d2pat_x"}},
		{"cookies are sent verbatim", session("A=1; B=2", ""), map[string]string{"Cookie": "A=1; B=2"}},
		{"cookie and token", session("A=1", "t"), map[string]string{"Cookie": "A=1", "X-XSRF-TOKEN": "t"}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if err := test.provider.RefreshIfNeeded(ctx); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got, err := test.provider.Headers(ctx); err != nil || !maps.Equal(got, test.want) {
			t.Errorf("%s: %v, %v", test.name, got, err)
		}
		cancel()
		if _, err := test.provider.Headers(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: canceled: %v", test.name, err)
		}
		if err := test.provider.RefreshIfNeeded(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: canceled: %v", test.name, err)
		}
	}
}

// TestControlCharacters: sections 2.5 and 7 of the platform client.
// Rows of docs/platform.md: 2.5.3, 7.4.
func TestControlCharacters(t *testing.T) {
	for r := range rune(0x100) {
		_, err := auth.NewSessionCookie(auth.NewSecret("A=1"), auth.NewSecret("a"+string(r)))
		if refused := r < 0x20 || r == 0x7f; errors.Is(err, auth.ErrControlCharacter) != refused {
			t.Errorf("%U: %v", r, err)
		}
	}
	var field *auth.FieldError
	if _, err := auth.NewSessionCookie(auth.Secret{}, auth.NewSecret("\r\n")); !errors.As(err, &field) || field.Field != "xsrf_token" {
		t.Errorf("the error does not name the field: %v", err)
	}
}

// TestFresh: section 8 of the platform client, a window of 60 seconds.
// Rows of docs/platform.md: 8.1.
func TestFresh(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for seconds, want := range map[float64]bool{61: true, 60.001: true, 60: false, 59: false, -5: false} {
		token := &auth.OAuth2Token{AccessToken: auth.NewSecret("a"), ExpiresAt: auth.UnixSeconds(now) + seconds}
		if token.Fresh(now) != want {
			t.Errorf("%g s before expiry: fresh is %v", seconds, !want)
		}
	}
	if (&auth.OAuth2Token{ExpiresAt: 1e12}).Fresh(now) {
		t.Error("a token without an access token is fresh")
	}
}

func TestFlowError(t *testing.T) {
	err := error(&auth.FlowError{Kind: auth.ErrToken, Status: 401, Code: "invalid_client", Detail: "no such client", Err: context.DeadlineExceeded})
	if want := "OAuth2: the token endpoint refused with status 401: invalid_client: no such client: context deadline exceeded"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	var base auth.ClientError
	if !errors.Is(err, auth.ErrToken) || !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &base) || errors.Is(err, auth.ErrDenied) {
		t.Error("the error is not what it is")
	}
}
