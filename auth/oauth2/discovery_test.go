package oauth2_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/oauth2"
)

// TestPreflight: section 1.6.6 of the platform toolkit, and the server keys of section 5
// of the platform client.
// Rows of docs/platform.md: 4.4, 5.6, 5.9, 7.2.
func TestPreflight(t *testing.T) {
	status := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "said\x1b by it", status) }
	}
	for _, test := range []struct {
		name   string
		change func(s *setting)
		want   string
	}{
		{"ready", func(*setting) {}, ""},
		{"redirected", func(s *setting) {
			s.discovery = func(w http.ResponseWriter, r *http.Request) {
				s.discovery = s.discover
				http.Redirect(w, r, r.URL.Path, http.StatusFound)
			}
		}, ""},
		{"nobody there", func(s *setting) { s.Close() }, "cannot reach http://127.0.0.1"},
		{"authorize endpoint drops connections", func(s *setting) {
			s.authorize = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		}, "cannot reach http://127.0.0.1"},
		{"no such endpoint", func(s *setting) { s.discovery = http.NotFound }, "status 404: the instance exposes no OAuth2/OIDC endpoints; set oauth2.server.enabled = on"},
		{"another status", func(s *setting) { s.discovery = status(503) }, "status 503: the authorization server may be misconfigured"},
		{"a bad request", func(s *setting) { s.discovery = status(400) }, "status 400: the authorization server may be misconfigured"},
		{"HTML", func(s *setting) {
			s.discovery = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Write([]byte("<html>"))
			}
		}, "is text/html, not JSON"},
		{"authorize endpoint absent", func(s *setting) { s.authorize = http.NotFound }, "oauth2.server.enabled = on"},
		{"login key missing", func(s *setting) { s.authorize = status(500) }, "status 500: set oidc.oauth2.login.enabled = on"},
		{"settings empty", func(s *setting) {
			s.authorize = func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "settings cannot be empty", http.StatusInternalServerError)
			}
		}, "empty clientSettings or tokenSettings: register it again; the server says: settings cannot be empty"},
		{"not registered", func(s *setting) { s.authorize = status(400) }, "is not registered: register the client, or correct the profile; the server says: said by it"},
		{"unknown user", func(s *setting) { s.authorize = status(401) }, ""},
	} {
		s := newSetting(t)
		test.change(s)
		found, err := s.provider(t).Preflight(t.Context())
		if test.want == "" {
			if err != nil || found.Issuer != s.base() {
				t.Errorf("%s: %v, %v", test.name, found, err)
			}
		} else if !errors.Is(err, auth.ErrDiscovery) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "code_challenge") {
			t.Errorf("%s: %v", test.name, err)
		}
		if s.browsers != 0 || s.asked() != "" {
			t.Errorf("%s: the flow began", test.name)
		}
	}
}

func TestDiscoveryTakesTooLong(t *testing.T) {
	ended := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-ended }))
	defer slow.Close()
	defer close(ended)
	_, err := oauth2.Discover(t.Context(), nil, slow.URL, 10*time.Millisecond)
	if !errors.Is(err, auth.ErrDiscovery) || !strings.Contains(err.Error(), "timed out probing "+slow.URL) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := oauth2.Discover(ctx, nil, slow.URL, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	var field *auth.FieldError
	if _, err := oauth2.Discover(t.Context(), nil, "ftp://x", time.Minute); !errors.As(err, &field) {
		t.Errorf("ftp: %v", err)
	}
}

// Rows of docs/platform.md: 4.4, 5.7.
func TestDiscoveryMembers(t *testing.T) {
	d := &oauth2.Discovery{Issuer: "https://p.example/", TokenEndpoint: "x"}
	if got := d.Missing(); !slices.Equal(got, []string{"authorization_endpoint", "jwks_uri"}) {
		t.Errorf("missing: %v", got)
	}
	if got := d.IssuerAdvice("https://p.example", auth.AdviceFor(nil)); got != "" {
		t.Errorf("the same issuer: %s", got)
	}
	for _, issuer := range []string{"", "http://p.example", "https://p.example/ctx"} {
		d.Issuer = issuer
		if got := d.IssuerAdvice("https://p.example", auth.AdviceFor(nil)); !strings.Contains(got, "server.base.url") || !strings.Contains(got, "oidc.provider.<name>") {
			t.Errorf("issuer %q: %s", issuer, got)
		}
	}
}

// TestRefresh: a token that was refused is refreshed although it is fresh, once for all who saw it refused, also
// in other processes. Rules by version, V10.
func TestRefresh(t *testing.T) {
	s := newSetting(t)
	first, second := s.provider(t), s.provider(t)
	refused, err := first.Headers(t.Context())
	if err != nil || bearer(t, second) != "access-1" {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if err := first.Refresh(t.Context(), refused); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if err := second.Refresh(t.Context(), refused); err != nil { // as another process
		t.Error(err)
	}
	if got := s.asked(); got != "authorization_code refresh_token" {
		t.Errorf("asked for %q", got)
	}
	if bearer(t, first) == "access-1" || bearer(t, second) == "access-1" {
		t.Error("the refused token is still used")
	}
}

// TestRefreshRefused: where there is no other token, nobody is asked to sign in, and the stored token stays.
func TestRefreshRefused(t *testing.T) {
	for name, test := range map[string]struct {
		change func(s *setting)
		want   error
	}{
		"revoked":          {func(s *setting) { s.refresh = "revoked" }, auth.ErrToken},
		"no refresh token": {func(s *setting) { s.tokens[s.key()].RefreshToken = auth.Secret{} }, auth.ErrLoginNeeded},
		"another client":   {func(s *setting) { s.tokens[s.key()].ClientID = "other" }, auth.ErrLoginNeeded},
		"out of order":     {func(s *setting) { s.token = answering(http.StatusServiceUnavailable) }, auth.ErrUnavailable},
	} {
		s := newSetting(t)
		p := s.provider(t)
		refused, err := p.Headers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		browsers := s.browsers
		test.change(s)
		before := s.stored(s.key()).AccessToken.Reveal()
		if err := p.Refresh(t.Context(), refused); !errors.Is(err, test.want) || s.browsers != browsers || s.stored(s.key()).AccessToken.Reveal() != before {
			t.Errorf("%s: %v, %d browsers", name, err, s.browsers-browsers)
		}
		if got := bearer(t, p); got != "access-1" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestUnavailable: a refresh that no answer or a server out of order prevents is not refused: nobody is asked to
// sign in, and a token that has not expired is used.
func TestUnavailable(t *testing.T) {
	for name, token := range map[string]http.HandlerFunc{
		"503":     answering(http.StatusServiceUnavailable),
		"500":     answering(http.StatusInternalServerError),
		"429":     answering(http.StatusTooManyRequests),
		"dropped": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"access_token":`))
		},
	} {
		s := newSetting(t)
		bearer(t, s.provider(t))
		browsers := s.browsers
		s.token = token
		s.advance(250 * time.Second)
		if got := bearer(t, s.provider(t)); got != "access-1" {
			t.Errorf("%s: %s", name, got)
		}
		s.advance(time.Hour)
		_, err := s.provider(t).Headers(t.Context())
		if !errors.Is(err, auth.ErrUnavailable) || s.browsers != browsers || !strings.Contains(err.Error(), "try again later") {
			t.Errorf("%s: %v, %d browsers", name, err, s.browsers-browsers)
		}
	}
}

// answering is a token endpoint that answers with a status only.
func answering(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}
