package platform_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/auth/tokenstore"
)

// withOAuth2 returns the platform a profile sso of OAuth2, and endpoints that are just enough
// to log in: whoever comes is the administrator. The tests with a real authorization
// server are in auth/authtest.
func withOAuth2(t *testing.T, p *onPlatform) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		const issuer = "https://elsewhere.example"
		json.NewEncoder(w).Encode(map[string]string{
			"issuer": issuer, "authorization_endpoint": issuer + "/oauth2/authorize", "token_endpoint": issuer + "/oauth2/token", "jwks_uri": issuer + "/oauth2/jwks",
		})
	})
	mux.HandleFunc("GET /oauth2/authorize", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) })
	mux.HandleFunc("POST /oauth2/token", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.FormValue("grant_type") != "authorization_code" {
			w.WriteHeader(http.StatusBadRequest)
			json.NewEncoder(w).Encode(map[string]string{"error": "invalid_grant"})
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"access_token": "token-of-" + r.FormValue("code"), "expires_in": 300})
	})
	p.transport = front{mux}
	p.env["PLATFORM_OAUTH_CLIENT_SECRET"] = "client-secret-4711"
	p.must(t, "profile", "add", "sso", "--auth", "oauth2", "--url", p.URL, "--client-id", "c", "--redirect-uri", "http://127.0.0.1:0", "--default")
}

// front answers the requests of OAuth2 and passes all others to the platform.
type front struct{ *http.ServeMux }

func (f front) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(r.URL.Path, "/oauth2/") && !strings.HasPrefix(r.URL.Path, "/.well-known/") {
		return http.DefaultTransport.RoundTrip(r)
	}
	answer := httptest.NewRecorder()
	f.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// signIn is a browser that signs in and comes back with a code, while whoever opened it
// goes on.
func signIn(t *testing.T, code string) func(ctx context.Context, address string) error {
	var user sync.WaitGroup
	t.Cleanup(user.Wait)
	return func(_ context.Context, address string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		query := u.Query()
		back := query.Get("redirect_uri") + "/?" + url.Values{"code": {code}, "state": {query.Get("state")}}.Encode()
		user.Go(func() {
			answer, err := http.Get(back)
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
		})
		return nil
	}
}

func bearer(o *platformtest.Options) {
	o.Bearer = func(token string) (string, error) {
		if token != "token-of-good" {
			return "", errors.New("invalid issuer")
		}
		return platformtest.Username, nil
	}
}

// stored returns the access token of the profile sso, or "".
func (p *onPlatform) stored(t *testing.T) string {
	t.Helper()
	store := tokenstore.New(filepath.Join(p.home, ".config", "platform", tokenstore.FileName))
	defer store.Close()
	token, err := store.Get(t.Context(), "profile:sso")
	if err != nil {
		t.Fatal(err)
	}
	if token == nil {
		return ""
	}
	return token.AccessToken.Reveal()
}

// TestProfileLogin: platform client, section 4, profile login: the flow, then a line that reports
// whether the token works. A token that the platform rejects is not stored.
// Rows of docs/platform.md: 4.16, 5.10, T3.1.
func TestProfileLogin(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		withOAuth2(t, p)
		if code, out, _ := p.run(t, "profile", "verify", "sso"); code != 1 || !strings.HasPrefix(out, "FAIL sso "+p.URL+" auth=oauth2 error: ") || !strings.Contains(out, "run roget profile login sso") {
			t.Errorf("before: exit code %d: %s", code, out)
		}
		p.browser = signIn(t, "good")
		out := p.must(t, "profile", "login")
		if !strings.HasPrefix(out, "OK sso "+p.URL+" auth=oauth2 version=2.") || !strings.Contains(out, " user="+platformtest.Username+" ") {
			t.Errorf("%s", out)
		}
		if got := p.stored(t); got != "token-of-good" {
			t.Errorf("stored is %q", got)
		}
		p.browser = nil
		p.must(t, "profile", "verify")

		p.browser = signIn(t, "bad")
		errs := p.fails(t, 1, "profile", "login", "sso")
		for _, want := range []string{"the platform rejects the token that it issued, so the token was not stored", "invalid issuer", "server.base.url"} {
			if !strings.Contains(errs, want) {
				t.Errorf("lacks %q: %s", want, errs)
			}
		}
		if got := p.stored(t); got != "token-of-good" {
			t.Errorf("stored is %q", got)
		}
	}, bearer)
}

// TestNoBrowser: platform client, section 4, --no-browser and PLATFORM_OAUTH_NO_BROWSER
// print the address to standard error.
// Rows of docs/platform.md: 4.16.
func TestNoBrowser(t *testing.T) {
	for _, env := range []string{"", "1"} {
		p := newOnPlatform(t, 42, bearer)
		withOAuth2(t, p)
		p.env["PLATFORM_OAUTH_NO_BROWSER"] = env
		args := []string{"profile", "login", "sso", "--json"}
		if env == "" {
			args = append(args, "--no-browser")
		}
		p.onNotice = func(text string) {
			for line := range strings.Lines(text) {
				if address := strings.TrimSpace(line); strings.HasPrefix(address, p.URL+"/oauth2/authorize?") {
					if err := signIn(t, "good")(t.Context(), address); err != nil {
						t.Error(err)
					}
				}
			}
		}
		code, out, errs := p.run(t, args...)
		if code != 0 || !strings.Contains(out, `"ok": true`) || !strings.Contains(errs, "Open this address in a browser to sign in") {
			t.Errorf("%q: exit code %d: %s%s", env, code, out, errs)
		}
	}
}

// TestLoginPreflight: platform client, section 4, a clear message where the endpoints of
// OAuth2 are absent; nobody is asked to sign in.
// Rows of docs/platform.md: 4.4, 4.16, 9.3.
func TestLoginPreflight(t *testing.T) {
	p := newOnPlatform(t, 41)
	p.env["PLATFORM_OAUTH_CLIENT_SECRET"] = "client-secret-4711"
	p.must(t, "profile", "add", "sso", "--auth", "oauth2", "--url", p.URL, "--client-id", "c")
	if errs := p.fails(t, 1, "profile", "login", "sso"); !strings.Contains(errs, "the platform has no OAuth2 endpoints, which come with version 2.42; use a personal access token") {
		t.Errorf("%s", errs)
	}
	if code, out, _ := p.run(t, "profile", "verify", "sso"); code != 1 || !strings.Contains(out, "oauth2.server.enabled = on") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if errs := p.fails(t, 2, "profile", "login", "sso", "sso"); !strings.Contains(errs, "unexpected argument") {
		t.Errorf("%s", errs)
	}
}

// TestCommandsLogIn: platform client, section 3: a command whose token cannot be refreshed
// runs the flow again at a terminal, and says how to log in elsewhere.
// Rows of docs/platform.md: 3.3.
func TestCommandsLogIn(t *testing.T) {
	p := newOnPlatform(t, 42, bearer)
	withOAuth2(t, p)
	if errs := p.fails(t, 1, "datastore", "list"); !strings.Contains(errs, "run roget profile login sso") {
		t.Errorf("%s", errs)
	}
	store := tokenstore.New(filepath.Join(p.home, ".config", "platform", tokenstore.FileName))
	expired := &auth.OAuth2Token{AccessToken: auth.NewSecret("old"), RefreshToken: auth.NewSecret("revoked"), BaseURL: p.URL, ClientID: "c"}
	if err := store.Set(t.Context(), "profile:sso", expired); err != nil {
		t.Fatal(err)
	}
	store.Close()
	p.terminal, p.browser = true, signIn(t, "good")
	p.must(t, "datastore", "list")
	if got := p.stored(t); got != "token-of-good" {
		t.Errorf("stored is %q", got)
	}
}

// TestTokenStores: the token of a profile goes through login, rename, logout and replacement in the
// store that the profile names.
// Rows of docs/platform.md: 2.2.6.
func TestTokenStores(t *testing.T) {
	p := newOnPlatform(t, 42, bearer)
	withOAuth2(t, p)
	p.env["PLATFORM_TOKEN_PASSPHRASE"] = "correct horse"
	p.env["PLATFORM_OAUTH_CLIENT_SECRET"] = "client-secret"
	p.browser = signIn(t, "good")
	p.must(t, "profile", "add", "sealed", "--auth", "oauth2", "--url", p.URL, "--client-id", "c", "--redirect-uri", "http://localhost:0", "--token-store", "file")
	p.must(t, "profile", "login", "sealed")
	file := filepath.Join(p.home, ".config", "platform", "tokens.sealed")
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "token-of-good") {
		t.Errorf("%s: %v", text, err)
	}
	p.must(t, "profile", "rename", "sealed", "moved")
	p.must(t, "profile", "verify", "moved")
	if out := p.must(t, "profile", "logout", "moved"); out != "logged out: moved\n" {
		t.Errorf("%s", out)
	}
	p.env["PLATFORM_ADMIN_PAT"] = platformtest.PAT
	p.must(t, "profile", "bootstrap", "boot", "--url", p.URL, "--auth", "oauth2", "--client-id", "b", "--redirect-uri", "http://127.0.0.1:0", "--no-login", "--token-store", "file")
	p.must(t, "profile", "oidc-config", p.URL, "--name", "found", "--client-id", "c", "--token-store", "keyring")
	if boot, found := p.entry(t, "boot"), p.entry(t, "found"); boot.Profile.TokenStore != profile.File || found.Profile.TokenStore != profile.Keyring {
		t.Errorf("%+v, %+v", boot, found)
	}
	if errs := p.fails(t, 2, "profile", "bootstrap", "x", "--url", p.URL, "--token-store", "file"); !strings.Contains(errs, "--token-store cannot be used with --auth pat") {
		t.Errorf("%s", errs)
	}
	delete(p.env, "PLATFORM_TOKEN_PASSPHRASE")
	if errs := p.fails(t, 1, "profile", "login", "moved"); !strings.Contains(errs, "set PLATFORM_TOKEN_PASSPHRASE") {
		t.Errorf("%s", errs)
	}
	if errs := p.fails(t, 2, "profile", "add", "x", "--url", p.URL, "--token-store", "file"); !strings.Contains(errs, "--token-store needs --auth oauth2") {
		t.Errorf("%s", errs)
	}
}
