package oauth2_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/auth"
)

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
