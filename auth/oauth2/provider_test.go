package oauth2_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/oauth2"
)

// TestUse: section 3 of the platform client, the states of a token.
// Rows of docs/platform.md: 2.1.2, 2.2.4, 3.1, 3.2, 3.3, 3.10, 5.5, 8.1.
func TestUse(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(s *setting)
		want   string // grant types of the requests after the first
	}{
		{"61 s before expiry: used as it is", func(s *setting) { s.advance(239 * time.Second) }, ""},
		{"59 s before expiry: refreshed", func(s *setting) { s.advance(241 * time.Second) }, "refresh_token"},
		{"60 s before expiry: refreshed", func(s *setting) { s.advance(240 * time.Second) }, "refresh_token"},
		{"expired: refreshed", func(s *setting) { s.advance(time.Hour) }, "refresh_token"},
		{"no refresh token: flow", func(s *setting) { s.tokens[s.key()].RefreshToken = auth.Secret{}; s.advance(time.Hour) }, "authorization_code"},
		{"refresh refused: flow", func(s *setting) { s.refresh = "revoked"; s.advance(time.Hour) }, "refresh_token authorization_code"},
		{"token of another client: flow", func(s *setting) { s.tokens[s.key()].ClientID = "other" }, "authorization_code"},
		{"token of another server: flow", func(s *setting) { s.tokens[s.key()].BaseURL = "https://other.example" }, "authorization_code"},
		{"none: flow", func(s *setting) { delete(s.tokens, s.key()) }, "authorization_code"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSetting(t)
			if got := bearer(t, s.provider(t)); got != "access-1" {
				t.Fatalf("first token %q", got)
			}
			test.change(s)
			p := s.provider(t) // a new provider has no cached token
			token := bearer(t, p)
			if got := strings.TrimSpace(strings.TrimPrefix(s.asked(), "authorization_code")); got != test.want {
				t.Errorf("asked for %q, want %q", got, test.want)
			}
			stored := s.stored(s.key())
			if stored.AccessToken.Reveal() != token || stored.BaseURL != s.base() || stored.ClientID != "c1" {
				t.Errorf("sent %s, stored %s for %s, %s", token, stored.AccessToken.Reveal(), stored.BaseURL, stored.ClientID)
			}
			before := s.asked()
			if err := p.RefreshIfNeeded(t.Context()); err != nil || bearer(t, p) != token || s.asked() != before {
				t.Errorf("a fresh token is asked for again: %v, %s", err, s.asked())
			}
		})
	}
}

// TestRefreshKeepsOldToken: section 1.6.1 of the platform toolkit.
func TestRefreshKeepsOldToken(t *testing.T) {
	s := newSetting(t)
	bearer(t, s.provider(t))
	s.token = func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"access_token":"next"}`)) }
	s.advance(time.Hour)
	if got := bearer(t, s.provider(t)); got != "next" {
		t.Errorf("token %q", got)
	}
	stored := s.stored(s.key())
	if stored.RefreshToken.Reveal() != "refresh-1" || stored.ExpiresAt != auth.UnixSeconds(s.Now())+3600 {
		t.Errorf("stored %q until %f", stored.RefreshToken.Reveal(), stored.ExpiresAt)
	}
}

// TestOneRefreshForAll: concurrent callers run one refresh.
func TestOneRefreshForAll(t *testing.T) {
	s := newSetting(t)
	bearer(t, s.provider(t))
	s.advance(time.Hour)
	p := s.provider(t)
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			if _, err := p.Headers(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := s.asked(); got != "authorization_code refresh_token" {
		t.Errorf("asked for %q", got)
	}
}

// TestRefreshOutlivesItsCaller: a rotated token is stored even if the caller has given up.
// Rows of docs/platform.md: 2.1.3.
func TestRefreshOutlivesItsCaller(t *testing.T) {
	s := newSetting(t)
	bearer(t, s.provider(t))
	s.advance(time.Hour)
	p := s.provider(t)
	ctx, cancel := context.WithCancel(t.Context())
	give, arrived := make(chan struct{}), make(chan struct{})
	s.token = func(w http.ResponseWriter, r *http.Request) { close(arrived); <-give; s.giveToken(w, r) }
	ended := make(chan error)
	go func() { ended <- p.RefreshIfNeeded(ctx) }()
	<-arrived
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller is not let go: %v", err)
	}
	close(give)
	if got := bearer(t, p); got != "access-2" || s.stored(s.key()).RefreshToken.Reveal() != "refresh-2" || s.browsers != 1 {
		t.Errorf("token %q, asked for %q", got, s.asked())
	}
}

func TestLoginReplacesAFreshToken(t *testing.T) {
	s := newSetting(t)
	p := s.provider(t)
	bearer(t, p)
	if err := p.Login(t.Context()); err != nil || bearer(t, p) != "access-2" || s.stored(s.key()).AccessToken.Reveal() != "access-2" {
		t.Errorf("after a login: %v, %s", err, s.asked())
	}
}

// TestFailureKeepsTheStore: a flow that fails leaves the token that was there.
// Rows of docs/platform.md: 3.10.
func TestFailureKeepsTheStore(t *testing.T) {
	s := newSetting(t)
	p := s.provider(t)
	bearer(t, p)
	s.token = func(w http.ResponseWriter, _ *http.Request) { refuse(w, 400, "invalid_grant") }
	if err := p.Login(t.Context()); !errors.Is(err, auth.ErrToken) {
		t.Errorf("login: %v", err)
	}
	s.advance(time.Hour)
	err := p.RefreshIfNeeded(t.Context())
	if !errors.Is(err, auth.ErrToken) || !strings.Contains(err.Error(), "the earlier refresh failed") {
		t.Errorf("refresh: %v", err)
	}
	if got := s.stored(s.key()); s.sets != 1 || got.AccessToken.Reveal() != "access-1" {
		t.Errorf("the store was written %d times", s.sets)
	}
}

// TestRefuseLogin: section 1.6.5 of the platform toolkit, no browser for programs that must not ask.
func TestRefuseLogin(t *testing.T) {
	s := newSetting(t)
	s.config.Capture = oauth2.RefuseLogin("roget profile login prod")
	err := s.provider(t).RefreshIfNeeded(t.Context())
	if !errors.Is(err, auth.ErrLoginNeeded) || !strings.HasSuffix(err.Error(), "run roget profile login prod") || s.browsers != 0 {
		t.Errorf("%v, %d browsers", err, s.browsers)
	}
}

func TestStoreFails(t *testing.T) {
	s := newSetting(t)
	s.fail = errors.New("disk full")
	if err := s.provider(t).RefreshIfNeeded(t.Context()); !errors.Is(err, s.fail) || !strings.Contains(err.Error(), s.key()) || s.browsers != 0 {
		t.Errorf("%v", err)
	}
}

// TestDefaults: a Config without notice, clock and wait is that of a program in a terminal.
func TestDefaults(t *testing.T) {
	s := newSetting(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	defer func(before *os.File) { os.Stderr = before }(os.Stderr)
	os.Stderr = file
	s.config.Notice, s.config.Now = nil, nil
	s.config.OpenBrowser = func(ctx context.Context, address string) error {
		if deadline, limited := ctx.Deadline(); !limited || deadline.After(time.Now().Add(300*time.Second)) {
			t.Errorf("waits until %v", deadline)
		}
		return s.browse(ctx, address)
	}
	before := auth.UnixSeconds(time.Now())
	bearer(t, s.provider(t))
	s.config.RedirectURI = ""
	s.config.Capture = func(_ context.Context, address, _ string) (string, error) {
		if !strings.Contains(address, "redirect_uri=http%3A%2F%2Flocalhost%3A8765") {
			t.Errorf("address %s", address)
		}
		return "", context.Canceled
	}
	if err := s.provider(t).Login(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("captured: %v", err)
	}
	text, err := os.ReadFile(file.Name())
	if got := s.stored(s.key()); err != nil || !strings.Contains(string(text), "Waiting for the redirect") || got.ExpiresAt < before+300 {
		t.Errorf("%q, %v; expires %f s after the start", text, err, got.ExpiresAt-before)
	}
}

// Rows of docs/platform.md: 2.2.4.
func TestNew(t *testing.T) {
	for field, change := range map[string]func(c *oauth2.Config){
		"base_url":    func(c *oauth2.Config) { c.BaseURL = "platform.example" },
		"client_id":   func(c *oauth2.Config) { c.ClientID = "" },
		"token_store": func(c *oauth2.Config) { c.Store = nil },
	} {
		config := oauth2.Config{BaseURL: "https://p.example", ClientID: "c", Store: &memory{}}
		change(&config)
		var named *auth.FieldError
		if _, err := oauth2.New(config); !errors.As(err, &named) || named.Field != field {
			t.Errorf("without %s: %v", field, err)
		}
	}
}
