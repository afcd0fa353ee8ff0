package platform_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// TestManagementOnEveryMajor runs every accessor of what administrators do, in their
// order, against the double as every major. Platform toolkit, section 7.3.
func TestManagementOnEveryMajor(t *testing.T) {
	preset, err := platform.ReadPreset(fstest.MapFS{"preset.json": file(`{"a":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	var uid string // of the route that is made
	for _, major := range platform.Majors() {
		c, _ := onDouble(t, platformtest.Options{Major: int(major), CORS: []string{"https://app.example"}})
		for _, row := range []struct {
			name string
			call func(ctx context.Context) (found bool, err error)
		}{
			{"Datastore.Set", func(ctx context.Context) (bool, error) { return true, c.Datastore().Set(ctx, "n", "k", 1) }},
			{"Datastore.Get", func(ctx context.Context) (bool, error) {
				value, err := c.Datastore().Get(ctx, "n", "k")
				return string(value) == "1", err
			}},
			{"Datastore.Namespaces", func(ctx context.Context) (bool, error) { return some(c.Datastore().Namespaces(ctx)) }},
			{"Datastore.Keys", func(ctx context.Context) (bool, error) { return some(c.Datastore().Keys(ctx, "n")) }},
			{"Datastore.Delete", func(ctx context.Context) (bool, error) { return true, c.Datastore().Delete(ctx, "n", "k") }},
			{"Datastore.DeleteNamespace", func(ctx context.Context) (bool, error) { return true, c.Datastore().DeleteNamespace(ctx, "ns1") }},
			{"UserDatastore.Namespaces", func(ctx context.Context) (bool, error) { return some(c.UserDatastore().Namespaces(ctx)) }},
			{"Routes.List", func(ctx context.Context) (bool, error) {
				return some(c.Routes().List(ctx, platform.ListOptions{}))
			}},
			{"Routes.Create", func(ctx context.Context) (_ bool, err error) {
				uid, err = c.Routes().Create(ctx, platform.Route{Code: "new", Name: "New", URL: "https://new.example", Auth: &platform.RouteAuth{Type: platform.RouteAuthToken, Token: auth.NewSecret("x")}})
				return uid != "", err
			}},
			{"Routes.Get", func(ctx context.Context) (bool, error) {
				route, err := c.Routes().Get(ctx, "new")
				return err == nil && route.ID == uid, err
			}},
			{"Routes.UID", func(ctx context.Context) (bool, error) {
				got, err := c.Routes().UID(ctx, "new", false)
				return got == uid, err
			}},
			{"Routes.Run", func(ctx context.Context) (bool, error) {
				answer, err := c.Routes().Run(ctx, "new", "", nil, nil)
				return err == nil && answer.Status == 502, err
			}},
			{"Routes.Update", func(ctx context.Context) (bool, error) {
				return true, c.Routes().Update(ctx, uid, platform.Route{Code: "new", Name: "Newer", URL: "https://new.example"})
			}},
			{"Routes.Patch", func(ctx context.Context) (bool, error) {
				return true, c.Routes().Patch(ctx, uid, []platform.PatchOperation{{Op: "add", Path: "/disabled", Value: json.RawMessage("true")}})
			}},
			{"Routes.Delete", func(ctx context.Context) (bool, error) { return true, c.Routes().Delete(ctx, uid) }},
			{"OAuth2Clients.List", func(ctx context.Context) (bool, error) {
				list, err := c.OAuth2Clients().List(ctx) // TestRegisterClient registers one
				return len(list) == 0, err
			}},
			{"Tokens.Mint", func(ctx context.Context) (bool, error) {
				minted, err := c.Tokens().Mint(ctx, platform.NewToken{})
				return minted.UID != "" && !minted.Value.IsZero(), err
			}},
			{"Tokens.List", func(ctx context.Context) (bool, error) { return some(c.Tokens().List(ctx)) }},
			{"Customize.SetLogo", func(ctx context.Context) (bool, error) {
				return true, errors.Join(c.Customize().SetLogo(ctx, platform.LogoFront, []byte(png)), c.Customize().SetLogo(ctx, platform.LogoBanner, []byte(png)))
			}},
			{"Customize.SetStyle", func(ctx context.Context) (bool, error) { return true, c.Customize().SetStyle(ctx, []byte("body{}")) }},
			{"Customize.Apply", func(ctx context.Context) (bool, error) {
				return true, c.Customize().Apply(ctx, preset, func(string) {})
			}},
			{"Customize.Show", func(ctx context.Context) (bool, error) {
				look, err := c.Customize().Show(ctx)
				return look.ApplicationTitle != "", err
			}},
			{"Configuration.CORSWhitelist", func(ctx context.Context) (bool, error) { return some(c.Configuration().CORSWhitelist(ctx)) }},
			{"Configuration.SelfRegistrationRole", func(ctx context.Context) (bool, error) {
				role, err := c.Configuration().SelfRegistrationRole(ctx)
				return role != nil, err
			}},
			{"LoginConfig", func(ctx context.Context) (bool, error) {
				page, err := c.LoginConfig(ctx)
				return len(page.OIDCProviders) > 0, err
			}},
		} {
			t.Run(major.String()+"/"+row.name, func(t *testing.T) {
				if found, err := row.call(t.Context()); err != nil || !found {
					t.Errorf("found: %v, %v", found, err)
				}
			})
		}
	}
}

// some reports whether a list is not empty.
func some[T any](list []T, err error) (bool, error) { return len(list) > 0, err }

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
