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
