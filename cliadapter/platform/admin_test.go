package platform_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestPATCreate: platform client, section 4, profile pat: it mints a personal token, which
// is printed once.
// Rows of docs/platform.md: 2.2.2, 4.17, T3.1.
func TestPATCreate(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		p.env["PLATFORM_ADMIN_PASSWORD"] = platformtest.Password
		before := time.Now()
		code, out, errs := p.run(t, "profile", "pat", "create", "--url", p.URL+"/", "--admin-user", platformtest.Username, "--code", "ci",
			"--expires-in-days", "7", "--allowed-method", "get", "--allowed-ip", "127.0.0.1", "--allowed-method", "POST")
		lines := strings.Fields(out)
		if code != 0 || len(lines) != 6 || lines[4] != "expires" || lines[0] != "uid" || !strings.HasPrefix(lines[1], "Tok") || lines[2] != "token" || !strings.HasPrefix(lines[3], "d2pat_") || !strings.Contains(errs, "not shown again") {
			t.Fatalf("%d, %s%s", code, out, errs)
		}
		var body struct {
			Code       string
			Expire     int64
			Attributes json.RawMessage
		}
		if err := json.Unmarshal([]byte(lastBody(p, http.MethodPost)), &body); err != nil || body.Code != "ci" ||
			string(body.Attributes) != `[{"type":"IpAllowedList","allowedIps":["127.0.0.1"]},{"type":"MethodAllowedList","allowedMethods":["GET","POST"]}]` {
			t.Errorf("%+v %s, %v", body, body.Attributes, err)
		}
		if expires, err := time.Parse(time.RFC3339, lines[5]); err != nil || !expires.Equal(time.UnixMilli(body.Expire).Truncate(time.Second)) {
			t.Errorf("%s, %v", lines[5], err)
		}
		if days := time.UnixMilli(body.Expire).Sub(before).Hours() / 24; days < 6.9 || days > 7.1 { // summer time may begin
			t.Errorf("it expires in %g days", days)
		}
		p.env["PLATFORM_PAT"] = lines[3]
		if out := p.must(t, "profile", "add", "minted", "--url", p.URL, "--from-env", "--verify"); !strings.Contains(out, "user=admin") {
			t.Errorf("the token does not work: %s", out)
		}

		p.env["PLATFORM_ADMIN_PAT"] = platformtest.PAT // and the address of the profile
		if out := p.must(t, "profile", "pat", "create", "-q", "-p", "prod"); !strings.HasPrefix(out, "d2pat_") || strings.Count(out, "\n") != 1 {
			t.Errorf("%q", out)
		}
		var shown map[string]string
		if out := p.must(t, "profile", "pat", "create", "--json"); json.Unmarshal([]byte(out), &shown) != nil || len(shown) != 3 || !strings.HasPrefix(shown["token"], "d2pat_") {
			t.Errorf("%s", out)
		}
	})
}

// Rows of docs/platform.md: 4.17.
func TestPATCreateFails(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		if errs := p.fails(t, 1, "profile", "pat", "create", "--url", p.URL); !strings.Contains(errs, "set PLATFORM_ADMIN_PAT") || !strings.Contains(errs, "--admin-user") {
			t.Error(errs)
		}
		if errs := p.fails(t, 1, "profile", "pat", "create", "--url", p.URL, "--admin-user", "ada"); !strings.Contains(errs, "set PLATFORM_ADMIN_PASSWORD") {
			t.Error(errs)
		}
		p.typed = []string{"wrong-Sw0rdfish"}
		if errs := p.fails(t, 1, "profile", "pat", "create", "--admin-user", "ada"); !strings.Contains(errs, "Password of ada: ") || !strings.Contains(errs, "authentication failed (401)") || strings.Contains(errs, "Sw0rd") {
			t.Error(errs)
		}
		p.env["PLATFORM_ADMIN_PAT"] = "d2pat_\n"
		for _, line := range []string{"--expires-in-days 0", "--expires-in-days x", "--expires-in-days 99999"} {
			p.fails(t, 2, append([]string{"profile", "pat", "create"}, strings.Fields(line)...)...)
		}
		if errs := p.fails(t, 1, "profile", "pat", "create"); !strings.Contains(errs, "PLATFORM_ADMIN_PAT: it contains a control character") {
			t.Error(errs)
		}
		p.env["PLATFORM_ADMIN_PAT"] = platformtest.PAT
		p.env["PLATFORM_URL"] = "ftp://platform.example"
		if errs := p.fails(t, 1, "profile", "pat", "create"); !strings.Contains(errs, "base_url") {
			t.Error(errs)
		}
		p.env["PLATFORM_URL"] = ""
		p.must(t, "profile", "remove", "prod", "-y")
		if errs := p.fails(t, 2, "profile", "pat", "create"); !strings.Contains(errs, "--url is missing") {
			t.Error(errs)
		}
		p.terminal, p.input = true, p.URL+"\n"
		if out := p.must(t, "profile", "pat", "create", "-q"); !strings.HasPrefix(out, "d2pat_") {
			t.Errorf("%q", out)
		}
	})
}

// TestPATUnavailable: platform client, section 2.5, rule 5: if personal access tokens are disabled,
// or not allowed for this user, the error suggests the cookie of a session.
// Rows of docs/platform.md: 2.5.5.
func TestPATUnavailable(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		p.env["PLATFORM_ADMIN_PAT"] = platformtest.PAT
		for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
			p.Fault("/api/apiToken", platformtest.Fault{Method: http.MethodPost, Status: status})
			for _, command := range []string{"pat create", "bootstrap new"} {
				errs := p.fails(t, 1, append([]string{"profile"}, strings.Fields(command)...)...)
				if !strings.Contains(errs, "API error (") || !strings.Contains(errs, "\nhint: ") || !strings.Contains(errs, "roget profile add NAME --auth session") {
					t.Errorf("%s, %d: %s", command, status, errs)
				}
			}
			p.Heal()
		}
		p.Fault("/api/apiToken", platformtest.Fault{Method: http.MethodPost, Status: http.StatusConflict})
		if errs := p.fails(t, 1, "profile", "pat", "create"); strings.Contains(errs, "hint: ") {
			t.Error(errs)
		}
	})
}

// TestClientRegister: platform client, section 4, profile oauth2: it registers an OAuth2
// client, with the hash of a secret that is never printed.
// Rows of docs/platform.md: 2.3.1, 2.3.4, 4.17, 5.5, T3.1.
func TestClientRegister(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		p.env["PLATFORM_ADMIN_PAT"] = platformtest.PAT
		p.env["PLATFORM_OAUTH_CLIENT_SECRET"] = "client-Sw0rdfish"
		out := p.must(t, "profile", "oauth2", "client", "register", "--client-id", "roget")
		client := p.Clients()[0]
		if want := "uid           " + client.UID + "\nclient_id     roget\nredirect_uri  http://localhost:8765\nscope         " + scopeOf(p) + "\n"; out != want {
			t.Errorf("%q, want %q", out, want)
		}
		if !strings.HasPrefix(client.Secret, "$2a$10$") || client.RedirectURIs[0] != "http://localhost:8765" || strings.Join(client.Scopes, " ") != scopeOf(p) || client.ClientSettings == "" || client.TokenSettings == "" {
			t.Errorf("%+v", client)
		}
		if out := p.must(t, "profile", "oauth2", "client", "ls"); out != "CLIENT ID  NAME   GRANTS                            REDIRECT\nroget      roget  authorization_code refresh_token  http://localhost:8765\n" {
			t.Errorf("%s", out)
		}
		if out := p.must(t, "profile", "oauth2", "client", "list", "--json"); !strings.Contains(out, `"client_id": "roget"`) || strings.Contains(out, "$2a$") {
			t.Errorf("%s", out)
		}
	})
}

// Rows of docs/platform.md: 4.17.
func TestClientRegisterFails(t *testing.T) {
	p := newOnPlatform(t, 42)
	register := []string{"profile", "oauth2", "client", "register", "--client-id", "b"}
	p.env["PLATFORM_ADMIN_PAT"] = platformtest.PAT
	if errs := p.fails(t, 1, register...); !strings.Contains(errs, "set PLATFORM_OAUTH_CLIENT_SECRET") {
		t.Error(errs)
	}
	p.env["PLATFORM_OAUTH_CLIENT_SECRET"] = strings.Repeat("a", 73)
	if errs := p.fails(t, 1, register...); !strings.Contains(errs, "BCrypt reads only 72") {
		t.Error(errs)
	}
	p.env["PLATFORM_OAUTH_CLIENT_SECRET"] = "client-Sw0rdfish"
	p.Fault("/api/oAuth2Clients", platformtest.Fault{Status: 409, Body: `{"message":"b with client-Sw0rdfish already exists"}`})
	if errs := p.fails(t, 1, register...); !strings.Contains(errs, "API error (409): Conflict: b with ********** already exists") {
		t.Error(errs)
	}
	p.fails(t, 2, register[:4]...)
}
