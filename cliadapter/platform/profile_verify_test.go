package platform_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestProfileVerify: the line and the JSON, with every kind of credentials; who must not be
// asked is not asked, and nothing is printed that is secret.
// Rows of docs/platform.md: 2.2.1, T3.2.
func TestProfileVerify(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		p.env["PLATFORM_PASSWORD"] = platformtest.Password
		p.env["PLATFORM_SESSION_COOKIE"] = platformtest.SessionCookie
		p.must(t, "profile", "add", "ada", "--auth", "basic", "--username", platformtest.Username, "--url", p.URL)
		p.must(t, "profile", "add", "web", "--auth", "session", "--url", p.URL)
		for name, kind := range map[string]string{"prod": "pat", "ada": "basic", "web": "session"} {
			want := fmt.Sprintf("OK %s %s auth=%s version=2.%d.4 user=%s ", name, p.URL, kind, p.major, platformtest.Username)
			if out := p.must(t, "profile", "verify", name); !strings.HasPrefix(out, want) || !strings.HasSuffix(out, " ms\n") {
				t.Errorf("%s, want %s", out, want)
			}
		}
		var answer map[string]any
		if err := json.Unmarshal([]byte(p.must(t, "profile", "verify", "--json")), &answer); err != nil {
			t.Fatal(err)
		}
		delete(answer, "latency_ms")
		if got, _ := json.Marshal(answer); string(got) != fmt.Sprintf(`{"auth":"pat","base_url":%q,"name":"prod","ok":true,"username":"admin","version":"2.%d.4"}`, p.URL, p.major) {
			t.Errorf("%s", got)
		}

		p.env["PLATFORM_PASSWORD"] = "Sw0rdfish-4711"
		if out := p.must(t, "profile", "add", "bad", "--auth", "basic", "--username", platformtest.Username, "--url", p.URL, "--verify"); !strings.Contains(out, "\nFAIL bad ") {
			t.Errorf("a profile that does not work is saved, and that it does not is told: %s", out)
		}
		code, out, _ := p.run(t, "profile", "verify", "bad")
		if code != 1 || !strings.HasPrefix(out, "FAIL bad "+p.URL+" auth=basic error: authentication failed (401)") {
			t.Errorf("exit code %d: %s", code, out)
		}
		code, out, _ = p.run(t, "profile", "verify", "bad", "--json")
		if code != 1 || !strings.Contains(out, `"ok": false`) || !strings.Contains(out, `"error": "authentication failed (401)`) {
			t.Errorf("exit code %d: %s", code, out)
		}
	}, func(o *platformtest.Options) { o.Version = fmt.Sprintf("2.%d.4", o.Major) })
}

// TestSessionProfile: platform client, section 2.5: the cookie is sent verbatim, the token
// goes with it where there is one and is needed for writing alone; when the session has ended
// the user stores a fresh cookie.
// Rows of docs/platform.md: 2.2.3, 2.5.1, 2.5.2, 2.5.4, 5.3.
func TestSessionProfile(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		set := []string{"-p", "web", "datastore", "set", "ns1", "k1", "2"}
		for _, session := range []struct {
			cookie, token, said string // said by the write, "" where it succeeds
		}{
			{"A=1; " + platformtest.SessionCookie, "", "API error (403)"},
			{"JSESSIONID=of-yesterday", platformtest.XSRFToken, "the session has ended; copy a fresh cookie from the browser"},
			{"A=1; " + platformtest.SessionCookie, platformtest.XSRFToken, ""},
		} {
			p.env["PLATFORM_SESSION_COOKIE"], p.env["PLATFORM_SESSION_XSRF"] = session.cookie, session.token
			p.must(t, "profile", "add", "web", "--auth", "session", "--url", p.URL)
			if session.said == "" {
				p.must(t, set...)
			} else {
				has(t, p.fails(t, 1, set...), session.said)
			}
			requests := p.Requests()
			last := requests[len(requests)-1].Header
			if last.Get("Cookie") != session.cookie || last.Get("X-XSRF-TOKEN") != session.token || len(last.Values("X-XSRF-TOKEN")) > 0 != (session.token != "") || last.Get("Authorization") != "" {
				t.Errorf("%q: sent %v", session.cookie, last)
			}
		}
		if value := string(p.Value("", "ns1", "k1")); value != "2" {
			t.Errorf("stored %s", value)
		}
	})
}
