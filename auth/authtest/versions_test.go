package authtest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/authtest"
)

// logged returns a user of a release who has logged in.
func logged(t *testing.T, version string) *user {
	t.Helper()
	u := newUser(t, platformtest.Options{Version: version})
	if code, out, errs := u.run("profile", "login", "sso"); code != 0 {
		t.Fatalf("%s: login: %d %s%s", version, code, out, errs)
	}
	return u
}

// reads has a command of every group that reads.
var reads = []string{
	"profile list", "profile show sso", "profile verify sso", "profile oauth2 client list",
	"system whoami", "system info", "system settings list", "system settings get applicationTitle",
	"security settings", "security authorities", "security audit --checks " + auditChecks + " --output-dir AUDIT",
	"user list", "user get admin", "user group list", "user group get Grp00000001", "user group sharing-get Grp00000001", "user role list", "user role get Rol00000001",
	"apps list", "apps hub-list", "apps hub-versions app-1",
	"datastore namespaces", "datastore list", "datastore keys ns1", "datastore get ns1 k1", "datastore list --user",
	"route list", "route get lab",
	"customize show",
	"schema dataElement", "metadata type list", "metadata list dataElements", "metadata list dataElements --count", "metadata get dataElements Del00000001",
}

// auditChecks are the checks of an audit that contact the platform only.
const auditChecks = "transport,settings,authorities,roles,hygiene,credential-probe,guest,apps,sharing,auth-methods,tokens,routes"

// TestReleases: on every release a client is registered, the user logs in, and asks who that is; then a command
// of every group reads. No command has a flag that is about the release. Before 42, which has no OAuth2, the user
// has a personal access token.
func TestReleases(t *testing.T) {
	for _, version := range platformtest.Releases() {
		t.Run(version, func(t *testing.T) {
			var u *user
			if version == "2.41.9" {
				u = newUser(t, platformtest.Options{Version: version})
				u.env["PLATFORM_PAT"] = platformtest.PAT
				if code, out, errs := u.run("profile", "add", "sso", "--url", u.URL, "--from-env", "--verify", "--strict"); code != 0 {
					t.Fatalf("%d %s%s", code, out, errs)
				}
			} else {
				u = logged(t, version)
				u.works()
			}
			for _, line := range reads {
				if code, out, errs := u.run(append([]string{"-p", "sso"}, strings.Fields(strings.NewReplacer(" sso", " ", "AUDIT", t.TempDir()).Replace(line))...)...); code != 0 || out == "" || errs != "" {
					t.Errorf("%s: %d %s%s", line, code, out, errs)
				}
			}
		})
	}
}

// TestV1: a token's user is named by username or email. A provider in the configuration with another claim, or
// for another client, goes first and breaks the login; the hint says what to do about it.
func TestV1(t *testing.T) {
	for _, version := range []string{"2.42.5", "2.42.7", "2.43.2"} {
		u := logged(t, version)
		u.works() // without a provider in the configuration
		for _, test := range []struct {
			provider platformtest.Provider
			want     []string
		}{
			{platformtest.Provider{MappingClaim: "sub"}, []string{"Invalid mapping claim", "oidc.provider.*", "mapping_claim is neither username nor email", "remove that provider"}},
			{platformtest.Provider{MappingClaim: "username", ClientID: "other"}, []string{"Invalid audience", "client_id differs from that of the profile", "remove that provider"}},
		} {
			u.Platform.Configure(&test.provider)
			for _, args := range [][]string{{"profile", "login", "sso"}, {"-p", "sso", "system", "whoami"}} {
				code, _, errs := u.run(args...)
				for _, want := range test.want {
					if code != 1 || !strings.Contains(errs, want) {
						t.Errorf("%s, %v: %d, no %q: %s", version, args, code, want, errs)
					}
				}
				if strings.Contains(errs, "openId") || strings.Contains(errs, "oidc.jwt") {
					t.Errorf("%s, %v: advice for another release: %s", version, args, errs)
				}
			}
		}
		u.Platform.Configure(&platformtest.Provider{MappingClaim: "username"})
		u.works()
	}
	u := logged(t, "2.42.4")
	u.Platform.Configure(&platformtest.Provider{MappingClaim: "sub", ClientID: "other"})
	if code, _, errs := u.run("-p", "sso", "system", "whoami"); code != 1 || !strings.Contains(errs, "set it to the client id of the profile") {
		t.Errorf("%d %s", code, errs)
	}
}

// TestV2: from 2.42.5 and 2.43.0 on the default scope is "openid username", before ALL, and the profile keeps it. A
// profile with another scope is told what is missing, before the login and after it.
func TestV2(t *testing.T) {
	for version, want := range map[string]string{"2.42.4": "ALL", "2.42.5": "openid username", "2.43.0": "openid username", "2.43.2": "openid username"} {
		u := logged(t, version)
		if _, out, _ := u.run("profile", "show", "sso"); !strings.Contains(out, want) {
			t.Errorf("%s: %s", version, out)
		}
		u.works()
	}
	u := newUser(t, platformtest.Options{Version: "2.42.5"})
	for _, args := range [][]string{
		{"profile", "oauth2", "client", "register", "--url", u.URL, "--admin-user", platformtest.Username, "--client-id", "all", "--redirect-uri", redirectURI, "--scope", "ALL"},
		{"profile", "add", "sso", "--url", u.URL, "--auth", "oauth2", "--from-env", "--client-id", "all", "--scope", "ALL"},
	} {
		if code, out, errs := u.run(args...); code != 0 {
			t.Fatalf("%d %s%s", code, out, errs)
		}
	}
	code, _, errs := u.run("profile", "login", "sso")
	for _, want := range []string{`warning: profile "sso" requests the scope "ALL"`, `--scope "openid username"`, "'null'", "the scope username was not granted", `give the profile the scope "openid username"`} {
		if code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%d, no %q: %s", code, want, errs)
		}
	}
	if strings.Contains(errs, "openId") {
		t.Errorf("advice for another release: %s", errs)
	}
}

// TestV4: two keys in the configuration of the server suffice from 2.42.5 on, and hints name no others.
func TestV4(t *testing.T) {
	for _, version := range releases(42) {
		for name, switches := range map[string]authtest.Switches{
			"oidc.oauth2.login.enabled":             {NoLogin: true},
			"oidc.jwt.token.authentication.enabled": {NoJWT: true},
			"oidc.provider.":                        {WrongIssuer: true},
		} {
			u := newUser(t, platformtest.Options{Version: version})
			u.Set(switches)
			code, out, errs := u.run("profile", "login", "sso")
			switch old := version == "2.42.4"; {
			case (old || switches.WrongIssuer) && (code != 1 || strings.Contains(errs, name) != old):
				t.Errorf("%s, %s: %d %s%s", version, name, code, out, errs)
			case !old && !switches.WrongIssuer && code != 0:
				t.Errorf("%s, %s: %d %s%s", version, name, code, out, errs)
			case switches.WrongIssuer && !strings.Contains(errs, "server.base.url"):
				t.Errorf("%s: %s", version, errs)
			}
		}
	}
}

// TestV10: a server that has lost its signing keys refuses a token that is fresh by the clock. The token is
// refreshed once, for reads and writes alike, and nobody is asked to log in. If that is refused, the usual advice
// follows.
func TestV10(t *testing.T) {
	for _, version := range releases(42) {
		u := logged(t, version)
		u.Restart(t)
		u.works()
		u.Restart(t)
		before := len(u.Requests())
		if code, out, errs := u.run("-p", "sso", "datastore", "set", "ns1", "k2", `{"b":2}`); code != 0 || string(u.Platform.Value("", "ns1", "k2")) != `{"b":2}` {
			t.Errorf("%s: a write: %d %s%s", version, code, out, errs)
		}
		if got := u.Requests()[before:]; len(got) != 1 || got[0] != "POST /oauth2/token refresh_token" {
			t.Errorf("%s: %q", version, got)
		}
		u.Restart(t)
		u.RevokeRefreshTokens(t)
		code, _, errs := u.run("-p", "sso", "system", "whoami")
		if code != 1 || !strings.Contains(errs, "authentication failed (401)") || !strings.Contains(errs, "log in again") || !strings.Contains(errs, "could not be refreshed") || u.opened != 1 {
			t.Errorf("%s: %d %s, %d browsers", version, code, errs, u.opened)
		}
	}
}

// TestUnavailable: a server that does not answer, or with 5xx, has refused no refresh: nobody is asked to log in, the
// stored token serves until it expires, and then the error says that the server is unavailable.
func TestUnavailable(t *testing.T) {
	u := logged(t, "2.42.7")
	u.terminal = true // where a refusal would lead to a login
	u.Set(authtest.Switches{TokenStatus: http.StatusServiceUnavailable})
	u.change(func(token *auth.OAuth2Token) { token.ExpiresAt -= 270 })
	if code, out, errs := u.run("-p", "sso", "system", "whoami"); code != 0 || u.opened != 1 {
		t.Errorf("%d %s%s, %d browsers", code, out, errs, u.opened)
	}
	u.change(expired)
	before := u.stored()
	code, out, errs := u.run("-p", "sso", "system", "whoami")
	if code != 1 || out != "" || u.opened != 1 || !strings.Contains(errs, "the authorization server is unavailable") || !strings.Contains(errs, "503") || strings.Contains(errs, "profile login") {
		t.Errorf("%d %s%s, %d browsers", code, out, errs, u.opened)
	}
	if u.stored() != before {
		t.Error("the stored bytes changed")
	}
	u.Set(authtest.Switches{})
	u.works()
}
