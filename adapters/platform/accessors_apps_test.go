package platform_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// appAccessors are about apps and the app hub.
var appAccessors = []accessorTest{
	{"apps", func(t *testing.T, c *platform.Client, _ platform.Major) {
		ctx, apps := t.Context(), c.Apps()
		list, err := apps.List(ctx)
		if err != nil || len(list) != 2 || !list[0].CoreApp || list[1].Bundled || list[0].AppHubID == "" {
			t.Fatal(list, err)
		}
		app, err := apps.Upload(ctx, "some/widget.zip", bytes.NewReader(platformtest.AppArchive("Uploaded", "1.2.3")))
		if err != nil || app == nil || app.Key != "uploaded" || app.Version != "1.2.3" {
			t.Error(app, err)
		}
		if list, err = apps.List(ctx); err != nil || len(list) != 3 {
			t.Error(list, err)
		}
		if err := errors.Join(apps.Delete(ctx, "uploaded"), apps.Reload(ctx)); err != nil {
			t.Error(err)
		}
		refused(t, apps.Delete(ctx, "uploaded"), http.StatusNotFound)
		refused(t, apps.Delete(ctx, "dashboard"), http.StatusConflict)
		if _, err := apps.Upload(ctx, "widget.txt", strings.NewReader("no archive")); err == nil || !strings.Contains(err.Error(), "widget.txt: it is not a zip archive") {
			t.Error(err)
		}
		_, err = apps.Upload(ctx, "cut.zip", strings.NewReader("PK\x03\x04 and then nothing"))
		refused(t, err, http.StatusConflict)
	}},
	// Platform client, section 4, GET /api/appHub: version id first, else app id, of which
	// the latest version; section 2.4, app hub version entry.
	{"app hub", func(t *testing.T, c *platform.Client, _ platform.Major) {
		ctx, hub := t.Context(), c.AppHub()
		app, err := hub.App(ctx, "app-1")
		if err != nil {
			t.Fatal(err)
		}
		var versions []string
		for _, v := range app.NewestFirst() {
			versions = append(versions, v.Version)
		}
		if !slices.Equal(versions, []string{"10.1.0", "2.0.0", "1.9.5", "beta"}) {
			t.Error(versions)
		}
		if v := app.NewestFirst()[2]; v.ID != "ver-1" || v.Channel != "stable" || v.MinPlatformVersion != "2.38" || v.MaxPlatformVersion != "2.41" {
			t.Errorf("%+v", v)
		}
		for id, want := range map[string]string{"ver-1": "1.9.5", "app-1": "10.1.0", "app-2": "0.3.0"} {
			target, err := hub.Resolve(ctx, id)
			if err != nil || target.Version.Version != want || target.ByApp != strings.HasPrefix(id, "app") {
				t.Error(id, target, err)
			}
		}
		if err := hub.Install(ctx, "ver-5"); err != nil {
			t.Fatal(err)
		}
		apps, err := c.Apps().List(ctx)
		if err != nil || !slices.ContainsFunc(apps, func(a platform.App) bool { return a.Name == "Gadget" && a.Version == "0.3.0" && a.AppHubID == "app-2" }) {
			t.Error(apps, err)
		}
		refused(t, hub.Install(ctx, "ver-9"), http.StatusNotFound)
	}},
	// Platform client, section 7: catalog id matches neither version nor app.
	{"unknown id of the catalogue", func(t *testing.T, c *platform.Client, _ platform.Major) {
		for name, ask := range map[string]func(context.Context) error{
			"resolve": func(ctx context.Context) error { _, err := c.AppHub().Resolve(ctx, "none"); return err },
			"app":     func(ctx context.Context) error { _, err := c.AppHub().App(ctx, "none"); return err },
		} {
			err := ask(t.Context())
			if !errors.Is(err, platform.ErrInstallTarget) || !errors.Is(err, platform.ErrLookup) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), `"none"`) {
				t.Error(name, err)
			}
		}
	}},
}

// An accessorTest runs after those before it against one platform of each major: what the
// first ones write the last ones see.
type accessorTest struct {
	name string
	test func(t *testing.T, c *platform.Client, major platform.Major)
}

// TestAccessors runs every accessor of system, users and apps as each major. Platform
// client, sections 2.4, 4, 5 and 7; platform toolkit, sections 2.8 and 7.3.
// Rows of docs/platform.md: 2.4.2, 2.4.3, 2.4.4, 2.4.5, 4.7, 4.8, 4.9, 4.10, 4.11, 4.15, 7.8,
// 7.12.
func TestAccessors(t *testing.T) {
	for _, major := range platform.Majors() {
		t.Run(major.String(), func(t *testing.T) {
			p := platformtest.New(t, platformtest.Options{Major: int(major)})
			client := connect(t, p)
			for _, test := range slices.Concat(systemAccessors, userAccessors, appAccessors) {
				t.Run(test.name, func(t *testing.T) { test.test(t, client, major) })
			}
			// Platform client, section 4: all API calls carry the headers of section 5.
			for _, r := range p.Requests() {
				if strings.HasPrefix(r.Path, "/api/") && r.Header.Get("Authorization") != "ApiToken "+platformtest.PAT {
					t.Errorf("%s %s has no credentials", r.Method, r.Path)
				}
			}
		})
	}
}
