package platform_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// TestReleases: the table of releases agrees with the double, which was written from the page of rules by
// version and not from this table.
func TestReleases(t *testing.T) {
	versions := append(platformtest.Releases(), "2.41.0", "2.42.0", "2.42.4.9", "2.42.5.2", "2.42.5.3", "2.42.6", "2.43.0", "2.43.1", "2.43-SNAPSHOT", "2.44.0")
	for _, version := range versions {
		got, known := platform.RulesOf(version)
		want := platformtest.RulesOf(version)
		if !known || got.OAuth2Server != want.OAuth2 || got.ProofKey != want.ProofKey || got.TwoFactorPath != want.TwoFactor || got.KnownSettings != want.EmptySettings ||
			!slices.Equal(got.RegisteredScopes, want.Scopes) || !slices.Equal(got.MappingClaims, want.MappingClaims) ||
			strings.Contains(got.Scope, "username") != want.UsernameScope || got.OAuth2Server && (len(got.ServerKeys) == 2) != want.OwnProvider {
			t.Errorf("%s: %+v, want %+v", version, got, want)
		}
	}
	if rules, known := platform.RulesOf("nonsense"); known || rules.Scope != "" {
		t.Errorf("%+v", rules)
	}
}

// TestScopeFor: V2; where no version is known, the scopes of the discovery document decide.
func TestScopeFor(t *testing.T) {
	for _, test := range []struct {
		version   string
		supported string
		want      string
	}{
		{"2.41.9", "", "ALL"},
		{"2.42.4", "username", "ALL"},
		{"2.42.5", "ALL", "openid username"},
		{"2.43", "", "openid username"},
		{"", "ALL", "ALL"},
		{"", "openid ALL username", "openid username"},
		{"", "openid", "openid username"},
		{"odd", "", "openid username"},
	} {
		if got := platform.ScopeFor(test.version, strings.Fields(test.supported)); got != test.want {
			t.Errorf("%q, %q: %q", test.version, test.supported, got)
		}
	}
}

// TestV3: registration on every release sends a proof key and scopes that it accepts. A refusal because of scopes
// says which are accepted.
func TestV3(t *testing.T) {
	for _, version := range platformtest.Releases() {
		c, p := onDouble(t, platformtest.Options{Version: version})
		record := platform.OAuth2Client{ClientID: "roget", ClientSecret: auth.NewSecret(clientSecret), RedirectURIs: []string{"http://localhost:1"}}
		if _, err := c.OAuth2Clients().Register(t.Context(), record); err != nil {
			t.Errorf("%s: %v", version, err)
		} else if stored := p.Clients()[0]; !strings.Contains(stored.ClientSettings, `"settings.client.require-proof-key":true`) {
			t.Errorf("%s: %s", version, stored.ClientSettings)
		}
		record.ClientID, record.Scopes = "other", []string{"openid", "ALL"}
		_, err := c.OAuth2Clients().Register(t.Context(), record)
		var refused *platform.ScopeError
		if strict := p.Rules().Scopes != nil; strict != errors.As(err, &refused) || strict && (len(refused.Accepted) != 4 || refused.Status != http.StatusConflict) || !strict && err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// TestV5: every request says that it comes from a script, so that the platform answers a request without a login
// with 401, and not with its login page. A login page all the same means that nobody is signed in.
func TestV5(t *testing.T) {
	for _, version := range platformtest.Releases() {
		p := platformtest.New(t, platformtest.Options{Version: version, ContextPath: "/ctx"})
		session, err := auth.NewSessionCookie(auth.NewSecret("JSESSIONID=ended"), auth.Secret{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = platform.Connect(t.Context(), p.URL, session, platform.Options{})
		var refused *platform.AuthenticationError
		if !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized || !strings.Contains(refused.Error(), "the session has ended") {
			t.Errorf("%s: %v", version, err)
		}
		for _, request := range p.Requests() {
			if request.Header.Get("X-Requested-With") != "XMLHttpRequest" {
				t.Errorf("%s: %s %s has no X-Requested-With", version, request.Method, request.Path)
			}
		}
		p.Fault("/api/system/info", platformtest.Fault{Status: http.StatusFound, Header: http.Header{"Location": {p.URL + "/login.html"}}})
		if _, err = platform.Connect(t.Context(), p.URL, session, platform.Options{}); !errors.As(err, &refused) || !strings.Contains(err.Error(), "login page") {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// TestV6: start pages, login pages and portals are not taken for the platform, on its own host either.
func TestV6(t *testing.T) {
	for _, version := range platformtest.Releases() {
		for _, root := range []string{"", "/apps/dashboard/", "/login.html", "/index.html", "/dhis-web-login/", "/dhis-web-dashboard/index.html", "/portal/", "/portal/start/here", "/api/apps/start/index.html"} {
			for _, context := range []string{"", "/ctx"} {
				p := platformtest.New(t, platformtest.Options{Version: version, ContextPath: context, Root: root})
				c, err := platform.Connect(t.Context(), p.URL, auth.NewPAT(auth.NewSecret(platformtest.PAT)), platform.Options{})
				if err != nil || c.BaseURL() != p.URL || c.ServerVersion() != version {
					t.Errorf("%s, %s%s: %v", version, context, root, err)
				}
				if strings.HasPrefix(root, "/portal/") || strings.HasPrefix(root, "/api/") { // no page of the double
					continue
				}
				host := strings.TrimSuffix(p.URL, context)
				if c, err = platform.Connect(t.Context(), host, auth.NewPAT(auth.NewSecret(platformtest.PAT)), platform.Options{}); err != nil || c.BaseURL() != p.URL {
					t.Errorf("%s, %s%s: from the host alone: %v", version, context, root, err)
				}
			}
		}
	}
}

// TestV7: a token keeps its code, and expires when the platform says.
func TestV7(t *testing.T) {
	for _, version := range platformtest.Releases() {
		c, p := onDouble(t, platformtest.Options{Version: version})
		minted, err := c.Tokens().Mint(t.Context(), platform.NewToken{Code: "mine", Description: "dropped"})
		if err != nil {
			t.Fatal(err)
		}
		stored := p.Get("apiToken", minted.UID)
		if expire, _ := stored["expire"].(float64); stored["code"] != "mine" || stored["description"] != nil || expire == 0 || minted.Expire.UnixMilli() != int64(expire) {
			t.Errorf("%s: %v, expires %v", version, stored, minted.Expire)
		}
	}
}

// TestV8: the table knows which releases have the paths about second factors; others answer 404.
func TestV8(t *testing.T) {
	for _, version := range append(platformtest.Releases(), "2.42.5.2", "2.42.5.3", "2.43.0", "2.43.1") {
		c, _ := onDouble(t, platformtest.Options{Version: version})
		rules, _ := platform.RulesOf(c.ServerVersion())
		for _, path := range []string{"/api/users/twoFactor", "/api/users/twoFactor/summary"} {
			response, err := c.Raw(t.Context(), platform.Request{Path: path})
			if err != nil || (response.Status == http.StatusOK) != rules.TwoFactorPath || !rules.TwoFactorPath && response.Status != http.StatusNotFound {
				t.Errorf("%s: %s: %+v, %v", version, path, response, err)
			}
		}
	}
}

// TestV9: a setting that is unset is not one that is unknown.
func TestV9(t *testing.T) {
	for _, version := range platformtest.Releases() {
		c, _ := onDouble(t, platformtest.Options{Version: version, Settings: map[string]any{"applicationTitle": nil, "keyStyle": ""}})
		for key, unknown := range map[string]bool{"helpPageLink": false, "keyStyle": false, "keyNoSuchThing": version != "2.41.9"} {
			value, set, err := c.System().Setting(t.Context(), key)
			var missing *platform.LookupError
			if set || errors.As(err, &missing) != unknown || !unknown && err != nil || unknown && (!errors.Is(err, platform.ErrUnknownSetting) || missing.Name != key) {
				t.Errorf("%s: %s: %s, %v, %v", version, key, value, set, err)
			}
		}
		if value, set, err := c.System().Setting(t.Context(), "minPasswordLength"); err != nil || !set || string(value) != "8" {
			t.Errorf("%s: %s, %v, %v", version, value, set, err)
		}
	}
}
