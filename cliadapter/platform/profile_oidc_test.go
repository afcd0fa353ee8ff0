package platform_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// discovery serves a discovery document with some members.
func discovery(t *testing.T, members ...string) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/openid-configuration" || members == nil {
			http.NotFound(w, r)
			return
		}
		document := map[string]any{"scopes_supported": []string{"openid"}, "grant_types_supported": []string{"authorization_code"}, "response_types_supported": []string{"code"}}
		for _, member := range members {
			document[member] = server.URL + map[string]string{"authorization_endpoint": "/oauth2/authorize", "token_endpoint": "/oauth2/tokens"}[member]
		}
		_ = json.NewEncoder(w).Encode(document)
	})
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// TestOIDCConfig: platform toolkit, section 1.6.6: the issuer becomes the base URL, four
// members are required.
// Rows of docs/platform.md: 4.4, T3.2.
func TestOIDCConfig(t *testing.T) {
	p := newOnPlatform(t, 42)
	p.env["PLATFORM_OAUTH_CLIENT_SECRET"] = "client-Sw0rdfish"
	all := []string{"issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"}
	server := discovery(t, all...)
	code, out, errs := p.run(t, "profile", "oidc-config", server.URL+"/", "--client-id", "roget", "--default")
	entry := p.entry(t, "p127_0_0_1")
	if code != 0 || !strings.HasPrefix(out, `saved profile "p127_0_0_1"`) || entry.Profile.BaseURL != server.URL || entry.Profile.ClientID != "roget" || entry.Profile.Scope != "openid username" || entry.Profile.ClientSecret.Reveal() != "client-Sw0rdfish" || !entry.IsDefault {
		t.Errorf("%d, %s%s, %+v", code, out, errs, entry)
	}
	for _, want := range []string{
		"token_endpoint is " + server.URL + "/oauth2/tokens; a login uses " + server.URL + "/oauth2/token\n",
		"scopes_supported is openid, without username", "grant_types_supported is authorization_code, without refresh_token",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("lacks %q: %s", want, errs)
		}
	}
	if strings.Count(errs, "warning") != 3 {
		t.Error(errs)
	}
	for i, missing := range all {
		if errs := p.fails(t, 1, "profile", "oidc-config", discovery(t, append(append([]string{}, all[:i]...), all[i+1:]...)...).URL, "--client-id", "roget"); !strings.Contains(errs, "has no "+missing) {
			t.Errorf("without %s: %s", missing, errs)
		}
	}
	if errs := p.fails(t, 1, "profile", "oidc-config", discovery(t).URL, "--client-id", "roget"); !strings.Contains(errs, "oauth2.server.enabled = on") {
		t.Error(errs)
	}
	if errs := p.fails(t, 1, "profile", "oidc-config", server.URL, "--client-id", "roget", "--name", "4"); !strings.Contains(errs, "cannot be the name") {
		t.Error(errs)
	}
	p.fails(t, 2, "profile", "oidc-config", server.URL)
	p.fails(t, 1, "profile", "oidc-config", "ftp://x", "--client-id", "roget")
}

// documented answers a request for the discovery document, and passes on others.
type documented struct {
	http.RoundTripper
	base string
}

func (d documented) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/.well-known/openid-configuration" {
		return d.RoundTripper.RoundTrip(r)
	}
	answer := httptest.NewRecorder()
	err := json.NewEncoder(answer).Encode(map[string]string{
		"issuer": d.base, "authorization_endpoint": d.base + "/oauth2/authorize", "token_endpoint": d.base + "/oauth2/token", "jwks_uri": d.base + "/oauth2/jwks",
	})
	return answer.Result(), err
}

// TestOIDCConfigLogin: --login logs in with the profile that was made.
func TestOIDCConfigLogin(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		withOAuth2(t, p)
		p.transport = documented{p.transport, p.URL}
		p.browser = signIn(t, "good")
		p.env["PLATFORM_OAUTH_REDIRECT_URI"] = "http://127.0.0.1:0"
		out := p.must(t, "profile", "oidc-config", p.URL, "--client-id", "roget", "--name", "sso", "--login", "--json")
		var shown struct {
			Name   string
			Verify struct{ OK bool }
		}
		if err := json.Unmarshal([]byte(out), &shown); err != nil || shown.Name != "sso" || !shown.Verify.OK || p.stored(t) != "token-of-good" {
			t.Errorf("%s, %v", out, err)
		}
		p.env["PLATFORM_OAUTH_CLIENT_SECRET"] = ""
		if errs := p.fails(t, 1, "profile", "oidc-config", p.URL, "--client-id", "roget"); !strings.Contains(errs, "set PLATFORM_OAUTH_CLIENT_SECRET") {
			t.Error(errs)
		}
	}, bearer)
}
