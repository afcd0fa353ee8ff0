package platform_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestWrongAnswers: an answer of another shape is an error, never an empty one. Platform
// toolkit, section 2.8.
// Rows of docs/platform.md: 4.8.
func TestWrongAnswers(t *testing.T) {
	p := platformtest.New(t, platformtest.Options{})
	c := connect(t, p)
	ctx := t.Context()
	for _, test := range []struct {
		path   string
		ask    func() error
		bodies []string
	}{
		{"/api/me/authorization", func() error { _, err := c.System().Authorization(ctx); return err }, []string{`{}`, `null`, `{"authorities":["ALL"]}`, `["ALL",1]`, `["ALL",null]`, `"ALL"`, `<html>`, ``}},
		{"/api/authorities", func() error { _, err := c.Authorities().List(ctx); return err }, []string{`{}`, `null`, `{"systemAuthorities":"ALL"}`, `[1]`}},
		{"/api/users", func() error { _, err := c.Users().List(ctx, platform.ListOptions{}); return err }, []string{`{}`, `[]`, `{"users":null}`, `{"users":{}}`, `{"userGroups":[]}`, `{"users":[{"id":1}]}`}},
		{"/api/me", func() error { _, err := c.System().WhoAmI(ctx); return err }, []string{`{}`, `[]`, `{"username":"ada"}`, `{"userRoles":"Superuser"}`}},
		{"/api/systemSettings", func() error { _, err := c.System().Settings(ctx); return err }, []string{`[]`, `"a"`, `null`}},
		{"/api/systemSettings/a", func() error { _, _, err := c.System().Setting(ctx, "a"); return err }, []string{`[]`, `1`}},
		{"/api/sharing", func() error { _, err := c.UserGroups().Sharing(ctx, "Grp00000001"); return err }, []string{`{}`, `[]`, `{"object":null}`, `{"object":[]}`}},
		{"/api/apps", func() error { _, err := c.Apps().List(ctx); return err }, []string{`{"apps":[]}`, `[1]`}},
		{"/api/appHub", func() error { _, err := c.AppHub().Catalogue(ctx); return err }, []string{`{"apps":[]}`, `[1]`, `[{"versions":{}}]`, `[{"versions":[1]}]`}},
	} {
		for _, body := range test.bodies {
			p.Fault(test.path, platformtest.Fault{Status: http.StatusOK, Body: body, Times: 1, Header: http.Header{"Content-Type": {"application/json"}}})
			if err := test.ask(); err == nil {
				t.Errorf("%s: %s was accepted", test.path, body)
			} else if !strings.Contains(err.Error(), test.path) && !strings.Contains(err.Error(), "API error") {
				t.Errorf("%s: %s: the error does not say where: %v", test.path, body, err)
			}
			p.Heal()
		}
	}
}

// TestSpellings: lists of authorities and the catalogue in other spellings. Platform
// toolkit, section 2.8, AppHub.
// Rows of docs/platform.md: 2.4.2, 4.11.
func TestSpellings(t *testing.T) {
	p := platformtest.New(t, platformtest.Options{})
	c := connect(t, p)
	answers := func(path, body string) {
		p.Fault(path, platformtest.Fault{Status: http.StatusOK, Body: body, Times: 1, Header: http.Header{"Content-Type": {"application/json"}}})
	}
	for _, body := range []string{`["ALL","F_LAB"]`, `[{"id":"ALL"},{"id":"F_LAB"}]`, `{"systemAuthorities":["ALL","F_LAB"]}`} {
		answers("/api/authorities", body)
		list, err := c.Authorities().List(t.Context())
		if err != nil || len(list) != 2 || list[1].ID != "F_LAB" {
			t.Error(body, list, err)
		}
	}
	answers("/api/appHub", `[{"id":"a","name":"A","app_type":"APP","versions":[{"id":"v","version":"1","min_dhis_version":"2.40","max_dhis_version":"2.42","download_url":"https://x","created":"2025-10-09T08:53:20.000"},`+
		`{"id":"w","version":"2","minDhisVersion":"2.41","min_dhis_version":"no","created":1760000000000}]}]`)
	app, err := c.AppHub().App(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	v, w := app.Versions[0], app.Versions[1]
	if app.AppType != "APP" || v.MinPlatformVersion != "2.40" || v.MaxPlatformVersion != "2.42" || v.DownloadURL != "https://x" || w.MinPlatformVersion != "2.41" {
		t.Errorf("%+v", app)
	}
	if v.Created.String() != "2025-10-09T08:53:20Z" || !v.Created.Equal(w.Created.Time) {
		t.Error(v.Created, w.Created)
	}
	// An id that is both a version and an app is the version: platform client, section 4, apps add.
	answers("/api/appHub", `[{"id":"both","versions":[{"id":"latest","version":"9"}]},{"id":"other","versions":[{"id":"both","version":"1"}]},{"id":"bare","versions":[]}]`)
	target, err := c.AppHub().Resolve(t.Context(), "both")
	if err != nil || target.ByApp || target.App.ID != "other" || target.Version.ID != "both" {
		t.Error(target, err)
	}
	answers("/api/appHub", `[{"id":"bare","versions":[]},{"id":"","versions":[{"id":"","version":"1"}]}]`)
	if _, err := c.AppHub().Resolve(t.Context(), "bare"); !errors.Is(err, platform.ErrInstallTarget) {
		t.Error(err)
	}
	if _, err := c.AppHub().Resolve(t.Context(), ""); !errors.Is(err, platform.ErrInstallTarget) {
		t.Error(err)
	}
}

// TestWhoAmIWithoutUsers: for a user who may not read user records, WhoAmI returns what Me knows;
// any other refusal is an error.
// Rows of docs/platform.md: 4.9.
func TestWhoAmIWithoutUsers(t *testing.T) {
	p := platformtest.New(t, platformtest.Options{})
	c := connect(t, p)
	p.Fault("/api/users/*", platformtest.Fault{Status: http.StatusForbidden, Times: 1}, platformtest.Fault{Status: http.StatusBadGateway})
	user, err := c.System().WhoAmI(t.Context())
	if err != nil || user.Username != platformtest.Username || len(user.Authorities) != 2 || len(user.Programs) != 1 {
		t.Error(user, err)
	}
	_, err = c.System().WhoAmI(t.Context())
	refused(t, err, http.StatusBadGateway)
}

// TestNewestFirst: versions are compared numerically, part by part; a part that is not a number
// counts as 0. Platform client, section 4, apps hub-versions.
// Rows of docs/platform.md: 4.19.
func TestNewestFirst(t *testing.T) {
	app := platform.HubApp{}
	for _, v := range []string{"1.2", "alpha", "1.10.0", "1.2.0", "0", "1.9", "1.2.0-rc.1", "99999999999999999999.1", "99999999999999999999.2", "01.11", "v3.0"} {
		app.Versions = append(app.Versions, platform.HubVersion{Version: v})
	}
	var got []string
	for _, v := range app.NewestFirst() {
		got = append(got, v.Version)
	}
	want := []string{"99999999999999999999.2", "99999999999999999999.1", "01.11", "1.10.0", "1.9", "1.2.0-rc.1", "1.2", "1.2.0", "alpha", "0", "v3.0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if app.Versions[0].Version != "1.2" {
		t.Error("the catalogue was changed")
	}
}
