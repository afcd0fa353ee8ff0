package platform_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// TestSecuritySettingsKinds: numbers and booleans in quotes are read, and any other value is an
// error. An absent or null setting is nil.
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

func TestConfiguration(t *testing.T) {
	c, p := onDouble(t, platformtest.Options{CORS: []string{"https://app.example", "https://*.example"}})
	origins, err := c.Configuration().CORSWhitelist(t.Context())
	if err != nil || !slices.Equal(origins, []string{"https://app.example", "https://*.example"}) {
		t.Errorf("%q, %v", origins, err)
	}
	const path = "/api/configuration/selfRegistrationRole"
	for _, test := range []struct{ body, want string }{
		{`{"id":"Rol00000009","name":"Guest"}`, "Guest (Rol00000009)"}, {"", ""}, {"null", ""}, {"{}", ""}, {`""`, ""}, {"[1]", "error"}, {`{"name":"x"}`, "error"},
	} {
		p.Fault(path, platformtest.Fault{Times: 1, Status: http.StatusOK, Body: test.body})
		role, err := c.Configuration().SelfRegistrationRole(t.Context())
		got := ""
		switch {
		case err != nil:
			got = "error"
		case role != nil:
			got = role.Label()
		}
		if got != test.want {
			t.Errorf("%q: %+v, %v", test.body, role, err)
		}
	}
	p.Heal()
	p.Fault("/api/configuration/*", platformtest.Fault{Status: 403})
	_, err = c.Configuration().SelfRegistrationRole(t.Context())
	wantAPIError(t, err, 403, "A test")
	_, err = c.Configuration().CORSWhitelist(t.Context())
	wantAPIError(t, err, 403, "A test")
}

// TestLoginConfigNeedsNoLogin: who has no credentials reads it, too.
// Rows of docs/platform.md: 5.12.
func TestLoginConfigNeedsNoLogin(t *testing.T) {
	_, p := onDouble(t, platformtest.Options{})
	nobody, err := platform.New(p.URL, auth.NewPAT(auth.NewSecret("d2pat_wrong")), platform.Options{Pin: 42})
	if err != nil {
		t.Fatal(err)
	}
	page, err := nobody.LoginConfig(t.Context())
	if err != nil || page.ApplicationTitle != "Test" || page.OIDCProviders[0].LoginText != "Sign in with IdP" {
		t.Errorf("%+v, %v", page, err)
	}
	p.Fault("/api/loginConfig", platformtest.Fault{HTML: true})
	if page, err := nobody.LoginConfig(t.Context()); err == nil {
		t.Errorf("a page is taken for the configuration: %+v", page)
	}
}
