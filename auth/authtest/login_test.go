package authtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/authtest"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/profile"
)

const redirectURI = "http://127.0.0.1"

// setting is a profile for a server, and a user with a browser.
type setting struct {
	*authtest.Server
	profile profile.Resolved
	options login.Options
	browser authtest.Browser
	pages   chan string // last pages of the browser
}

func newSetting(t *testing.T) *setting { return settingOf(t, authtest.Start(t, redirectURI)) }

// settingOf returns a setting whose server behaves.
func settingOf(t *testing.T, server *authtest.Server) *setting {
	server.Set(authtest.Switches{})
	s := &setting{Server: server, pages: make(chan string, 10)}
	s.profile = profile.Resolved{Name: "prod", Folder: t.TempDir(), Profile: profile.Profile{
		BaseURL: s.URL, Auth: profile.OAuth2, ClientID: authtest.ClientID, ClientSecret: auth.NewSecret(authtest.ClientSecret),
		Scope: "ALL", RedirectURI: redirectURI + ":0",
	}}
	store, err := login.OpenStore(s.profile, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s.options = login.Options{Store: store, Notice: io.Discard, OpenBrowser: func(ctx context.Context, address string) error {
		go func() {
			_, page, err := s.browser.Visit(context.WithoutCancel(ctx), address)
			if err != nil {
				page = err.Error()
			}
			s.pages <- page
		}()
		return nil
	}}
	return s
}

func (s *setting) login(t *testing.T) error { return login.Login(t.Context(), s.profile, s.options) }

func (s *setting) stored(t *testing.T) *auth.OAuth2Token {
	t.Helper()
	token, err := s.options.Store.Get(t.Context(), "profile:prod")
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// expire makes the stored token expire.
func (s *setting) expire(t *testing.T, change func(token *auth.OAuth2Token)) {
	t.Helper()
	token := *s.stored(t)
	token.ExpiresAt = 1
	if change != nil {
		change(&token)
	}
	if err := s.options.Store.Set(t.Context(), "profile:prod", &token); err != nil {
		t.Fatal(err)
	}
}

// me asks the platform who the user is, with a provider's headers.
func (s *setting) me(t *testing.T) (status int, body string) {
	t.Helper()
	provider, err := login.BuildAuth(s.profile, s.options)
	if err != nil {
		t.Fatal(err)
	}
	headers, err := provider.Headers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/me", nil)
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header.Get("WWW-Authenticate") + string(text)
}

// TestLoginOpensBrowser: the flow from end to end, and its token at the platform.
// Rows of docs/platform.md: 3.6, 3.7, 3.9, 3.10, 4.1, 4.2, 5.4.
func TestLoginOpensBrowser(t *testing.T) {
	s := newSetting(t)
	if err := s.login(t); err != nil {
		t.Fatal(err)
	}
	if page := <-s.pages; !strings.Contains(page, "You are signed in") {
		t.Errorf("the user reads %s", page)
	}
	if status, body := s.me(t); status != 200 || !strings.Contains(body, `"username":"admin"`) {
		t.Errorf("%d: %s", status, body)
	}
	token := s.stored(t)
	if left := token.ExpiresAt - auth.UnixSeconds(time.Now()); left < 200 || left > 301 || token.RefreshToken.IsZero() || token.BaseURL != s.URL || token.ClientID != authtest.ClientID {
		t.Errorf("stored %v", token)
	}
	if info, err := os.Stat(filepath.Join(s.profile.Folder, "tokens.sqlite")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	found, err := oauth2.Discover(t.Context(), nil, s.URL, oauth2.DiscoveryTime)
	if err != nil || len(found.Missing()) != 0 || found.IssuerAdvice(s.URL, auth.AdviceFor(nil)) != "" {
		t.Errorf("%+v, %v", found, err)
	}
	var keys struct{ Keys []map[string]string }
	answer, err := http.Get(found.JWKSURI)
	if err == nil {
		defer answer.Body.Close()
		err = json.NewDecoder(answer.Body).Decode(&keys)
	}
	if err != nil || len(keys.Keys) != 1 || keys.Keys[0]["kty"] != "RSA" {
		t.Errorf("%v, %v", keys, err)
	}
}

// TestLoginPrintsAddress: without a browser, the address is printed to standard error, and opening it
// elsewhere signs in.
// Rows of docs/platform.md: 3.6.
func TestLoginPrintsAddress(t *testing.T) {
	for _, how := range []string{"option", "environment"} {
		s := newSetting(t)
		if s.options.NoBrowser = how == "option"; !s.options.NoBrowser {
			t.Setenv(oauth2.NoBrowserVariable, "1")
		}
		read, write := io.Pipe()
		s.options.Notice = write
		ended := make(chan error)
		go func() { ended <- s.login(t) }()
		text := make([]byte, 4096)
		size, err := read.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		go io.Copy(io.Discard, read)
		address := regexp.MustCompile(`(?m)^  (\S+)$`).FindSubmatch(text[:size])
		if address == nil {
			t.Fatalf("%s: printed %s", how, text[:size])
		}
		if status, page, err := s.browser.Visit(t.Context(), string(address[1])); err != nil || status != 200 {
			t.Errorf("%s: %d, %s, %v", how, status, page, err)
		}
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", how, err)
		}
		if bytes.Contains(text[:size], []byte(authtest.ClientSecret)) {
			t.Errorf("%s: the secret is printed", how)
		}
	}
}

// TestLoginFails: every failure has its message, and the store does not change.
// Rows of docs/platform.md: 2.2.4, 3.7, 3.11, 5.5, 7.1.
func TestLoginFails(t *testing.T) {
	server := authtest.Start(t, redirectURI)
	for _, test := range []struct {
		name   string
		change func(t *testing.T, s *setting)
		kind   error
		want   string
		page   string // that the user reads if a browser was opened
	}{
		{"wrong state", func(_ *testing.T, s *setting) { s.Set(authtest.Switches{WrongState: true}) }, auth.ErrStateMismatch, "state mismatch", "State mismatch"},
		{"denied consent", func(_ *testing.T, s *setting) { s.browser.Deny = true }, auth.ErrDenied, "authorization failed: access_denied", "The resource owner"},
		{"no code", func(_ *testing.T, s *setting) { s.Set(authtest.Switches{NoCode: true}) }, auth.ErrNoCode, "no authorization code", "No authorization code"},
		{"plaintext secret", func(_ *testing.T, s *setting) { s.Set(authtest.Switches{PlaintextSecret: true}) }, auth.ErrToken, "register the client again with a BCrypt hash", "signed in"},
		{"wrong secret", func(_ *testing.T, s *setting) { s.profile.Profile.ClientSecret = auth.NewSecret("x") }, auth.ErrToken, "401: invalid_client", "signed in"},
		{"expired code", func(_ *testing.T, s *setting) { s.Set(authtest.Switches{CodeLifetime: time.Nanosecond}) }, auth.ErrToken, "invalid_grant", "signed in"},
		{"page for a token", func(_ *testing.T, s *setting) { s.Set(authtest.Switches{TokenHTML: true}) }, auth.ErrToken, "not a token in JSON; its content type is text/html", "signed in"},
		{"reused code", func(t *testing.T, s *setting) { s.options.Capture = s.reuse(t) }, auth.ErrToken, "invalid_grant", ""},
		{"bad verifier", func(_ *testing.T, s *setting) {
			s.options.Capture = s.capture(func(q url.Values) { q.Set("code_challenge", strings.Repeat("A", 43)) })
		}, auth.ErrToken, "invalid_grant", ""},
		{"no PKCE", func(_ *testing.T, s *setting) {
			s.options.Capture = s.capture(func(q url.Values) { q.Del("code_challenge"); q.Del("code_challenge_method") })
		}, errNoCode, "no code", ""},
		{"endpoints absent", func(_ *testing.T, s *setting) { s.Set(authtest.Switches{NoServer: true}) }, auth.ErrDiscovery, "404: the instance exposes no OAuth2/OIDC endpoints; set oauth2.server.enabled = on", ""},
		{"login key missing", func(_ *testing.T, s *setting) { s.Set(authtest.Switches{NoLogin: true}) }, auth.ErrDiscovery, "500: set oidc.oauth2.login.enabled = on", ""},
		{"settings empty", func(_ *testing.T, s *setting) { s.Set(authtest.Switches{EmptySettings: true}) }, auth.ErrDiscovery, "the server says: settings cannot be empty", ""},
		{"page for discovery", func(_ *testing.T, s *setting) { s.Set(authtest.Switches{DiscoveryHTML: true}) }, auth.ErrDiscovery, "not JSON", ""},
		{"redirect URI not registered", func(_ *testing.T, s *setting) { s.profile.Profile.RedirectURI = "http://localhost:1" }, auth.ErrDiscovery, "redirect_uri", ""},
		{"scope not registered", func(_ *testing.T, s *setting) { s.profile.Profile.Scope = "openid" }, auth.ErrDenied, "invalid_scope", "scope"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := settingOf(t, server)
			before := auth.OAuth2Token{AccessToken: auth.NewSecret("a"), RefreshToken: auth.NewSecret("r"), BaseURL: s.URL, ClientID: authtest.ClientID}
			if err := s.options.Store.Set(t.Context(), "profile:prod", &before); err != nil {
				t.Fatal(err)
			}
			test.change(t, s)
			err := s.login(t)
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), authtest.ClientSecret) {
				t.Errorf("%v", err)
			}
			if test.page != "" {
				if page := <-s.pages; !strings.Contains(page, test.page) {
					t.Errorf("the user reads %s", page)
				}
			}
			after := s.stored(t)
			if !after.AccessToken.Equal(before.AccessToken) || !after.RefreshToken.Equal(before.RefreshToken) {
				t.Error("the store is not as it was")
			}
		})
	}
}

var errNoCode = errors.New("no code came back")

// capture returns a capturer whose browser opens a changed address.
func (s *setting) capture(change func(query url.Values)) oauth2.RedirectCapturer {
	return func(ctx context.Context, address, _ string) (code string, err error) {
		u, err := url.Parse(address)
		if err != nil {
			return "", err
		}
		query := u.Query()
		change(query)
		u.RawQuery = query.Encode()
		_, _, err = s.browser.Visit(ctx, u.String()) // nobody listens at the end
		var last *url.Error
		if !errors.As(err, &last) {
			return "", errNoCode
		}
		if u, err = url.Parse(last.URL); err != nil || u.Query().Get("code") == "" {
			return "", errNoCode
		}
		return u.Query().Get("code"), nil
	}
}

// reuse returns a code that was used before.
func (s *setting) reuse(t *testing.T) oauth2.RedirectCapturer {
	s.profile.Profile.RedirectURI = redirectURI + ":1"
	code := ""
	once := s.capture(func(url.Values) {})
	return func(ctx context.Context, address, state string) (string, error) {
		if code == "" {
			var err error
			if code, err = once(ctx, address, state); err != nil {
				return "", err
			}
			client := s.profile
			client.Folder = t.TempDir()
			other, err := login.OAuth2(client, login.Options{Capture: func(context.Context, string, string) (string, error) { return code, nil }})
			if err != nil {
				return "", err
			}
			if err := other.Login(ctx); !errors.Is(err, auth.ErrToken) { // its verifier differs: the attempt invalidates the code
				t.Errorf("first use: %v", err)
			}
		}
		return code, nil
	}
}

// TestRefresh: tokens that expire, with refresh tokens that are valid, expired, revoked and absent. The
// user is asked again unless the refresh token is valid.
// Rows of docs/platform.md: 3.2, 3.3, 4.2.
func TestRefresh(t *testing.T) {
	server := authtest.Start(t, redirectURI)
	for _, test := range []struct {
		name   string
		before authtest.Switches
		expire func(t *testing.T, s *setting)
		want   string
	}{
		{"good", authtest.Switches{}, nil, "refresh_token"},
		{"redirected", authtest.Switches{TokenSlash: true}, nil, "refresh_token refresh_token"},
		{"expired", authtest.Switches{RefreshLifetime: time.Nanosecond}, nil, "refresh_token authorization_code"},
		{"revoked", authtest.Switches{}, func(t *testing.T, s *setting) { s.RevokeRefreshTokens(t) }, "refresh_token authorization_code"},
		{"absent", authtest.Switches{NoRefresh: true}, nil, "authorization_code"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := settingOf(t, server)
			s.Set(test.before)
			if err := s.login(t); err != nil {
				t.Fatal(err)
			}
			old := s.stored(t)
			s.expire(t, nil)
			if test.expire != nil {
				test.expire(t, s)
			}
			count := len(s.Requests())
			if status, body := s.me(t); status != 200 {
				t.Errorf("%d: %s", status, body)
			}
			var grants []string
			for _, request := range s.Requests()[count:] {
				if words := strings.Fields(request); len(words) == 3 {
					grants = append(grants, words[2])
				}
			}
			if got := strings.Join(grants, " "); got != test.want {
				t.Errorf("asked for %q, want %q", got, test.want)
			}
			if s.stored(t).AccessToken.Equal(old.AccessToken) {
				t.Error("no new token")
			}
		})
	}
}

// TestRefreshWithoutUser: a program that must not ask the user says how to log in, and why.
func TestRefreshWithoutUser(t *testing.T) {
	s := newSetting(t)
	if err := s.login(t); err != nil {
		t.Fatal(err)
	}
	s.expire(t, nil)
	s.RevokeRefreshTokens(t)
	before := s.stored(t)
	s.options.Capture = oauth2.RefuseLogin("roget profile login prod")
	provider, err := login.BuildAuth(s.profile, s.options)
	if err != nil {
		t.Fatal(err)
	}
	_, err = provider.Headers(t.Context())
	if !errors.Is(err, auth.ErrLoginNeeded) || !errors.Is(err, auth.ErrToken) || !strings.Contains(err.Error(), "run roget profile login prod") {
		t.Errorf("%v", err)
	}
	if !s.stored(t).RefreshToken.Equal(before.RefreshToken) {
		t.Error("the store is not as it was")
	}
}

// TestWrongIssuer: the platform refuses its own tokens with 401, and the discovery document shows why.
// Rows of docs/platform.md: 5.7, 5.10.
func TestWrongIssuer(t *testing.T) {
	s := newSetting(t)
	s.Set(authtest.Switches{WrongIssuer: true})
	if err := s.login(t); err != nil {
		t.Fatal(err)
	}
	if status, body := s.me(t); status != 401 || !strings.Contains(body, "invalid issuer") {
		t.Errorf("%d: %s", status, body)
	}
	found, err := oauth2.Discover(t.Context(), nil, s.URL, oauth2.PreflightTime)
	if err != nil || !strings.Contains(found.IssuerAdvice(s.URL, auth.AdviceFor(nil)), "server.base.url") {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestExpiredToken: the platform refuses a token that has expired.
// Rows of docs/platform.md: 5.4.
func TestExpiredToken(t *testing.T) {
	s := newSetting(t)
	s.Set(authtest.Switches{TokenLifetime: time.Nanosecond})
	if err := s.login(t); err != nil {
		t.Fatal(err)
	}
	s.expire(t, func(token *auth.OAuth2Token) { token.ExpiresAt = 1e12 })
	if status, body := s.me(t); status != 401 || !strings.Contains(body, "expired") {
		t.Errorf("%d: %s", status, body)
	}
}
