package platform_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth/profile"
)

// entry returns a profile as it is stored.
func (p *onPlatform) entry(t *testing.T, name string) profile.Entry {
	t.Helper()
	entry, err := p.profiles(t).Find(name, "")
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// TestBootstrapPAT: platform toolkit, section 3.2: a token is minted, the profile is the
// default and works.
// Rows of docs/platform.md: T3.2.
func TestBootstrapPAT(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		p.env["PLATFORM_ADMIN_PASSWORD"] = platformtest.Password
		out := p.must(t, "profile", "bootstrap", "boot", "--url", p.URL, "--admin-user", platformtest.Username, "--expires-in-days", "1")
		entry := p.entry(t, "boot")
		if !strings.HasPrefix(out, `saved profile "boot"`) || !strings.Contains(out, "\nOK boot "+p.URL+" auth=pat ") || strings.Contains(out, entry.Profile.Token.Reveal()) || !entry.IsDefault || !strings.HasPrefix(entry.Profile.Token.Reveal(), "d2pat_minted") {
			t.Errorf("%s, %+v", out, entry)
		}
		if body := lastBody(p, http.MethodPost); !strings.Contains(body, `"code":"roget-boot-2`) {
			t.Error(body)
		}
		p.Forget()
		out = p.must(t, "profile", "bootstrap", "local", "--url", p.URL, "--admin-user", platformtest.Username, "--no-login", "--local", "--json")
		var shown map[string]any
		if err := json.Unmarshal([]byte(out), &shown); err != nil || shown["name"] != "local" || shown["source"] != "project-toml" || shown["is_default"] != true || shown["verify"] != nil {
			t.Errorf("%s, %v", out, err)
		}
		for _, r := range p.Requests() {
			if r.Path == "/api/me" {
				t.Error("it logs in all the same")
			}
		}
		for line, want := range map[string]string{"bootstrap 4": `"4" cannot be the name`, "bootstrap ok --admin-user wrong": "authentication failed (401)"} {
			if errs := p.fails(t, 1, append([]string{"profile"}, strings.Fields(line)...)...); !strings.Contains(errs, want) {
				t.Errorf("%s: %s", line, errs)
			}
		}
		p.fails(t, 2, "profile", "bootstrap", "ok", "--client-id", "c")
		p.fails(t, 2, "profile", "bootstrap", "ok", "--auth", "oauth2", "--description", "c")
		p.fails(t, 2, "profile", "bootstrap", "ok", "--auth", "oauth2")
	})
}

// TestBootstrapOAuth2: a client is registered with a random secret, then the user logs in.
// Rows of docs/platform.md: T3.2.
func TestBootstrapOAuth2(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		withOAuth2(t, p)
		p.env["PLATFORM_OAUTH_CLIENT_SECRET"], p.env["PLATFORM_ADMIN_PAT"] = "", platformtest.PAT
		p.browser = signIn(t, "good")
		out := p.must(t, "profile", "bootstrap", "boot", "--url", p.URL, "--auth", "oauth2", "--client-id", "roget", "--redirect-uri", "http://127.0.0.1:0")
		entry, client := p.entry(t, "boot"), p.Clients()[0]
		if !strings.Contains(out, "\nOK boot "+p.URL+" auth=oauth2 ") || !entry.IsDefault || entry.Profile.ClientID != "roget" || entry.Profile.Scope != scopeOf(p) {
			t.Errorf("%s, %+v", out, entry)
		}
		if secret := entry.Profile.ClientSecret.Reveal(); len(secret) != 43 || strings.Contains(out, secret) || !strings.HasPrefix(client.Secret, "$2a$10$") {
			t.Errorf("the secret has %d characters: %s", len(secret), out)
		}
	}, bearer)
}

// TestBootstrapOAuth2Fails: the profile stays where its login fails, with the secret that
// was registered.
func TestBootstrapOAuth2Fails(t *testing.T) {
	p := newOnPlatform(t, 42, bearer)
	withOAuth2(t, p)
	p.env["PLATFORM_OAUTH_CLIENT_SECRET"], p.env["PLATFORM_ADMIN_PAT"] = "given-Sw0rdfish", platformtest.PAT
	p.browser = signIn(t, "bad")
	errs := p.fails(t, 1, "profile", "bootstrap", "boot", "--url", p.URL, "--auth", "oauth2", "--client-id", "other", "--redirect-uri", "http://127.0.0.1:0")
	if !strings.Contains(errs, "saved profile") || !strings.Contains(errs, "the platform rejects the token") || p.entry(t, "boot").Profile.ClientSecret.Reveal() != "given-Sw0rdfish" {
		t.Error(errs)
	}
	if bcrypt.CompareHashAndPassword([]byte(p.Clients()[0].Secret), []byte("given-Sw0rdfish")) != nil {
		t.Error("another secret was registered")
	}
}
