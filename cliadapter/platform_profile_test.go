package cliadapter_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/auth/tokenstore"
)

// TestProfileAdd: profiles of every kind, of the environment and of what is typed; the
// files they are in.
// Rows of docs/platform.md: 2.2.1, 2.2.7.
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
			{"a --auth oauth2 --url URL --client-id c", "PLATFORM_OAUTH_CLIENT_SECRET=client-secret", "", "", "auth=oauth2 client_id=c client_secret=client-secret scope=ALL redirect_uri=http://localhost:8765"},
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

// TestProfileAddRefuses: names, addresses, flags that do not go together, and what is
// missing where nobody can be asked.
// Rows of docs/platform.md: 2.2.7, 2.2.9.
func TestProfileAddRefuses(t *testing.T) {
	p := newOnPlatform(t, 42)
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"a-b --url https://p.example", 1, `"a-b" cannot be the name of a profile`},
		{"a --url p.example", 1, "base_url: it is not an address"},
		{"a", 1, "give --url, or set PLATFORM_URL"},
		{"a --url https://p.example", 1, "Personal access token: there is no terminal to ask at; set PLATFORM_PAT"},
		{"a --url https://p.example --from-env", 1, "set PLATFORM_PAT, or leave --from-env out"},
		{"a --url https://p.example --auth basic", 1, "give --username, or set PLATFORM_USERNAME"},
		{"a --url https://p.example --auth basic --username ada", 1, "set PLATFORM_PASSWORD"},
		{"a --url https://p.example --auth session", 1, "set PLATFORM_SESSION_COOKIE"},
		{"a --url https://p.example --auth oauth2", 1, "give --client-id"},
		{"a --url https://p.example --auth oauth2 --from-env", 1, "give --client-id, or set PLATFORM_OAUTH_CLIENT_ID"},
		{"a --url https://p.example --auth oauth2 --client-id c", 1, "set PLATFORM_OAUTH_CLIENT_SECRET"},
		{"a --url https://p.example --auth token", 2, "flag --auth is one of pat, basic, session, oauth2"},
		{"a --url https://p.example --version 44", 2, `--version: "44" is none of v41, v42, v43`},
		{"a --url https://p.example --username ada", 2, "--username goes with --auth basic"},
		{"a --url https://p.example --global --local", 2, "two files"},
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

// TestProfileScopes: files of the user and of the project, defaults, what is hidden, and
// warnings of it.
func TestProfileScopes(t *testing.T) {
	p := newOnPlatform(t, 42)
	p.env["PLATFORM_PAT"] = "d2pat_other"
	add := func(args ...string) string {
		t.Helper()
		code, _, errs := p.run(t, append([]string{"profile", "add", "--url", "https://x.example"}, args...)...)
		if code != 0 {
			t.Errorf("%q: exit code %d: %s", args, code, errs)
		}
		return errs
	}
	if errs := add("prod", "--local"); !strings.Contains(errs, "warning: the user has a profile \"prod\"") || !strings.Contains(errs, "hidden") {
		t.Errorf("%s", errs)
	}
	if _, err := os.Stat(filepath.Join(p.folder(), ".platform", "profiles.toml")); err != nil {
		t.Error(err)
	}
	if errs := add("test"); errs != "" {
		t.Errorf("%s", errs)
	}
	p.env["PLATFORM_PAT"] = platformtest.PAT
	if errs := add("prod", "--default"); !strings.Contains(errs, "warning: the project has a profile \"prod\"") {
		t.Errorf("%s", errs)
	}
	if out := p.must(t, "profile", "list"); out != "NAME    AUTH  URL                SCOPE\n"+
		"prod *  pat   https://x.example  project\ntest    pat   https://x.example  global\n" {
		t.Errorf("%s", out)
	}
	if out := p.must(t, "profile", "ls", "-a"); !strings.Contains(out, "\nprod    pat   https://x.example  global, hidden by the project\n") {
		t.Errorf("%s", out)
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(p.must(t, "profile", "list", "--all", "--json")), &rows); err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	global := filepath.Join(p.home, ".config", "platform", "profiles.toml")
	for i, want := range []string{
		`{"auth":"pat","base_url":"https://x.example","is_default":true,"name":"prod","shadowed":false,"source":"project-toml","source_path":"` + filepath.Join(p.folder(), ".platform", "profiles.toml") + `"}`,
		`{"auth":"pat","base_url":"https://x.example","is_default":false,"name":"prod","shadowed":true,"source":"global-toml","source_path":"` + global + `"}`,
		`{"auth":"pat","base_url":"https://x.example","is_default":false,"name":"test","shadowed":false,"source":"global-toml","source_path":"` + global + `"}`,
	} {
		if got, _ := json.Marshal(rows[i]); string(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if out := p.must(t, "profile", "default"); out != "prod\n" {
		t.Errorf("%s", out)
	}
	p.must(t, "profile", "remove", "prod", "--local", "--yes")
	if out := p.must(t, "profile", "default", "test"); !strings.HasPrefix(out, `default: profile "test" in `+global) {
		t.Errorf("%s", out)
	}
	if out := p.must(t, "profile", "default"); out != "test\n" {
		t.Errorf("%s", out)
	}
	p.must(t, "profile", "rm", "test", "-y")
	p.must(t, "profile", "rm", "prod", "-y")
	code, out, errs := p.run(t, "profile", "list", "--json")
	if code != 0 || out != "[]\n" || !strings.Contains(errs, "roget profile add") {
		t.Errorf("%d, %s, %s", code, out, errs)
	}
	if errs := p.fails(t, 1, "profile", "default"); !strings.Contains(errs, "no profile is chosen\nhint: create a profile") {
		t.Errorf("%s", errs)
	}
}

// TestProfileRemoveAsks: what is destroyed is asked about, at a terminal; elsewhere --yes
// is needed.
func TestProfileRemoveAsks(t *testing.T) {
	p := newOnPlatform(t, 42)
	if errs := p.fails(t, 1, "profile", "remove", "prod"); !strings.Contains(errs, "There is no terminal to answer at; give --yes") {
		t.Errorf("%s", errs)
	}
	p.terminal = true
	for _, answer := range []string{"n\n", "\n", "yess\n"} {
		p.input = answer
		if errs := p.fails(t, 1, "profile", "remove", "prod"); !strings.Contains(errs, "? [y/N] ") || !strings.Contains(errs, "not confirmed, nothing was done") {
			t.Errorf("%q: %s", answer, errs)
		}
	}
	p.input = ""
	if errs := p.fails(t, 1, "profile", "remove", "prod"); !strings.Contains(errs, "ended before an answer") {
		t.Errorf("%s", errs)
	}
	p.input = "Y\r\nrest"
	if out := p.must(t, "profile", "remove", "prod"); !strings.HasPrefix(out, "removed profile") {
		t.Errorf("%s", out)
	}
}

// TestProfileShow: secrets are hidden but with --secrets, and env is for shells.
func TestProfileShow(t *testing.T) {
	p := newOnPlatform(t, 42)
	p.env["PLATFORM_SESSION_COOKIE"], p.env["PLATFORM_SESSION_XSRF"] = "A='1'; B=2", "xsrf-token"
	p.must(t, "profile", "add", "web", "--auth", "session", "--url", "https://x.example", "--version", "v41")
	out := p.must(t, "profile", "show", "web")
	for _, want := range []string{"name         web\n", "auth         session\n", "cookie       ***\n", "xsrf_token   ***\n", "version      v41\n", "source       global-toml\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
	if out := p.must(t, "-j", "profile", "show", "web"); !strings.Contains(out, `"cookie": "***"`) || !strings.Contains(out, "\"meta\": {\n    \"name\": \"web\",\n    \"source\": \"global-toml\",\n    \"source_path\": \""+p.home) {
		t.Errorf("%s", out)
	}
	p.reveal = true
	if out := p.must(t, "profile", "show", "web", "--secrets"); !strings.Contains(out, "cookie       A='1'; B=2\n") {
		t.Errorf("%s", out)
	}
	p.reveal = true
	if out := p.must(t, "profile", "env", "web"); out != "export PLATFORM_URL='https://x.example'\nexport PLATFORM_SESSION_COOKIE='A='\\''1'\\''; B=2'\n"+
		"export PLATFORM_SESSION_XSRF='xsrf-token'\nexport PLATFORM_VERSION='v41'\n" {
		t.Errorf("%s", out)
	}
	p.reveal = true
	var variables map[string]string
	if err := json.Unmarshal([]byte(p.must(t, "profile", "env", "web", "--json")), &variables); err != nil || variables["PLATFORM_SESSION_COOKIE"] != "A='1'; B=2" {
		t.Errorf("%v, %v", variables, err)
	}
	if out := p.must(t, "profile", "show"); !strings.Contains(out, "name         prod\n") {
		t.Errorf("%s", out)
	}
	if errs := p.fails(t, 2, "profile", "show", "web", "-p", "prod"); !strings.Contains(errs, "named twice") {
		t.Errorf("%s", errs)
	}
	for _, args := range [][]string{{"profile", "show", ""}, {"profile", "show", "-p", ""}, {"-p", "", "profile", "show"}, {"--profile=", "profile", "show"}} {
		if errs := p.fails(t, 2, args...); !strings.Contains(errs, "the name of the profile is empty") {
			t.Errorf("%q: %s", args, errs)
		}
	}
	if errs := p.fails(t, 1, "profile", "show", "wob"); errs != "roget: profile show: there is no profile \"wob\"; there are: prod, web\n" {
		t.Errorf("%s", errs)
	}
	if code, out, _ := p.run(t, "__complete", "-p", ""); code != 0 || out != "prod\nweb\n" {
		t.Errorf("%s", out)
	}
	if code, out, _ := p.run(t, "__complete", "profile", "show", "w"); code != 0 || out != "web\n" {
		t.Errorf("%s", out)
	}
}

// TestAddressesWithCredentials: what a file written by hand has in its address is used by
// nothing and shown by nothing.
func TestAddressesWithCredentials(t *testing.T) {
	p := newOnPlatform(t, 42)
	file := p.profiles(t).Path(profile.Global)
	if err := os.WriteFile(file, []byte("[profiles.hand]\nbase_url = \"https://ada:sw0rd@fish@x.example\"\nauth = \"pat\"\ntoken = \"t\"\nusername = \"a@b?c\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]int{
		"list": 0, "list --json": 0, "show hand": 0, "show hand --json": 0, "verify hand": 1, "verify hand --json": 1, "default hand --json": 0,
	} {
		code, out, errs := p.run(t, append([]string{"profile"}, strings.Fields(line)...)...)
		if code != want || strings.Contains(out+errs, "sw0rd") || !strings.Contains(out, "**********@x.example") {
			t.Errorf("%s: %d, %s%s", line, code, out, errs)
		}
		if strings.HasPrefix(line, "show") && !strings.Contains(out, "a@b?c") {
			t.Errorf("%s: %s", line, out)
		}
	}
}

// TestProfileRename: a token goes along with its profile, and goes with it.
// Rows of docs/platform.md: 5.5.
func TestProfileRename(t *testing.T) {
	p := newOnPlatform(t, 42)
	p.env["PLATFORM_OAUTH_CLIENT_SECRET"] = "client-secret"
	p.must(t, "profile", "add", "sso", "--auth", "oauth2", "--url", p.URL, "--client-id", "c", "--default")
	store := tokenstore.New(filepath.Join(p.home, ".config", "platform", tokenstore.FileName))
	t.Cleanup(func() { store.Close() })
	if err := store.Set(t.Context(), "profile:sso", &auth.OAuth2Token{AccessToken: auth.NewSecret("access-token"), BaseURL: p.URL, ClientID: "c"}); err != nil {
		t.Fatal(err)
	}
	has := func(want string) {
		t.Helper()
		got := ""
		for _, name := range []string{"sso", "new", "prod"} {
			token, err := store.Get(t.Context(), "profile:"+name)
			if err != nil {
				t.Fatal(err)
			}
			if token != nil && token.AccessToken.Reveal() == "access-token" {
				got += name
			}
		}
		if got != want {
			t.Errorf("the token is of %q, want %q", got, want)
		}
	}
	if errs := p.fails(t, 1, "profile", "rename", "sso", "prod"); !strings.Contains(errs, `already has a profile "prod"`) {
		t.Errorf("%s", errs)
	}
	has("sso")
	p.must(t, "profile", "rename", "sso", "new")
	has("new")
	if out := p.must(t, "profile", "default"); out != "new\n" {
		t.Errorf("%s", out)
	}
	if errs := p.fails(t, 1, "profile", "logout", "prod"); !strings.Contains(errs, `profile "prod" is one of pat; only those of oauth2 log in and out`) {
		t.Errorf("%s", errs)
	}
	if errs := p.fails(t, 1, "profile", "login", "prod"); !strings.Contains(errs, "only those of oauth2") {
		t.Errorf("%s", errs)
	}
	if out := p.must(t, "profile", "logout"); out != "logged out: new\n" {
		t.Errorf("%s", out)
	}
	has("")
	if out := p.must(t, "profile", "logout", "--json"); out != "{\n  \"logged_out\": false,\n  \"name\": \"new\"\n}\n" {
		t.Errorf("%s", out)
	}
	if err := store.Set(t.Context(), "profile:new", &auth.OAuth2Token{AccessToken: auth.NewSecret("access-token")}); err != nil {
		t.Fatal(err)
	}
	p.must(t, "profile", "remove", "new", "--yes")
	has("")
	if err := store.Set(t.Context(), "profile:new", &auth.OAuth2Token{AccessToken: auth.NewSecret("access-token")}); err != nil {
		t.Fatal(err)
	}
	p.must(t, "profile", "add", "sso", "--auth", "oauth2", "--url", p.URL, "--client-id", "c")
	p.must(t, "profile", "rename", "sso", "new") // what is left of an earlier profile is not its token
	has("")
}
