package platform_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

const pngImage = "\x89PNG\r\n\x1a\nimage"

// TestCustomize: platform client, section 4, commands, customize.
// Rows of docs/platform.md: 4.27, 5.12, T3.1.
func TestCustomize(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		folder := t.TempDir()
		logo := writtenFile(t, folder, "logo_front.png", pngImage)
		writtenFile(t, folder, "preset.json", `{"keyUseCustomLogoBanner":false,"applicationTitle":"Mine"}`)
		if out := p.must(t, "customize", "logo-banner", logo); out != "applied "+logo+"\n" || string(p.File("logo_banner")) != pngImage {
			t.Errorf("%q", out)
		}
		p.input = "body{}"
		if out := p.must(t, "customize", "style", "-"); out != "applied -\n" || string(p.File("style")) != "body{}" {
			t.Errorf("%q", out)
		}
		if p.File("logo_front") != nil {
			t.Error("the other image is there")
		}
		p.must(t, "customize", "logo-front", logo, "--json")
		if out := p.must(t, "customize", "apply", folder); out != "applied logo_front.png\napplied setting keyUseCustomLogoBanner\napplied setting applicationTitle\n" {
			t.Errorf("%q", out)
		}
		if out := p.must(t, "customize", "show"); !strings.Contains(out, "applicationTitle         Mine\n") {
			t.Errorf("%s", out)
		}
		if out := p.must(t, "customize", "show", "--json"); !strings.Contains(out, `"applicationTitle": "Mine"`) || !strings.Contains(out, `"id": "idp"`) {
			t.Errorf("%s", out)
		}
	})
}

func TestCustomizeFails(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		folder := t.TempDir()
		text := writtenFile(t, folder, "text", "GIF89a")
		for want, line := range map[string][]string{
			"it is not a PNG image":  {"logo-front", text},
			"no such file":           {"style", filepath.Join(folder, "none")},
			"the folder has none of": {"apply", folder},
			"none: no such file":     {"apply", filepath.Join(folder, "none")},
		} {
			if errs := p.fails(t, 1, append([]string{"customize"}, line...)...); !strings.Contains(errs, want) {
				t.Errorf("%q: %s", line, errs)
			}
		}
		writtenFile(t, folder, "logo_front.png", pngImage)
		writtenFile(t, folder, "style.css", "body{}")
		p.Fault("/api/files/style", platformtest.Fault{Method: http.MethodPost, Status: 403})
		if errs := p.fails(t, 1, "customize", "apply", folder); !strings.Contains(errs, "applied logo_front.png\n") || !strings.Contains(errs, "style.css: API error (403): Forbidden: A test wants it so") {
			t.Error(errs)
		}
	})
}
