package platform_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// onReleases runs a test against the double as every release.
func onReleases(t *testing.T, test func(t *testing.T, p *onPlatform), change ...func(o *platformtest.Options)) {
	t.Helper()
	for _, version := range platformtest.Releases() {
		t.Run(version, func(t *testing.T) {
			test(t, newOnPlatform(t, 0, append(change, func(o *platformtest.Options) { o.Version = version })...))
		})
	}
}

// TestV3: a client is registered on every release without special flags. Where a scope is refused, the message names
// --scope and the accepted scopes.
func TestV3(t *testing.T) {
	onReleases(t, func(t *testing.T, p *onPlatform) {
		p.env["PLATFORM_ADMIN_PAT"], p.env["PLATFORM_OAUTH_CLIENT_SECRET"] = platformtest.PAT, "client-Sw0rdfish"
		p.must(t, "profile", "oauth2", "client", "register", "--client-id", "plain")
		p.must(t, "profile", "bootstrap", "boot", "--url", p.URL, "--auth", "oauth2", "--client-id", "boot", "--no-login")
		if p.Rules().Scopes == nil {
			return
		}
		for _, line := range []string{"profile oauth2 client register --client-id b --scope ALL", "profile bootstrap other --url " + p.URL + " --auth oauth2 --client-id c --scope ALL --no-login"} {
			has(t, p.fails(t, 1, strings.Fields(line)...), "API error (409)", "\nhint: ", "openid, profile, username, email", `--scope "openid username"`)
		}
	})
}

// TestV5: a session that has ended is told as such, and so is a login page in place of an answer.
func TestV5(t *testing.T) {
	onReleases(t, func(t *testing.T, p *onPlatform) {
		p.env["PLATFORM_SESSION_COOKIE"] = "JSESSIONID=ended"
		p.must(t, "profile", "add", "old", "--auth", "session", "--url", p.URL, "--from-env")
		has(t, p.fails(t, 1, "-p", "old", "system", "whoami"), "authentication failed (401): GET /api/system/info", "the session has ended")
		for _, r := range p.Requests() {
			if r.Header.Get("X-Requested-With") != "XMLHttpRequest" {
				t.Errorf("%s %s does not say that it is from a script", r.Method, r.Path)
			}
		}
		p.Fault("/api/me", platformtest.Fault{Status: http.StatusFound, Header: http.Header{"Location": {"/dhis-web-login/"}}})
		has(t, p.fails(t, 1, "system", "whoami"), "authentication failed (302)", "login page")
	})
}

// TestV6: start pages and portals are not taken for the platform.
func TestV6(t *testing.T) {
	for _, root := range []string{"/apps/dashboard/", "/login.html", "/index.html", "/portal/", "/dhis-web-dashboard/index.html"} {
		onReleases(t, func(t *testing.T, p *onPlatform) {
			has(t, squeezed(p.must(t, "system", "info")), "address "+p.URL+"\n")
		}, func(o *platformtest.Options) { o.Root = root })
	}
}

// TestV7: the code of a token is sent, and its expiry is printed, also where the platform chose it.
func TestV7(t *testing.T) {
	onReleases(t, func(t *testing.T, p *onPlatform) {
		p.env["PLATFORM_ADMIN_PAT"] = platformtest.PAT
		p.reveal = true
		if out := p.must(t, "profile", "pat", "create"); !strings.Contains(out, "\nexpires  20") {
			t.Error(out)
		}
		p.must(t, "profile", "pat", "create", "--code", "mine")
		p.must(t, "profile", "bootstrap", "boot", "--url", p.URL)
		codes := ""
		for _, uid := range []string{"Tok00000001", "Tok00000002", "Tok00000003"} {
			code, _ := p.Get("apiToken", uid)["code"].(string)
			codes += code + " "
		}
		if !strings.HasPrefix(codes, " mine roget-boot-20") {
			t.Errorf("codes: %q", codes)
		}
		has(t, p.fails(t, 1, "profile", "pat", "create", "--code", "mine"), "API error (409)")
		p.fails(t, 2, "profile", "pat", "create", "--code", strings.Repeat("x", 51))
	})
}

// TestV9: a setting that is unset is told from one that the platform does not know.
func TestV9(t *testing.T) {
	onReleases(t, func(t *testing.T, p *onPlatform) {
		has(t, p.fails(t, 1, "system", "settings", "get", "helpPageLink"), "the setting helpPageLink is unset")
		unknown := `no system setting has this key: "helpPageLinc"`
		if p.Rules().OAuth2 == false { // 2.41, which does not tell them apart
			unknown = "the setting helpPageLinc is unset"
		}
		has(t, p.fails(t, 1, "system", "settings", "get", "helpPageLinc"), unknown)
	})
}
