package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Limits of a preset.
const (
	maxPresetFile = 16 << 20
	maxSettings   = 10000
)

// Files of a preset.
const (
	frontFile    = "logo_front.png"
	bannerFile   = "logo_banner.png"
	styleFile    = "style.css"
	settingsFile = "preset.json"
)

// A Preset is an appearance of the platform that is stored in a folder. Nil members do not change the
// platform.
type Preset struct {
	LogoFront, LogoBanner []byte // PNG
	Style                 []byte // CSS
	Settings              Settings
}

// ReadPreset reads a folder with logo_front.png, logo_banner.png, style.css and preset.json, an object
// of settings. At least one of the files must exist. Platform toolkit, section 2.8.
func ReadPreset(folder fs.FS) (*Preset, error) {
	var preset Preset
	var settings []byte
	found := 0
	for name, into := range map[string]*[]byte{
		frontFile: &preset.LogoFront, bannerFile: &preset.LogoBanner, styleFile: &preset.Style, settingsFile: &settings,
	} {
		content, err := readBounded(folder, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		*into = content
		found++
	}
	if found == 0 {
		return nil, fmt.Errorf("the folder has none of %s, %s, %s and %s", frontFile, bannerFile, styleFile, settingsFile)
	}
	for name, image := range map[string][]byte{frontFile: preset.LogoFront, bannerFile: preset.LogoBanner} {
		if image != nil {
			if err := checkPNG(name, image); err != nil {
				return nil, err
			}
		}
	}
	if settings != nil {
		if err := json.Unmarshal(settings, &preset.Settings); err != nil {
			return nil, fmt.Errorf("%s: it is not a JSON object with a value for each setting: %w", settingsFile, err)
		}
		if len(preset.Settings) > maxSettings {
			return nil, fmt.Errorf("%s: it has more than %d settings", settingsFile, maxSettings)
		}
	}
	return &preset, nil
}

func readBounded(folder fs.FS, name string) ([]byte, error) {
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxPresetFile+1))
	if err == nil && len(content) > maxPresetFile {
		err = fmt.Errorf("%s: it is longer than %d bytes", name, maxPresetFile)
	}
	return content, err
}

// Apply applies a preset to the platform: images, style, then settings in their order. It reports each
// step that is done. If a step fails, the earlier ones stay.
func (z Customize) Apply(ctx context.Context, preset *Preset, done func(what string)) error {
	steps := []struct {
		what  string
		there bool
		do    func() error
	}{
		{frontFile, preset.LogoFront != nil, func() error { return z.SetLogo(ctx, LogoFront, preset.LogoFront) }},
		{bannerFile, preset.LogoBanner != nil, func() error { return z.SetLogo(ctx, LogoBanner, preset.LogoBanner) }},
		{styleFile, preset.Style != nil, func() error { return z.SetStyle(ctx, preset.Style) }},
	}
	for _, step := range steps {
		if !step.there {
			continue
		}
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
		done(step.what)
	}
	for _, setting := range preset.Settings {
		if err := z.client.System().SetSetting(ctx, setting.Key, setting.Text()); err != nil {
			return fmt.Errorf("setting %s: %w", setting.Key, err)
		}
		done("setting " + setting.Key)
	}
	return nil
}
