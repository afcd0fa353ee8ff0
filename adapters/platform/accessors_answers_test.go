package platform_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// archive is an app as a zip archive.
func archive(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, err := w.Create("manifest.webapp")
	if err == nil {
		_, err = f.Write([]byte(`{"name":"Uploaded","version":"1.2.3"}`))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

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

// TestNewestFirst: numeric, part by part; what is no number is 0. Platform client, section
// 4, apps hub-versions.
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

// TestVersionPosture: Platform client, section 2.4: the typed result of classifying the
// server's version; no feed of releases is asked for.
// Rows of docs/platform.md: 2.4.4.
func TestVersionPosture(t *testing.T) {
	asked := &hosts{}
	p := platformtest.New(t, platformtest.Options{Version: "2.43.1"})
	c, err := platform.Connect(t.Context(), p.URL, auth.NewPAT(auth.NewSecret(platformtest.PAT)), platform.Options{Transport: asked})
	if err != nil {
		t.Fatal(err)
	}
	asked.seen = nil
	if posture, err := c.System().VersionPosture(t.Context()); err != nil || posture.Posture != platform.PostureSupported || posture.Version != "2.43.1" || len(asked.seen) != 0 {
		t.Errorf("%+v, %v, asked %q", posture, err, asked.seen)
	}
	for version, want := range map[string]platform.VersionPosture{
		"2.42.4":          {Major: 42, Posture: platform.PostureSupported},
		"2.41-SNAPSHOT":   {Major: 41, Posture: platform.PostureSupported},
		"2.43.0.1":        {Major: 43, Posture: platform.PostureSupported},
		"2.40.9":          {Major: 40, Posture: platform.PostureOlder},
		"2.44.0":          {Major: 44, Posture: platform.PostureNewer},
		"":                {Posture: platform.PostureUnparseable},
		"three":           {Posture: platform.PostureUnparseable},
		"42.4":            {Posture: platform.PostureUnparseable},
		"2.42.x":          {Posture: platform.PostureUnparseable},
		"2.99999999999.1": {Posture: platform.PostureUnparseable},
	} {
		got := platform.ClassifyVersion(version)
		if got.Version != version || got.Major != want.Major || got.Posture != want.Posture || !slices.Equal(got.Supported, platform.Majors()) {
			t.Errorf("%q: %+v", version, got)
		}
	}
}

// hosts notes the addresses that a client asks.
type hosts struct{ seen []string }

func (h *hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	h.seen = append(h.seen, r.URL.String())
	return http.DefaultTransport.RoundTrip(r)
}

// TestSecuritySettingsKinds: numbers and booleans in quotes are read, anything else is told;
// what is absent or null is nil.
// Rows of docs/platform.md: 2.4.3.
func TestSecuritySettingsKinds(t *testing.T) {
	s, err := platform.Settings{
		{Key: "minPasswordLength", Value: []byte(`"9"`)}, {Key: "keyAccountRecovery", Value: []byte(`"true"`)}, {Key: "maxPasswordLength", Value: []byte(`null`)},
	}.Security()
	if err != nil || *s.MinPasswordLength != 9 || !*s.KeyAccountRecovery || s.MaxPasswordLength != nil || s.CredentialsExpires != nil {
		t.Errorf("%+v %v", s, err)
	}
	for _, wrong := range []string{`"many"`, `[]`, `1.5`, `true`} {
		if _, err := (platform.Settings{{Key: "minPasswordLength", Value: []byte(wrong)}}).Security(); err == nil || !strings.Contains(err.Error(), "minPasswordLength") {
			t.Error(wrong, err)
		}
	}
	if keys := platform.SecurityKeys(); len(keys) != 12 || keys[0] != "minPasswordLength" {
		t.Error(keys)
	}
}

// TestSettingsCache: a setting is asked for once, and again when it was written, even where
// the answer was lost. Platform toolkit, section 2.6.
func TestSettingsCache(t *testing.T) {
	p := platformtest.New(t, platformtest.Options{})
	c := connect(t, p)
	read := func(want string, requests int) {
		t.Helper()
		before := len(p.Requests())
		value, _, err := c.System().Setting(t.Context(), "applicationTitle")
		if err != nil || string(value) != want || len(p.Requests())-before != requests {
			t.Errorf("%s %v after %d requests", value, err, len(p.Requests())-before)
		}
	}
	read(`"Test"`, 1)
	read(`"Test"`, 0)
	if err := c.System().SetSetting(t.Context(), "applicationTitle", "Other"); err != nil {
		t.Fatal(err)
	}
	read(`"Other"`, 1)
	read(`"Other"`, 0)
	p.Fault("/api/systemSettings/applicationTitle", platformtest.Fault{Method: http.MethodDelete, Status: http.StatusBadGateway, Times: 1})
	refused(t, c.System().DeleteSetting(t.Context(), "applicationTitle"), http.StatusBadGateway)
	read(`"Other"`, 1)
	for _, key := range []string{"", ".", ".."} {
		if err := c.System().DeleteSetting(t.Context(), key); err == nil {
			t.Errorf("the key %q was sent", key)
		}
	}
}

// TestSecretSettings: what a server repeats of a credential is not shown.
// Rows of docs/platform.md: 2.2.5.
func TestSecretSettings(t *testing.T) {
	p := platformtest.New(t, platformtest.Options{})
	c := connect(t, p)
	const planted = "Planted-4711"
	for _, key := range []string{"keyEmailPassword", "keyRecaptchaSecret"} {
		p.Fault("/api/systemSettings/"+key, platformtest.Fault{Status: http.StatusConflict, Body: `{"status":"ERROR","message":"refused ` + planted + `"}`})
		err := c.System().SetSetting(t.Context(), key, planted)
		refused(t, err, http.StatusConflict)
		api, _ := errors.AsType[*platform.APIError](err)
		if strings.Contains(err.Error(), planted) || !strings.Contains(err.Error(), "refused ") || strings.Contains(string(api.Body), planted) {
			t.Error(err, string(api.Body))
		}
	}
}

// TestWhoAmIWithoutUsers: a user who may not read records of users is told what Me knows;
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
