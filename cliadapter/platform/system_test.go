package platform_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestWhoAmI: Platform client, section 4, system whoami, and section 2.4, Me.
// Rows of docs/platform.md: 2.4.5, 4.20, T3.1.
func TestWhoAmI(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		out := squeezed(p.must(t, "system", "whoami"))
		has(t, out, "uid Usr00000001\n", "username admin\n", "name Ada Admin\n", "roles Superuser (Rol00000001)\n", "password last updated 2024-01-01T00:00:00Z\n",
			"organisation units Country (Org00000001)\n", "disabled no\n", "authorities 2 (superuser: ALL stands for every authority)\nALL\nF_USER_ADD\n")
		twoFactor := "two-factor NOT_ENABLED\n"
		if p.major == 41 {
			twoFactor = "two-factor no\n"
		}
		has(t, out, twoFactor)
		record := parsed[map[string]any](t, p.must(t, "system", "whoami", "--json"))
		for _, member := range []string{"id", "userRoles", "teiSearchOrganisationUnits", "disabled", "externalAuth", "passwordLastUpdated", "authorities", "openId"} {
			if _, there := record[member]; !there {
				t.Errorf("no %s in %v", member, record)
			}
		}
		if _, there := record["twoFactorType"]; there != (p.major > 41) {
			t.Error("twoFactorType:", record["twoFactorType"])
		}
		p.Fault("/api/users/*", platformtest.Fault{Status: http.StatusBadGateway, Times: 3})
		has(t, p.fails(t, 1, "system", "whoami"), "API error (502)")
		p.Fault("/api/users/*", platformtest.Fault{Status: http.StatusForbidden, Times: 1})
		has(t, squeezed(p.must(t, "system", "whoami")), "username admin\n", "roles Rol00000001\n")
	})
}

func TestSystemInfo(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		version := fmt.Sprintf("2.%d.", p.major)
		has(t, squeezed(p.must(t, "system", "info")), "version "+version, " (supported)\n", fmt.Sprintf("bound as v%d\n", p.major), "address "+p.URL+"\n", "name Test\n")
		if info := parsed[map[string]any](t, p.must(t, "--json", "system", "info")); !strings.HasPrefix(fmt.Sprint(info["version"]), version) || info["systemId"] == nil {
			t.Error(info)
		}
	})
}

// TestSystemSettings: Platform client, section 4, system settings get, list (alias ls),
// set, set-many.
// Rows of docs/platform.md: 4.21, T3.1.
func TestSystemSettings(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		if out := p.must(t, "system", "settings", "get", "applicationTitle"); out != "Test\n" {
			t.Error(out)
		}
		if out := p.must(t, "system", "settings", "get", "applicationTitle", "--json"); out != "\"Test\"\n" {
			t.Error(out)
		}
		if out := p.must(t, "system", "settings", "get", "minPasswordLength"); out != "8\n" {
			t.Error(out)
		}
		if p.major > 41 {
			has(t, p.fails(t, 1, "system", "settings", "get", "none"), `no system setting has this key: "none"`)
		}
		has(t, p.fails(t, 1, "system", "settings", "get", "keyStyle"), "the setting keyStyle is unset")

		list := p.must(t, "system", "settings", "list")
		has(t, list, "applicationTitle = Test\n", "minPasswordLength = 8\n", "keyAnalysisDisplayProperty = name\n")
		if lines := strings.Split(strings.TrimSpace(list), "\n"); !slices.IsSorted(lines) {
			t.Error(lines)
		}
		if ls := p.must(t, "system", "settings", "ls"); ls != list {
			t.Error(ls)
		}
		if all := parsed[map[string]any](t, p.must(t, "system", "settings", "ls", "-j")); all["applicationTitle"] != "Test" || all["credentialsExpires"] != 0.0 {
			t.Error(all)
		}

		if out := p.must(t, "system", "settings", "set", "applicationTitle", "District <office>"); out != "set applicationTitle\n" || p.Setting("applicationTitle") != "District <office>" {
			t.Error(out, p.Setting("applicationTitle"))
		}
		if told := parsed[map[string]any](t, p.must(t, "system", "settings", "set", "applicationTitle", "Other", "--json")); told["action"] != "set" || fmt.Sprint(told["keys"]) != "[applicationTitle]" {
			t.Error(told)
		}
		has(t, p.fails(t, 1, "system", "settings", "set", "applicationTitle", ""), "API error (409): Conflict")

		has(t, p.fails(t, 1, "system", "settings", "delete", "applicationTitle"), "--yes")
		if p.Setting("applicationTitle") != "Other" {
			t.Error("deleted without a yes")
		}
		p.terminal, p.input = true, "no\n"
		has(t, p.fails(t, 1, "system", "settings", "delete", "applicationTitle"), "nothing was done")
		p.input = "y\n"
		if out := p.must(t, "system", "settings", "delete", "applicationTitle"); out != "deleted applicationTitle\n" || p.Setting("applicationTitle") != nil {
			t.Error(out, p.Setting("applicationTitle"))
		}
	})
}

// TestSetManySettings: values as text. The whole file is checked before anything is set, and if a
// setting fails, the earlier ones are reported.
// Rows of docs/platform.md: 4.21, T3.1.
func TestSetManySettings(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		path := filepath.Join(t.TempDir(), "settings.json")
		file := func(doc string) string {
			if err := os.WriteFile(path, []byte(doc), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		out := p.must(t, "system", "settings", "set-many", file(`{"zeta":true,"alpha":"a text","count":12.50,"deep":{"a": [1, 2]},"list":[ ]}`))
		if out != "set zeta\nset alpha\nset count\nset deep\nset list\n" {
			t.Error(out)
		}
		for key, want := range map[string]string{"zeta": "true", "alpha": "a text", "count": "12.50", "deep": `{"a":[1,2]}`, "list": "[]"} {
			if got := p.Setting(key); got != want {
				t.Errorf("%s is %v", key, got)
			}
		}
		for _, wrong := range []string{`[]`, `"a"`, `{"new":1,"new":2}`, `{"new":1,"null":null}`, `{"new":1,"":2}`, `{"new":1`, ``} {
			p.fails(t, 2, "system", "settings", "set-many", file(wrong))
			if p.Setting("new") != nil {
				t.Errorf("%s: something was set", wrong)
			}
		}
		p.fails(t, 1, "system", "settings", "set-many", path+".none")
		p.fails(t, 2, "system", "settings", "set-many")

		p.Fault("/api/systemSettings/second", platformtest.Fault{Status: http.StatusConflict})
		code, out, errs := p.run(t, "system", "settings", "set-many", file(`{"first":1,"second":2,"third":3}`))
		if code != 1 || out != "set first\n" || p.Setting("third") != nil {
			t.Error(code, out, errs)
		}
		has(t, errs, "API error (409)")
	})
}

// TestSettingsOnATerminal: what the platform says cannot steer the terminal.
func TestSettingsOnATerminal(t *testing.T) {
	p := newOnPlatform(t, 42, func(o *platformtest.Options) {
		o.Settings = map[string]any{"keyApplicationIntro": "one\ntwo\x1b[2J"}
	})
	if out := p.must(t, "system", "settings", "get", "keyApplicationIntro"); out != "one\ntwo\x1b[2J\n" {
		t.Errorf("%q", out)
	}
	if out := p.must(t, "system", "settings", "list"); strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
}

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

const pngImage = "\x89PNG\r\n\x1a\nimage"

// TestCustomize: platform client, section 4, commands, customize.
// Rows of docs/platform.md: 4.27, 5.12, T3.1.
func TestCustomize(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		folder := t.TempDir()
		logo := writtenFile(t, folder, "logo_front.png", pngImage)
		writtenFile(t, folder, "preset.json", `{"keyUseCustomLogoBanner":false,"applicationTitle":"Mine"}`)
		if out := p.must(t, "customize", "logo-banner", logo); out != "applied "+logo+"\n" || string(p.File("logo_banner")) != pngImage {
			t.Errorf("%q", out)
		}
		p.input = "body{}"
		if out := p.must(t, "customize", "style", "-"); out != "applied -\n" || string(p.File("style")) != "body{}" {
			t.Errorf("%q", out)
		}
		if p.File("logo_front") != nil {
			t.Error("the other image is there")
		}
		p.must(t, "customize", "logo-front", logo, "--json")
		if out := p.must(t, "customize", "apply", folder); out != "applied logo_front.png\napplied setting keyUseCustomLogoBanner\napplied setting applicationTitle\n" {
			t.Errorf("%q", out)
		}
		if out := p.must(t, "customize", "show"); !strings.Contains(out, "applicationTitle         Mine\n") {
			t.Errorf("%s", out)
		}
		if out := p.must(t, "customize", "show", "--json"); !strings.Contains(out, `"applicationTitle": "Mine"`) || !strings.Contains(out, `"id": "idp"`) {
			t.Errorf("%s", out)
		}
	})
}

func TestCustomizeFails(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		folder := t.TempDir()
		text := writtenFile(t, folder, "text", "GIF89a")
		for want, line := range map[string][]string{
			"it is not a PNG image":  {"logo-front", text},
			"no such file":           {"style", filepath.Join(folder, "none")},
			"the folder has none of": {"apply", folder},
			"none: no such file":     {"apply", filepath.Join(folder, "none")},
		} {
			if errs := p.fails(t, 1, append([]string{"customize"}, line...)...); !strings.Contains(errs, want) {
				t.Errorf("%q: %s", line, errs)
			}
		}
		writtenFile(t, folder, "logo_front.png", pngImage)
		writtenFile(t, folder, "style.css", "body{}")
		p.Fault("/api/files/style", platformtest.Fault{Method: http.MethodPost, Status: 403})
		if errs := p.fails(t, 1, "customize", "apply", folder); !strings.Contains(errs, "applied logo_front.png\n") || !strings.Contains(errs, "style.css: API error (403): Forbidden: A test wants it so") {
			t.Error(errs)
		}
	})
}
