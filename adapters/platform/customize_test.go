package platform_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
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
