package platformtools

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
)

// maxLook bounds a file of the look of the platform.
const maxLook = 16 << 20

func addCustomize(r *registry) {
	add(r, reads, "customize_show", "Show the look", "What the login page shows.",
		func(ctx context.Context, c *platform.Client, _ On) (Object, error) {
			look, err := c.Customize().Show(ctx)
			if err != nil {
				return nil, err
			}
			return object(look)
		})
	add(r, destroys, "customize_apply", "Apply a look", "Applies a folder with logo_front.png, logo_banner.png, style.css and preset.json.",
		func(ctx context.Context, c *platform.Client, in struct {
			On
			Directory string `json:"directory"`
		},
		) (Done, error) {
			folder, err := os.OpenRoot(in.Directory)
			if err != nil {
				return Done{}, fmt.Errorf("%s: there is no such folder on the machine of this tool server", in.Directory)
			}
			defer func() { _ = folder.Close() }()
			preset, err := platform.ReadPreset(folder.FS())
			if err != nil {
				return Done{}, fmt.Errorf("%s: %w", in.Directory, err)
			}
			var applied []string
			err = c.Customize().Apply(ctx, preset, func(what string) { applied = append(applied, what) })
			if err != nil && len(applied) > 0 {
				err = fmt.Errorf("%w; applied before: %s", err, strings.Join(applied, ", "))
			}
			return doneOr(err, "applied %s", strings.Join(applied, ", "))
		})
	for _, logo := range []struct {
		name, title string
		place       platform.Logo
	}{
		{"customize_logo_front", "Set the logo of the login page", platform.LogoFront},
		{"customize_logo_banner", "Set the logo of the banner", platform.LogoBanner},
	} {
		add(r, destroys, logo.name, logo.title, "Uploads a PNG file.",
			func(ctx context.Context, c *platform.Client, in FilePath) (Done, error) {
				content, err := readFile(in.Path)
				if err != nil {
					return Done{}, err
				}
				return doneOr(c.Customize().SetLogo(ctx, logo.place, content), "applied %s", filepath.Base(in.Path))
			})
	}
	add(r, destroys, "customize_style", "Set the style", "Uploads a CSS file for all pages.",
		func(ctx context.Context, c *platform.Client, in FilePath) (Done, error) {
			content, err := readFile(in.Path)
			if err != nil {
				return Done{}, err
			}
			return doneOr(c.Customize().SetStyle(ctx, content), "applied %s", filepath.Base(in.Path))
		})
}

// readFile reads a file of the look.
func readFile(path string) ([]byte, error) {
	file, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxLook+1))
	if err == nil && len(content) > maxLook {
		err = fmt.Errorf("%s has more than %d bytes", path, maxLook)
	}
	return content, err
}
