package platform_test

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

// TestProfileScopes: files of the user and of the project, defaults, and warnings about hidden
// profiles.
// Rows of docs/platform.md: T3.2.
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
	if errs := add("prod", "--local"); !strings.Contains(errs, "warning: the user also has a profile \"prod\"") || !strings.Contains(errs, "hidden") {
		t.Errorf("%s", errs)
	}
	if _, err := os.Stat(filepath.Join(p.folder(), ".platform", "profiles.toml")); err != nil {
		t.Error(err)
	}
	if errs := add("test"); errs != "" {
		t.Errorf("%s", errs)
	}
	p.env["PLATFORM_PAT"] = platformtest.PAT
	if errs := add("prod", "--default"); !strings.Contains(errs, "warning: the project also has a profile \"prod\"") {
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

// TestProfileRemoveAsks: destructive commands ask at a terminal, and need --yes elsewhere.
// Rows of docs/platform.md: T3.2.
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

// TestProfileShow: secrets are hidden without --secrets, and env prints for shells.
// Rows of docs/platform.md: T3.2.
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
	if errs := p.fails(t, 2, "profile", "show", "web", "-p", "prod"); !strings.Contains(errs, "given twice") {
		t.Errorf("%s", errs)
	}
	for _, args := range [][]string{{"profile", "show", ""}, {"profile", "show", "-p", ""}, {"-p", "", "profile", "show"}, {"--profile=", "profile", "show"}} {
		if errs := p.fails(t, 2, args...); !strings.Contains(errs, "the name of the profile is empty") {
			t.Errorf("%q: %s", args, errs)
		}
	}
	if errs := p.fails(t, 1, "profile", "show", "wob"); errs != "roget: profile show: there is no profile \"wob\"; the profiles are: prod, web\n" {
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
// Rows of docs/platform.md: 5.5, T3.2.
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
	if errs := p.fails(t, 1, "profile", "logout", "prod"); !strings.Contains(errs, `profile "prod" uses pat; only profiles with oauth2 log in and out`) {
		t.Errorf("%s", errs)
	}
	if errs := p.fails(t, 1, "profile", "login", "prod"); !strings.Contains(errs, "only profiles with oauth2") {
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
