package platform_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

const png = "\x89PNG\r\n\x1a\nimage"

func file(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

// TestCustomize: platform client, section 4, customize: an uploaded file is also switched on;
// otherwise the platform would keep serving its own.
// Rows of docs/platform.md: 4.27.
func TestCustomize(t *testing.T) {
	onMajors(t, func(t *testing.T, c *platform.Client, p *platformtest.Platform) {
		preset, err := platform.ReadPreset(fstest.MapFS{
			"logo_front.png": file(png), "logo_banner.png": file(png + "2"), "style.css": file("body{}"), "more": file(""),
			"preset.json": file(`{"startModule":"x","applicationTitle":"Mine","keyEmbeddedDashboardsEnabled":true,"keyDatabaseServerCpus":2}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		var done []string
		if err := c.Customize().Apply(t.Context(), preset, func(what string) { done = append(done, what) }); err != nil {
			t.Fatal(err)
		}
		if want := "logo_front.png logo_banner.png style.css startModule applicationTitle keyEmbeddedDashboardsEnabled keyDatabaseServerCpus"; strings.ReplaceAll(strings.Join(done, " "), "setting ", "") != want {
			t.Errorf("%q", done)
		}
		if string(p.File("logo_front")) != png || string(p.File("logo_banner")) != png+"2" || string(p.File("style")) != "body{}" {
			t.Error("the files are others")
		}
		settings, err := c.System().Settings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{
			"keyUseCustomLogoFront": "true", "keyUseCustomLogoBanner": "true", "keyStyle": "style",
			"startModule": "x", "applicationTitle": "Mine", "keyEmbeddedDashboardsEnabled": "true", "keyDatabaseServerCpus": "2",
		} {
			value, _ := settings.Get(key)
			if got := (platform.Setting{Key: key, Value: value}).Text(); got != want {
				t.Errorf("%s: %s, want %s", key, got, want)
			}
		}
		look, err := c.Customize().Show(t.Context())
		if err != nil || look.ApplicationTitle != "Mine" || len(look.OIDCProviders) == 0 || look.OIDCProviders[0].ID != "idp" {
			t.Errorf("%+v, %v", look, err)
		}
	})
}

func TestPresetRefusals(t *testing.T) {
	for want, folder := range map[string]fstest.MapFS{
		"the folder has none of":                 {"other": file("")},
		"logo_front.png: it is not a PNG image":  {"logo_front.png": file("GIF89a")},
		"logo_banner.png: it is not a PNG image": {"logo_banner.png": file("")},
		"preset.json: it is not a JSON object":   {"preset.json": file("[1]")},
		`preset.json: it is not a JSON object w`: {"preset.json": file(`{"a":1,"a":2}`)},
		"style.css: it is longer than 16777216":  {"style.css": file(strings.Repeat(" ", 16<<20+1))},
	} {
		if _, err := platform.ReadPreset(folder); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if preset, err := platform.ReadPreset(fstest.MapFS{"style.css": file("")}); err != nil || preset.Style == nil || preset.LogoFront != nil || preset.Settings != nil {
		t.Errorf("missing files are left out: %+v, %v", preset, err)
	}

	c, p := onDouble(t, platformtest.Options{})
	z := c.Customize()
	if err := z.SetLogo(t.Context(), "logo_side", []byte(png)); err == nil || !strings.Contains(err.Error(), `"logo_side"`) {
		t.Errorf("another place: %v", err)
	}
	if err := z.SetLogo(t.Context(), platform.LogoFront, []byte("<svg/>")); err == nil || !strings.Contains(err.Error(), "PNG") {
		t.Errorf("another image: %v", err)
	}
	if got := sent(p); len(got) != 0 {
		t.Errorf("sent all the same: %q", got)
	}
	p.Fault("/api/files/style", platformtest.Fault{Status: 403})
	var done []string
	err := z.Apply(t.Context(), &platform.Preset{LogoFront: []byte(png), Style: []byte("x"), Settings: platform.Settings{{Key: "a", Value: []byte("1")}}}, func(what string) { done = append(done, what) })
	wantAPIError(t, err, http.StatusForbidden, "style.css: ")
	if !slices.Equal(done, []string{"logo_front.png"}) {
		t.Errorf("done: %q", done)
	}
	p.Heal()
	p.Fault("/api/systemSettings/*", platformtest.Fault{Status: 409})
	wantAPIError(t, z.SetLogo(t.Context(), platform.LogoBanner, []byte(png)), 409, "A test")
	wantAPIError(t, z.Apply(t.Context(), &platform.Preset{Settings: platform.Settings{{Key: "a", Value: []byte("1")}}}, nil), 409, "setting a: ")
}

// vetoing is a transport that refuses to send requests of a path.
type vetoing struct {
	path string
	err  error
}

func (v vetoing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == v.path {
		return nil, v.err
	}
	return http.DefaultTransport.RoundTrip(r)
}

// refusal is a veto of a transport.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func (refusal) Is(target error) bool { return target == platform.ErrVetoed }

// TestVeto: a veto of a hook or of a transport ends Connect at each of its requests, is not retried,
// and does not read like a network error. Platform toolkit, sections 2.1 and 5.2.
// Rows of docs/platform.md: 2.6.3, T5.2.
func TestVeto(t *testing.T) {
	mine := errors.New("not this path")
	for _, path := range []string{"/", "/dhis-web-login/", "/api/system/info"} {
		retried := &platform.RetryPolicy{Base: time.Millisecond}
		for name, options := range map[string]platform.Options{
			"hook": {Retry: retried, Hooks: []platform.Hook{func(r *http.Request) error {
				if r.URL.Path == path {
					return mine
				}
				return nil
			}}},
			"transport": {Retry: retried, Transport: vetoing{path, refusal{mine}}},
		} {
			t.Run(name+path, func(t *testing.T) {
				p := platformtest.New(t, platformtest.Options{})
				_, err := platform.Connect(t.Context(), p.URL, auth.NewPAT(auth.NewSecret(platformtest.PAT)), options)
				if !errors.Is(err, platform.ErrVetoed) || !errors.Is(err, mine) || errors.Is(err, platform.ErrUnreachable) {
					t.Fatal(err)
				}
				for _, line := range sent(p) {
					if strings.HasSuffix(line, " "+path) {
						t.Errorf("%s was sent", line)
					}
				}
			})
		}
	}
	if next, err := (platform.Options{Transport: vetoing{}}).RoundTripper(); err != nil || next != (vetoing{}) {
		t.Error(next, err)
	}
	if _, err := (platform.Options{MaxAnswer: -1}).RoundTripper(); err == nil {
		t.Error("options are not checked")
	}
}
