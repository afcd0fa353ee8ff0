package platform_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

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
