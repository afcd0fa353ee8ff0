package platform_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestAppsAdd: Platform client, section 4, apps add, and GET /api/appHub: the id of a version
// first, then the id of an app.
// Rows of docs/platform.md: 4.11, 4.18, T3.1.
func TestAppsAdd(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		if out := p.must(t, "apps", "add", "ver-1"); out != "installed Widget 1.9.5 (version id ver-1; by the id of the version)\n" {
			t.Error(out)
		}
		told := parsed[map[string]string](t, p.must(t, "apps", "add", "app-1", "--json"))
		if told["name"] != "Widget" || told["version"] != "10.1.0" || told["version_id"] != "ver-3" || told["resolved_by"] != "app" {
			t.Error(told)
		}
		path := writtenFile(t, t.TempDir(), "app.zip", string(platformtest.AppArchive("Uploaded", "1.2.3")))
		if out := p.must(t, "apps", "add", path); out != "installed Uploaded 1.2.3 (key uploaded; from "+path+")\n" {
			t.Error(out)
		}
		has(t, squeezed(p.must(t, "apps", "list")), "KEY NAME VERSION TYPE BUNDLED CORE HUB ID\n", "dashboard Dashboard 100.1.0 APP yes yes a1b2c3d4\n", "widget Widget 10.1.0 APP no no app-1\n", "uploaded Uploaded 1.2.3 APP no no -\n")
		if apps := parsed[[]map[string]any](t, p.must(t, "apps", "ls", "--json")); len(apps) != 4 || apps[0]["core_app"] != true || apps[1]["bundled"] != false {
			t.Error(apps)
		}

		has(t, p.fails(t, 1, "apps", "add", writtenFile(t, t.TempDir(), "wrong.zip", "no archive")), "is not a zip archive")
		has(t, p.fails(t, 1, "apps", "add", writtenFile(t, t.TempDir(), "broken.zip", "PK\x03\x04 cut")), "API error (409): Conflict: Invalid app")
		has(t, p.fails(t, 1, "apps", "add", path+".zip"), "no such file")
		p.fails(t, 2, "apps", "add")
	})
}

// TestAppsUnknown: Platform client, section 7, catalog id matches neither version nor app.
// Rows of docs/platform.md: 4.18, 7.8.
func TestAppsUnknown(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for _, command := range []string{"add", "hub-versions"} {
			errs := p.fails(t, 1, "apps", command, "none")
			if strings.Count(errs, "\n") != 1 || !strings.Contains(errs, `"none"`) {
				t.Errorf("%s: not one line: %s", command, errs)
			}
		}
		if changed := written(p); len(changed) != 0 {
			t.Error(changed)
		}
	})
}

// TestAppHub: Platform client, section 4, apps hub-versions, and section 2.4, app hub
// version entry.
// Rows of docs/platform.md: 2.4.2, 4.19, T3.1.
func TestAppHub(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		want := "VERSION ID CHANNEL MIN MAX\n10.1.0 ver-3 stable 2.40 -\n2.0.0 ver-2 stable 2.40 -\n1.9.5 ver-1 stable 2.38 2.41\nbeta ver-4 development 2.42 -\n"
		if out := squeezed(p.must(t, "apps", "hub-versions", "app-1")); out != want {
			t.Error(out)
		}
		entry := parsed[struct {
			ID, Description string
			Versions        []map[string]any
		}](t, p.must(t, "apps", "hub-versions", "app-1", "--json"))
		if entry.ID != "app-1" || entry.Description == "" || len(entry.Versions) != 4 || entry.Versions[0]["id"] != "ver-3" || entry.Versions[0]["minDhisVersion"] != "2.40" {
			t.Error(entry)
		}
		has(t, squeezed(p.must(t, "apps", "hub-list")), "app-1 Widget APP 10.1.0 Shows a widget\n", "app-2 Gadget DASHBOARD_WIDGET 0.3.0 -\n")
		for text, want := range map[string]string{"SHOWS A": "app-1", "ben": "app-2", "dashboard_": "app-2"} {
			if found := parsed[[]map[string]any](t, p.must(t, "apps", "hub-list", "-s", text, "--json")); len(found) != 1 || found[0]["id"] != want {
				t.Error(text, found)
			}
		}
		if none := strings.TrimSpace(p.must(t, "apps", "hub-list", "--search", "nothing of the kind", "--json")); none != "[]" {
			t.Error(none)
		}
		p.Fault("/api/appHub", platformtest.Fault{Status: http.StatusBadGateway})
		has(t, p.fails(t, 1, "apps", "hub-list"), "API error (502)")
	})
}

// Rows of docs/platform.md: T3.4.
func TestAppHubURL(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		has(t, p.fails(t, 1, "apps", "hub-url"), "the setting keyAppHubUrl is unset")
		if out := p.must(t, "apps", "hub-url", "--set", "https://apps.platform.example"); out != "set keyAppHubUrl\n" {
			t.Error(out)
		}
		if out := p.must(t, "apps", "hub-url"); out != "https://apps.platform.example\n" {
			t.Error(out)
		}
		if told := parsed[map[string]string](t, p.must(t, "apps", "hub-url", "--json")); told["url"] != "https://apps.platform.example" {
			t.Error(told)
		}
		for _, wrong := range []string{"", "apps.example", "ftp://apps.example", "https://"} {
			p.fails(t, 2, "apps", "hub-url", "--set", wrong)
		}
	})
}

// Rows of docs/platform.md: T3.4.
func TestAppsRemove(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		has(t, p.fails(t, 1, "apps", "remove", "side"), "--yes")
		p.terminal, p.input = true, "\n"
		has(t, p.fails(t, 1, "apps", "remove", "side"), "nothing was done")
		if changed := written(p); len(changed) != 0 {
			t.Error(changed)
		}
		if out := p.must(t, "apps", "rm", "side", "-y"); out != "removed side\n" {
			t.Error(out)
		}
		has(t, p.fails(t, 1, "apps", "remove", "side", "--yes"), "API error (404): Not Found: App does not exist: side")
		has(t, p.fails(t, 1, "apps", "remove", "dashboard", "--yes"), "API error (409): Conflict: Bundled apps cannot be deleted")
		if out := p.must(t, "apps", "reload"); out != "reloaded the apps\n" {
			t.Error(out)
		}
	})
}
