package platform_test

import (
	"os"
	"strings"
	"testing"

	"github.com/roget-health/roget/auth/profile"
)

// TestProfileAdd: profiles of every kind, from the environment and from prompts, and the files in
// which they are stored.
// Rows of docs/platform.md: 2.2.1, 2.2.7, T3.2.
func TestProfileAdd(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for _, test := range []struct {
			args, env, typed string
			input            string
			want             string // what is stored, without base_url
		}{
			{"a --url URL", "PLATFORM_PAT=d2pat_envEnv", "", "", "auth=pat token=d2pat_envEnv"},
			{"a", "PLATFORM_URL=URL", "d2pat_typedTyped", "", "auth=pat token=d2pat_typedTyped"},
			{"a --auth basic --username ada --url URL/", "PLATFORM_PASSWORD=pw-of-ada", "", "", "auth=basic username=ada password=pw-of-ada"},
			{"a --auth basic --url URL", "", "pw-of-bob", "bob\n", "auth=basic username=bob password=pw-of-bob"},
			{"a --auth session --url URL", "PLATFORM_SESSION_COOKIE= A=1; B=2 ", "", "", "auth=session cookie=A=1; B=2"},
			{"a --auth session --url URL", "PLATFORM_SESSION_COOKIE=A=1;PLATFORM_SESSION_XSRF=xsrf-token", "", "", "auth=session cookie=A=1 xsrf_token=xsrf-token"},
			{"a --auth session --url URL", "", "C=3;xsrf-typed", "", "auth=session cookie=C=3 xsrf_token=xsrf-typed"},
			{"a --auth session --url URL", "", "C=3;", "", "auth=session cookie=C=3"},
			{"a --auth oauth2 --url URL --client-id c", "PLATFORM_OAUTH_CLIENT_SECRET=client-secret", "", "", "auth=oauth2 client_id=c client_secret=client-secret scope=" + scopeOf(p) + " redirect_uri=http://localhost:8765"},
			{"a --auth oauth2 --from-env --version 43", "PLATFORM_URL=URL;PLATFORM_OAUTH_CLIENT_ID=e;PLATFORM_OAUTH_CLIENT_SECRET=client-secret;PLATFORM_OAUTH_SCOPES=openid email;PLATFORM_OAUTH_REDIRECT_URI=http://127.0.0.1:9", "", "", "auth=oauth2 client_id=e client_secret=client-secret scope=openid email redirect_uri=http://127.0.0.1:9 version=v43"},
			{"a --auth oauth2 --from-env --client-id f --scope ALL", "PLATFORM_URL=URL;PLATFORM_OAUTH_CLIENT_ID=e;PLATFORM_OAUTH_CLIENT_SECRET=client-secret;PLATFORM_OAUTH_SCOPES=openid", "", "", "auth=oauth2 client_id=f client_secret=client-secret scope=ALL redirect_uri=http://localhost:8765"},
		} {
			p.env, p.input, p.typed = map[string]string{}, test.input, nil
			for _, pair := range strings.Split(strings.ReplaceAll(test.env, "URL=URL", "URL="+p.URL), ";PLATFORM_") {
				if name, value, ok := strings.Cut("PLATFORM_"+strings.TrimPrefix(pair, "PLATFORM_"), "="); ok {
					p.env[name] = value
				}
			}
			if test.typed != "" {
				p.typed = strings.Split(test.typed, ";")
			}
			args := append([]string{"profile", "add"}, strings.Fields(strings.ReplaceAll(test.args, "URL", p.URL))...)
			if out := p.must(t, args...); !strings.HasPrefix(out, `saved profile "a" in `+p.home) {
				t.Errorf("%s: %s", test.args, out)
			}
			entry, err := p.profiles(t).Find("a", profile.Global)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, field := range entry.Profile.Fields()[1:] {
				got = append(got, field.Name+"="+field.Value+field.Secret.Reveal())
			}
			if strings.Join(got, " ") != test.want || entry.Profile.BaseURL != p.URL || entry.IsDefault {
				t.Errorf("%s: %s is %q, want %s", test.args, entry.Profile.BaseURL, got, test.want)
			}
			if info, err := os.Stat(entry.Path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("mode of %s: %v, %v", entry.Path, info.Mode(), err)
			}
		}
	})
}

// TestProfileAddRefuses: names, addresses, flags that exclude each other, and missing values
// without a prompt.
// Rows of docs/platform.md: 2.2.7, 2.2.9.
func TestProfileAddRefuses(t *testing.T) {
	p := newOnPlatform(t, 42)
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"a-b --url https://p.example", 1, `"a-b" cannot be the name of a profile`},
		{"a --url p.example", 1, "base_url: it is not a URL"},
		{"a", 1, "give --url, or set PLATFORM_URL"},
		{"a --url https://p.example", 1, "Personal access token: there is no terminal to ask at; set PLATFORM_PAT"},
		{"a --url https://p.example --from-env", 1, "set PLATFORM_PAT, or leave out --from-env"},
		{"a --url https://p.example --auth basic", 1, "give --username, or set PLATFORM_USERNAME"},
		{"a --url https://p.example --auth basic --username ada", 1, "set PLATFORM_PASSWORD"},
		{"a --url https://p.example --auth session", 1, "set PLATFORM_SESSION_COOKIE"},
		{"a --url https://p.example --auth oauth2", 1, "give --client-id"},
		{"a --url https://p.example --auth oauth2 --from-env", 1, "give --client-id, or set PLATFORM_OAUTH_CLIENT_ID"},
		{"a --url https://p.example --auth oauth2 --client-id c", 1, "set PLATFORM_OAUTH_CLIENT_SECRET"},
		{"a --url https://p.example --auth token", 2, "flag --auth must be one of pat, basic, session, oauth2"},
		{"a --url https://p.example --version 44", 2, `--version: "44" is none of v41, v42, v43`},
		{"a --url https://p.example --username ada", 2, "--username needs --auth basic"},
		{"a --url https://p.example --global --local", 2, "cannot be used together"},
		{"a --url https://p.example --token d2pat_x", 2, "unknown flag --token"},
	} {
		if errs := p.fails(t, test.code, append([]string{"profile", "add"}, strings.Fields(test.args)...)...); !strings.Contains(errs, test.want) {
			t.Errorf("%s: %s", test.args, errs)
		}
	}
	p.typed = []string{"", ""}
	if errs := p.fails(t, 1, "profile", "add", "a", "--url", p.URL); !strings.Contains(errs, "nothing was entered") {
		t.Errorf("%s", errs)
	}
	p.env["PLATFORM_SESSION_COOKIE"] = "A=1\x01B"
	if errs := p.fails(t, 1, "profile", "add", "a", "--url", p.URL, "--auth", "session"); !strings.Contains(errs, "cookie: ") {
		t.Errorf("%s", errs)
	}
	if list, err := p.profiles(t).List(); err != nil || len(list) != 1 {
		t.Errorf("stored: %v, %v", list, err)
	}
}
